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
    /// The number of bytes of bodies that may be written again.
    var repeatAllowance = RepeatedBodies.allowance

    /// Creates an exporter. It reads nothing yet.
    public init(_ archive: ArchiveReader) { self.archive = archive }

    /// Writes the file.
    ///
    /// - Parameter sink: a function that takes the bytes in their order.
    /// - Returns: the number of records.
    /// - Throws: `invalidArgument` if originals are to be restored and the archive has none; `damaged`, `io`; `limitExceeded` if few
    ///   bodies fill the file many times; errors of `sink`.
    @discardableResult
    public func write(
        _ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Int {
        let output = try RecordOutput(
            RepeatedBodies(of: archive, allowance: repeatAllowance), isCompressed: isCompressed, sink)
        if restoresOriginals {
            guard try archive.metadata()[MetadataName.records] == MetadataName.allRecords else {
                throw ArchiveError(
                    .invalidArgument, "the archive does not have all records of the files from which it was imported",
                    path: archive.name)
            }
            let archive = archive.limitedToOneConversion()
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
            try output.write(head)
        } else {
            try output.write(MessageHead.serialised(Array(record.version.utf8), record.headers))
        }
        if let block = try stored.block {
            try output.write(block)
        } else if let entry = try stored.exchange {
            switch record.part {
            case .response: try output.write(responseOf: entry)
            case .request: try output.write(requestOf: entry)
            case .body: if let body = try entry.body { try output.write(body) }
            case .unknown: throw ArchiveError(.unsupportedFeature, "a record of an unknown part of an exchange")
            }
        }
        try output.write(record.end)
        try output.endRecord()
    }
}
