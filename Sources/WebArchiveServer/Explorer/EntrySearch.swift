// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveReplay

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A search through the entries of all layers, in the order of layers and keys, page by page.
///
/// A request looks at a bounded number of entries; where it ends, the next one goes on.
struct EntrySearch: Sendable {
    /// The text to search for: words that all stand in the URL, or the beginning of one with its scheme.
    var text = ""
    /// The beginning of a media type, in lower case.
    var type = ""
    /// A status, or its first digit.
    var status = ""
    /// `response`, `redirect`, or `none` for entries without a response.
    var kind = ""
    var method = ""
    var layer: Int?
    var after: EntryID?
    /// Entries that are given at most.
    var limit = Self.usualLimit

    static let usualLimit = 50
    static let limits = 1...500
    /// Entries that one request looks at.
    static let longestLook = 20_000
    /// Bytes of URLs that one request looks at.
    private static let longestText = 4 << 20
    /// Bytes of URLs that a page has, about.
    private static let longestRows = 256 << 10
    /// Bytes of a search text that count.
    private static let longestQuestion = 2000
    /// Words of a search text that count.
    private static let mostWords = 16
    /// Bytes of the other fields that count.
    private static let longestField = 100

    struct Page: Sendable {
        var rows: [EntryRow] = []
        /// Entries that were looked at.
        var looked = 0
        /// The entry after which the next page starts; nil at the end.
        var next: EntryID?
    }

    init(_ fields: QueryFields = QueryFields("")) {
        func field(_ name: String, atMost limit: Int = Self.longestField) -> String {
            String(decoding: (fields[name] ?? "").utf8.prefix(limit), as: UTF8.self)
        }
        text = field("q", atMost: Self.longestQuestion)
        type = field("type").asciiLowercased
        status = field("status").filter { $0 != "x" }
        kind = field("kind")
        method = field("method")
        layer = fields["layer"].flatMap { Int($0) }
        after = fields["after"].flatMap(EntryID.init)
        if let limit = fields["limit"].flatMap({ Int($0) }) {
            self.limit = min(max(limit, Self.limits.lowerBound), Self.limits.upperBound)
        }
    }

    /// Throws `damaged` or `io`.
    func run(_ site: ReplaySite) throws(ArchiveError) -> Page {
        let (prefix, words) = question
        var page = Page()
        var (textLength, rowsLength) = (0, 0)
        var isCut = false
        for (number, archive) in site.layers.enumerated() where layer == nil || layer == number {
            if let after, number < after.layer { continue }
            var last: EntryID?
            let start = after?.layer == number ? after?.entry(in: site) : nil
            if let after, after.layer == number, start == nil { continue }
            try archive.forEachEntry(prefix: prefix, after: start) { entry throws(ArchiveError) in
                let key = try entry.keyBytes
                guard page.looked < Self.longestLook, textLength < Self.longestText else {
                    isCut = true
                    return false
                }
                if Self.has(words, in: key), matches(entry) {
                    guard page.rows.count < limit, rowsLength < Self.longestRows else {
                        isCut = true
                        return false
                    }
                    page.rows.append(EntryRow(EntryID(layer: number, entry), entry))
                    rowsLength += key.count
                }
                page.looked += 1
                textLength += key.count
                last = EntryID(layer: number, entry)
                return true
            }
            if isCut {
                // Nothing of this layer was looked at: the one before ended with the limit.
                page.next = last ?? start.map { EntryID(layer: number, $0) } ?? page.next
                return page
            }
            if let last { page.next = last }
        }
        page.next = nil
        return page
    }

    private var question: (prefix: String, words: [[UInt8]]) {
        let words = text.split(separator: " ").prefix(Self.mostWords).map { word in
            var bytes: [UInt8] = []
            PercentEncoding.appendNormalized(Array(word.utf8)[...], to: &bytes)
            return bytes
        }
        guard words.count == 1, let word = words.first, let mark = text.firstRange(of: "://") else {
            return ("", words.map { $0.map(\.lowercasedASCII) })
        }
        // Scheme and host are lower case in every key.
        let start = text[mark.upperBound...].firstIndex(of: "/") ?? text.endIndex
        let length = text[..<start].utf8.count
        let prefix = word.prefix(length).map(\.lowercasedASCII) + word.dropFirst(length)
        return (String(decoding: prefix, as: UTF8.self), [])
    }

    private static func has(_ words: [[UInt8]], in key: [UInt8]) -> Bool {
        guard !words.isEmpty else { return true }
        let key = key.map(\.lowercasedASCII)
        return words.allSatisfy { word in
            key.withUnsafeBytes { key in word.withUnsafeBytes { word in find(word, in: key) } }
        }
    }

    private static func find(_ word: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer) -> Bool {
        guard let first = word.first, var place = text.baseAddress, let bytes = word.baseAddress else {
            return word.isEmpty
        }
        let end = place + text.count
        while end - place >= word.count, let found = memchr(place, CInt(first), end - place - word.count + 1) {
            if memcmp(found, bytes, word.count) == 0 { return true }
            place = UnsafeRawPointer(found) + 1
        }
        return false
    }

    /// An entry that cannot be read is found by its URL alone.
    private func matches(_ entry: ArchiveEntry) -> Bool {
        if type.isEmpty, status.isEmpty, kind.isEmpty, method.isEmpty { return true }
        guard let outline = try? entry.outline else {
            return kind == "none" && type.isEmpty && status.isEmpty && hasMethod(entry)
        }
        return (type.isEmpty || (outline.mediaType ?? "").utf8.starts(with: type.utf8))
            && (status.isEmpty || String(outline.status).hasPrefix(status))
            && (kind.isEmpty || kind == (outline.isRedirect ? "redirect" : "response")) && hasMethod(entry)
    }

    private func hasMethod(_ entry: ArchiveEntry) -> Bool {
        method.isEmpty || (try? entry.hasMethod(method)) == true
    }
}
