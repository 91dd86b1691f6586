// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// The list of pages of an archive, as a WACZ file has it: those that the archive lists, or else its HTML documents.
struct ExportedPages {
    private let archive: ArchiveReader
    private let lines = SpooledBody()
    /// The number of pages.
    private(set) var count = 0
    /// The first page.
    private(set) var first: ArchivePage?

    /// The maximum length of a text, in bytes: readers have limits for a line, of which each byte may take six.
    private static let maximumTextLength: UInt64 = WACZPage.maximumTextLength
    private static let mediaTypes: Set = ["text/html", "application/xhtml+xml"]

    private let budget: InterchangeBudget

    /// - Parameter budget: the budget for texts, which pages can share.
    init(_ archive: ArchiveReader, _ budget: InterchangeBudget) { (self.archive, self.budget) = (archive, budget) }

    /// Writes the list.
    ///
    /// - Throws: `damaged`, `io`; `limitExceeded` for texts that take more than their archive many times.
    mutating func write() throws(ArchiveError) -> SpooledBody {
        try append(["format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": .bool(try hasText())])
        for number in 0..<archive.pageCount {
            let stored = archive.page(number)
            var page = try stored.page
            if page.time == nil, let url = try? CanonicalURL(page.url) { page.time = try archive.entry(for: url)?.time }
            try append(page, text: try stored.text)
        }
        if archive.pageCount == 0 { try appendDocuments() }
        lines.finish()
        return lines
    }

    private func hasText() throws(ArchiveError) -> Bool {
        for number in 0..<archive.pageCount where try archive.page(number).text != nil { return true }
        return false
    }

    /// Appends the HTML documents that a GET gave.
    private mutating func appendDocuments() throws(ArchiveError) {
        var pages: [ArchivePage] = []
        try archive.forEachEntry { entry throws(ArchiveError) in
            guard try entry.role == .exchange, let response = try entry.response, response.status == 200,
                let type = response.mediaType, Self.mediaTypes.contains(type), let body = try entry.body,
                try entry.request.method == "GET"
            else { return true }
            let start = try body.bytes(in: 0..<min(body.length, UInt64(PageTitle.maximumScannedLength)))
            pages.append(
                ArchivePage(
                    url: try entry.url, time: try entry.time,
                    title: PageTitle.title(in: start, charset: { response.charset }), status: response.status))
            return true
        }
        for page in pages { try append(page, text: nil) }
    }

    private mutating func append(_ page: ArchivePage, text: ArchiveBody?) throws(ArchiveError) {
        let time = Timestamp.text(page.time ?? .unknownInExports)
        let identity = ContentDigest(hashing: Array("\(page.url)\n\(time)".utf8))
        var members: [JSONValue.Member] = [
            .init(name: "id", value: .string(identity.description)), .init(name: "url", value: .string(page.url)),
            .init(name: "ts", value: .string(time)),
        ]
        if let title = page.title { members.append(.init(name: "title", value: .string(title))) }
        if page.status != 0 { members.append(.init(name: "status", value: .number(page.status))) }
        if page.isSeed { members.append(.init(name: "seed", value: true)) }
        if page.depth > 0 || page.isSeed { members.append(.init(name: "depth", value: .number(page.depth))) }
        if let text {
            let bytes = try text.bytes(in: 0..<min(text.length, Self.maximumTextLength))
            try budget.decode(bytes.count)
            members.append(.init(name: "text", value: .string(String(decoding: bytes, as: UTF8.self))))
        }
        try append(.object(members))
        if first == nil { first = page }
        count += 1
    }

    private func append(_ line: JSONValue) throws(ArchiveError) {
        try line.forEachPiece { piece throws(ArchiveError) in
            try piece.withBytes { (bytes) throws(ArchiveError) in try lines.append(bytes) }
        }
        try [UInt8(ascii: "\n")].withBytes { (bytes) throws(ArchiveError) in try lines.append(bytes) }
    }
}
