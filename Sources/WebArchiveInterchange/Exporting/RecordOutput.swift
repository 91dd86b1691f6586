// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The output of records, each of which is a gzip member of its own if the file is compressed.
final class RecordOutput {
    /// The number of records.
    private(set) var count = 0
    private let gzip: GzipWriter?
    private let file: File
    private let repeated: RepeatedBodies
    /// The offset of the present record.
    private var start: UInt64 = 0
    /// A function that is called for each record that belongs into an index; nil for none.
    private let observer: ((WrittenRecord) throws(ArchiveError) -> Void)?

    /// The bytes of the file, counted.
    private final class File {
        private(set) var position: UInt64 = 0
        private let sink: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void

        init(_ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) { self.sink = sink }

        func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
            try sink(bytes)
            position += UInt64(bytes.count)
        }
    }

    /// - Parameter repeated: the limit on the bodies that are written again.
    init(
        _ repeated: RepeatedBodies, isCompressed: Bool, observer: ((WrittenRecord) throws(ArchiveError) -> Void)? = nil,
        _ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let file = File(sink)
        self.repeated = repeated
        (self.file, self.observer) = (file, observer)
        gzip = isCompressed ? try GzipWriter(level: 6) { bytes throws(ArchiveError) in try file.write(bytes) } : nil
    }

    /// Whether records are described for an index.
    var isObserved: Bool { observer != nil }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        if let gzip { try gzip.write(bytes) } else { try file.write(bytes) }
    }

    func write(_ bytes: [UInt8]) throws(ArchiveError) {
        try bytes.withBytes { (bytes) throws(ArchiveError) in try write(bytes) }
    }

    /// Writes a body of the archive.
    ///
    /// - Throws: `limitExceeded` if few bodies are written very often; `damaged`, `io`.
    func write(_ body: ArchiveBody) throws(ArchiveError) {
        try repeated.charge(body)
        try body.forEachBuffer(write)
    }

    /// Writes a head of a record, in which no text ends a line that it does not own.
    func write(head: HeaderFields) throws(ArchiveError) {
        try write(MessageHead.serialised(Array(ArchiveRecord.defaultVersion.utf8), head.withoutLineEnds))
    }

    /// Ends the present record, after the line ends that follow its block.
    ///
    /// - Parameter record: the description for an index; nil if it belongs into none.
    func endBlock(_ record: WrittenRecord? = nil) throws(ArchiveError) {
        try write([0x0D, 0x0A, 0x0D, 0x0A])
        try endRecord(record)
    }

    /// Ends the present record.
    ///
    /// - Parameter record: the description for an index; nil if it belongs into none.
    func endRecord(_ record: WrittenRecord? = nil) throws(ArchiveError) {
        count += 1
        try gzip?.endMember()
        if let observer, var record {
            (record.offset, record.length) = (start, file.position - start)
            try observer(record)
        }
        start = file.position
    }

    /// Writes a response as it was received.
    func write(responseOf entry: ArchiveEntry) throws(ArchiveError) {
        if let head = try entry.responseHead {
            try write(head)
        } else if let response = try entry.response {
            let line = StatusLine.bytes(
                version: response.version, status: response.status, reason: response.reasonBytes)
            try write(MessageHead.serialised(line, response.headers))
        }
        let (wire, body) = (try entry.responseWire, try entry.body)
        if let content = wire ?? body { try write(content) }
    }

    /// Writes a request as it was sent.
    func write(requestOf entry: ArchiveEntry) throws(ArchiveError) {
        let request = try entry.request
        if let head = try entry.requestHead {
            try write(head)
        } else {
            let line = RequestLine.bytes(method: request.method, url: request.url, version: request.version)
            try write(MessageHead.serialised(line, request.headers))
        }
        let (wire, body) = (try entry.requestWire, try entry.requestBody)
        if let content = wire ?? body { try write(content) }
    }
}
