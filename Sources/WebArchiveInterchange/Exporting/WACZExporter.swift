// SPDX-License-Identifier: Apache-2.0

import Crypto
public import WebArchive
import WebArchivePresentation

/// An exporter that writes an archive as a WACZ file (version 1.1.1): a ZIP file with a WARC file, its index, a list of pages, and digests.
///
/// The same archive gives the same bytes. The pages are those that the archive lists; if it lists none, its HTML documents are. The index is in memory
/// until the WARC file is written, some 300 bytes for each record.
///
/// ```swift
/// let file = try FileDescriptor.open("site.wacz", .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
/// try WACZExporter(archive).write { bytes in try file.writeAll(bytes) }
/// ```
public struct WACZExporter {
    /// The archive.
    public let archive: ArchiveReader
    /// Whether the list of pages has the text of HTML documents for which the archive lists none. Readers search in it.
    public var addsText = false

    /// The result of an export.
    public struct Summary: Sendable {
        /// The number of records of the WARC file.
        public var records = 0
        /// The number of pages in the list of pages.
        public var pages = 0
    }

    private static let archiveName = "data.warc.gz"
    private static let indexName = "index.cdx.gz"

    /// Creates an exporter. It reads nothing yet.
    public init(_ archive: ArchiveReader) { self.archive = archive }

    /// Writes the file.
    ///
    /// - Parameter sink: a function that takes the bytes in their order.
    /// - Returns: the counts.
    /// - Throws: `damaged`, `io`; `limitExceeded` if few bodies fill the file many times; errors of `sink`.
    @discardableResult
    public func write(
        _ sink: @escaping (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Summary {
        let package = PackageWriter(sink)
        let budget = InterchangeBudget(kept: 64 << 20)
        budget.readLength = archive.fileLength
        let captures = Captures(budget)
        var summary = Summary()
        try package.add("archive/\(Self.archiveName)") { write throws(ArchiveError) in
            let output = try RecordOutput(
                RepeatedBodies(of: archive, allowance: RepeatedBodies.allowance), isCompressed: true,
                observer: { record throws(ArchiveError) in try captures.add(record, file: Self.archiveName) }, write)
            var records = ExportedRecords(archive, output)
            try records.run()
            summary.records = output.count
        }
        let (lines, list) = try captures.index.write(name: Self.indexName)
        try package.add("indexes/\(Self.indexName)", lines)
        try package.add("indexes/index.idx", list)
        var pages = ExportedPages(archive.limitedToOneConversion(), budget, addsText: addsText)
        try package.add("pages/pages.jsonl", pages.write())
        summary.pages = pages.count
        let metadata = try archive.metadata()
        var description = PackageWriter.Description(created: try created(metadata, captures))
        (description.title, description.text) = (metadata["title"], metadata["description"])
        let main = metadata[MetadataName.mainPage]
        description.mainPage = main ?? pages.first?.url
        if main == nil { description.mainPageDate = pages.first?.time.map(Timestamp.text) }
        try package.finish(description)
        return summary
    }

    /// Returns the time that the metadata has, or that of the newest capture: the present one would not be the same again.
    private func created(_ metadata: [String: String], _ captures: Captures) throws(ArchiveError) -> String {
        if let date = metadata["date"].flatMap(Timestamp.nanoseconds).flatMap(ArchiveTime.init) {
            return Timestamp.text(date)
        }
        return Timestamp.text(captures.newest ?? .unknownInExports)
    }

    /// The captures that were written.
    private final class Captures {
        private(set) var index: CaptureIndex
        /// The time of the newest one.
        private(set) var newest: ArchiveTime?

        init(_ budget: InterchangeBudget) { index = CaptureIndex(budget) }

        func add(_ record: WrittenRecord, file: String) throws(ArchiveError) {
            newest = max(newest ?? record.time, record.time)
            var key = record.url
            var members: [JSONValue.Member] = [.init(name: "url", value: .string(record.url))]
            func add(_ name: String, _ text: String?) {
                guard let text, !text.isEmpty else { return }
                members.append(.init(name: name, value: .string(text)))
            }
            add("mime", record.mediaType)
            add("status", record.status.map { String($0) })
            add("digest", record.digest)
            add("length", String(record.length))
            add("offset", String(record.offset))
            add("filename", file)
            if let request = record.request {
                let query = request.query.isEmpty ? "" : "&\(request.query)"
                key += "\(key.contains("?") ? "&" : "?")__wb_method=\(request.method)\(query)"
                members.append(.init(name: "requestBody", value: .string(request.query)))
                add("method", request.method)
            }
            try index.add(key, record.time, members)
        }
    }
}
