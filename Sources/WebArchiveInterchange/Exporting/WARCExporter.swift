// SPDX-License-Identifier: Apache-2.0

public import WebArchive

/// An exporter that writes an archive as a WARC file (ISO 28500, version 1.1).
///
/// The same archive gives the same bytes. Bodies are written without the codings that were removed from them, and the fields say so. A body that was
/// written before is not written again: a revisit record refers to it.
///
/// ```swift
/// let file = try FileDescriptor.open("site.warc.gz", .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
/// try WARCExporter(archive).write { bytes in try file.writeAll(bytes) }
/// ```
public struct WARCExporter {
    /// The archive.
    public let archive: ArchiveReader
    /// Whether each record is a gzip member; otherwise the file is not compressed.
    public var isCompressed = true
    /// Whether the records from which the archive was imported are written as they were. The archive must have been imported with
    /// ``ArchiveImporter/Options/keepsOriginals``.
    public var restoresOriginals = false

    /// Creates an exporter. It reads nothing yet.
    public init(_ archive: ArchiveReader) { self.archive = archive }

    /// Writes the file.
    ///
    /// - Parameter sink: a function that takes the bytes in their order.
    /// - Returns: the number of records.
    /// - Throws: `invalidArgument` if originals are to be restored and the archive has none; `damaged`, `io`; errors of `sink`.
    @discardableResult
    public func write(
        _ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Int {
        let kept = try archive.metadata()[MetadataName.records]
        guard !restoresOriginals || kept == MetadataName.allRecords else {
            throw ArchiveError(
                .invalidArgument, "the archive does not have all records of the files from which it was imported",
                path: archive.name)
        }
        let output = try RecordOutput(isCompressed: isCompressed, sink)
        if restoresOriginals {
            let archive = archive.limitedToOnePass()
            for number in 0..<archive.recordCount { try restore(archive.record(number), output) }
        } else {
            var records = ExportedRecords(archive, output)
            try records.run()
        }
        return output.count
    }

    private func restore(_ stored: StoredRecord, _ output: RecordOutput) throws(ArchiveError) {
        let record = try stored.record
        if let head = try stored.head {
            try head.forEachBuffer(output.write)
        } else {
            try output.write(MessageHead.serialised(Array(record.version.utf8), record.headers))
        }
        if let block = try stored.block {
            try block.forEachBuffer(output.write)
        } else if let entry = try stored.exchange {
            switch record.part {
            case .response: try output.write(responseOf: entry)
            case .request: try output.write(requestOf: entry)
            case .body: try entry.body?.forEachBuffer(output.write)
            case .unknown: throw ArchiveError(.unsupportedFeature, "a record of an unknown part of an exchange")
            }
        }
        try output.write(record.end)
        try output.endRecord()
    }
}

/// The output of records, each of which is a gzip member of its own if the file is compressed.
final class RecordOutput {
    /// The number of records.
    private(set) var count = 0
    private let gzip: GzipWriter?
    private let sink: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void

    init(
        isCompressed: Bool, _ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        self.sink = sink
        gzip = isCompressed ? try GzipWriter(level: 6, sink) : nil
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        if let gzip { try gzip.write(bytes) } else { try sink(bytes) }
    }

    /// Writes a head of a record, in which no text ends a line that it does not own.
    func write(head: HeaderFields) throws(ArchiveError) {
        try write(MessageHead.serialised(Array(ArchiveRecord.defaultVersion.utf8), head.withoutLineEnds))
    }

    func write(_ bytes: [UInt8]) throws(ArchiveError) {
        try bytes.withBytes { (bytes) throws(ArchiveError) in try write(bytes) }
    }

    /// Ends the present record, after the line ends that follow its block.
    func endBlock() throws(ArchiveError) {
        try write([0x0D, 0x0A, 0x0D, 0x0A])
        try endRecord()
    }

    /// Ends the present record.
    func endRecord() throws(ArchiveError) {
        count += 1
        try gzip?.endMember()
    }

    /// Writes a response as it was received.
    func write(responseOf entry: ArchiveEntry) throws(ArchiveError) {
        if let head = try entry.responseHead {
            try head.forEachBuffer(write)
        } else if let response = try entry.response {
            let line = StatusLine.bytes(
                version: response.version, status: response.status, reason: response.reasonBytes)
            try write(MessageHead.serialised(line, response.headers))
        }
        let (wire, body) = (try entry.responseWire, try entry.body)
        try (wire ?? body)?.forEachBuffer(write)
    }

    /// Writes a request as it was sent.
    func write(requestOf entry: ArchiveEntry) throws(ArchiveError) {
        let request = try entry.request
        if let head = try entry.requestHead {
            try head.forEachBuffer(write)
        } else {
            let line = RequestLine.bytes(method: request.method, url: request.url, version: request.version)
            try write(MessageHead.serialised(line, request.headers))
        }
        let (wire, body) = (try entry.requestWire, try entry.requestBody)
        try (wire ?? body)?.forEachBuffer(write)
    }
}
