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
    /// The maximum length of the part of a document that gives its text, in bytes.
    private static let maximumDocumentLength: UInt64 = 8 << 20
    private static let mediaTypes: Set = ["text/html", "application/xhtml+xml"]

    private let budget: InterchangeBudget
    /// Whether a page has the text of its document, where the archive lists none.
    private let addsText: Bool

    /// - Parameter budget: the budget for texts, which pages can share.
    init(_ archive: ArchiveReader, _ budget: InterchangeBudget, addsText: Bool) {
        (self.archive, self.budget, self.addsText) = (archive, budget, addsText)
    }

    /// Writes the list.
    ///
    /// - Throws: `damaged`, `io`; `limitExceeded` for texts that take more than their archive many times.
    mutating func write() throws(ArchiveError) -> SpooledBody {
        let listsText = try listsText()
        try append([
            "format": "json-pages-1.0", "id": "pages", "title": "All Pages", "hasText": .bool(addsText || listsText),
        ])
        for number in 0..<archive.pageCount { try append(archive.page(number)) }
        if archive.pageCount == 0 { try appendDocuments() }
        lines.finish()
        return lines
    }

    private func listsText() throws(ArchiveError) -> Bool {
        for number in 0..<archive.pageCount where try archive.page(number).text != nil { return true }
        return false
    }

    private mutating func append(_ stored: StoredPage) throws(ArchiveError) {
        var page = try stored.page
        var text = try stored.text.mapTyped { text throws(ArchiveError) in
            try start(of: text, length: Self.maximumTextLength)
        }
        if page.time == nil || text == nil && addsText, let document = try document(of: page) {
            if page.time == nil { page.time = try document.time }
            if text == nil { text = try self.text(of: document) }
        }
        try append(page, text: text)
    }

    /// Returns the capture of a page: that of its time, or else the newest one.
    private func document(of page: ArchivePage) throws(ArchiveError) -> ArchiveEntry? {
        guard let url = try? CanonicalURL(page.url) else { return nil }
        let captures = try archive.captures(of: url)
        if let time = page.time {
            for entry in captures where try entry.time == time { return entry }
        }
        return captures.first
    }

    /// Returns the text of an HTML document; nil for another entry, or if texts are not added.
    private func text(of entry: ArchiveEntry) throws(ArchiveError) -> [UInt8]? {
        guard addsText, let response = try entry.response, Self.isDocument(response), let body = try entry.body else {
            return nil
        }
        let document = try start(of: body, length: Self.maximumDocumentLength)
        let text = PageText.text(of: document, charset: { response.charset })
        return Array(text.utf8.prefix(Int(Self.maximumTextLength)))
    }

    private static func isDocument(_ response: ArchiveResponse) -> Bool {
        response.mediaType.map(mediaTypes.contains) ?? false
    }

    /// Returns the beginning of a body, which several pages can share.
    private func start(of body: ArchiveBody, length: UInt64) throws(ArchiveError) -> [UInt8] {
        let bytes = try body.bytes(in: 0..<min(length, body.length))
        try budget.decode(bytes.count)
        return bytes
    }

    /// Appends the HTML documents that a GET gave.
    private mutating func appendDocuments() throws(ArchiveError) {
        var documents: [ArchiveEntry] = []
        try archive.forEachEntry { entry throws(ArchiveError) in
            if try entry.role == .exchange, let response = try entry.response, response.status == 200,
                Self.isDocument(response), try entry.body != nil, try entry.request.method == "GET"
            {
                documents.append(entry)
            }
            return true
        }
        for entry in documents {
            guard let response = try entry.response, let body = try entry.body else { continue }
            let start = try start(of: body, length: UInt64(PageTitle.maximumScannedLength))
            let page = ArchivePage(
                url: try entry.url, time: try entry.time,
                title: PageTitle.title(in: start, charset: { response.charset }), status: response.status)
            try append(page, text: text(of: entry))
        }
    }

    private mutating func append(_ page: ArchivePage, text: [UInt8]?) throws(ArchiveError) {
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
        if let text { members.append(.init(name: "text", value: .string(String(decoding: text, as: UTF8.self)))) }
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
