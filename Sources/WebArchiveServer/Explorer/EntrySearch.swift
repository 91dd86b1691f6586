// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebArchiveReplay

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A search through the entries of all layers, in the order of layers and keys, page by page.
///
/// A request continues until it has a page of entries, is through the archives, or has used up its budget; then the next one continues.
struct EntrySearch: Sendable {
    /// The text to search for: words that all occur in the URL or in the title of a page, or the beginning of a URL with its scheme.
    var text = ""
    /// The beginning of a media type, in lower case.
    var type = ""
    /// A status, or its first digit.
    var status = ""
    /// `response`, `redirect`, or `none` for entries without a response.
    var kind = ""
    /// The exact method; empty for any.
    var method = ""
    /// The number of the layer to which the search is limited; nil for all.
    var layer: Int?
    /// The last entry of the previous page, after which this one begins; nil for the first page.
    var after: EntryID?
    /// The maximum number of returned entries.
    var limit = Self.usualLimit

    /// The limit of a page whose query has none.
    static let usualLimit = 50
    /// The range of limits; a value outside of it is taken to its nearest end.
    static let limits = 1...500
    /// The limit of the data that one request decodes of the indexes, in bytes: that of about a million entries, a few seconds of work.
    static let usualBudget = 128 << 20
    /// The approximate length of URLs of a page, in bytes.
    private static let maximumRowsLength = 256 << 10
    /// The maximum length of a search text, in bytes.
    private static let maximumQueryLength = 2000
    /// The length of comparisons with one key that cost less than decoding it, in bytes.
    private static let shortComparison = 1024
    /// The maximum number of words of a search text.
    private static let maximumWordCount = 16
    /// The maximum length of the other fields, in bytes.
    private static let maximumFieldLength = 100

    /// The entries that one request found, and the position of the next one.
    struct Page: Sendable {
        /// The entries that match, in the order of layers and keys.
        var rows: [EntryRow] = []
        /// The number of examined entries.
        var looked = 0
        /// The entry after which the next page starts; nil at the end.
        var next: EntryID?
        /// Whether the request ended because of its limit, and not with a full page.
        var isCut = false
        /// The number of pages whose title was not read, since one request reads a limited number of them.
        var unreadTitles = 0
        /// Whether ``EntrySearch/after`` names no entry: its archive was replaced, and is searched from its beginning.
        var isRestarted = false
    }

    /// Takes a search from the fields of a query; those that are too long are truncated, and unreadable ones are ignored.
    init(_ fields: QueryFields = QueryFields("")) {
        func field(_ name: String, atMost limit: Int = Self.maximumFieldLength) -> String {
            String(decoding: (fields[name] ?? "").utf8.prefix(limit), as: UTF8.self)
        }
        text = field("q", atMost: Self.maximumQueryLength)
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

    /// Runs the search, and returns one page of its results.
    ///
    /// - Parameters:
    ///   - titles: the titles of pages, which are searched and shown; nil for URLs only.
    ///   - budget: the limit on decoded data of the indexes, in bytes.
    /// - Throws: `damaged` or `io`; `limitExceeded` if the budget does not suffice for one entry.
    func run(
        _ site: ReplaySite, titles: TitleReader? = nil, budget: Int = Self.usualBudget
    ) throws(ArchiveError) -> Page {
        let (prefix, words) = question
        let budget = DecodingBudget(for: "a search", bytes: budget)
        // The cost in bytes of comparing words with one byte of a key, at worst.
        let effort = words.reduce(0) { $0 + 1 + $1.inURL.count / 256 }
        let position = after?.entry(in: site)
        // A missing layer: as many archives have been removed, and the first one may have changed.
        let firstLayer = after.map { $0.layer < site.layers.count ? $0.layer : 0 } ?? 0
        var page = Page()
        page.isRestarted = after != nil && position == nil
        var rowsLength = 0
        for (number, archive) in site.layers.enumerated() where layer == nil || layer == number {
            guard number >= firstLayer else { continue }
            let start = number == firstLayer ? position : nil
            var last: EntryID?
            var isFull = false
            do throws(ArchiveError) {
                try archive.limited(to: budget).forEachEntry(prefix: prefix, after: start) {
                    entry throws(ArchiveError) in
                    let key = try entry.keyBytes
                    // Comparing takes its time as well where keys are long.
                    let comparison = key.count * effort
                    if comparison > Self.shortComparison { try budget.take(comparison) }
                    let id = EntryID(layer: number, entry)
                    if try has(words, key, entry, id, titles, budget, &page) {
                        isFull = page.rows.count >= limit || rowsLength >= Self.maximumRowsLength
                        guard !isFull else { return false }
                        let row = EntryRow(id, entry, title: titles?.title(of: entry, id).text)
                        // A text that is not read because of the budget is not damaged.
                        guard !budget.isUsedUp else { return false }
                        page.rows.append(row)
                        rowsLength += key.count + (row.title?.utf8.count ?? 0)
                    }
                    guard !budget.isUsedUp else { return false }
                    page.looked += 1
                    last = id
                    return true
                }
            } catch {
                guard budget.isUsedUp, page.looked > 0 else { throw error }
            }
            page.isCut = budget.isUsedUp
            if isFull || page.isCut {
                // Nothing of this layer was examined: the previous one ended with the limit.
                page.next = last ?? start.map { EntryID(layer: number, $0) } ?? page.next
                guard page.next != nil else { throw Self.tooLarge }
                return page
            }
            if let last { page.next = last }
        }
        page.next = nil
        return page
    }

    /// Returns the number of entries of the searched archives.
    func count(in site: ReplaySite) -> Int {
        site.layers.enumerated().reduce(0) { $0 + (layer == nil || layer == $1.offset ? $1.element.entryCount : 0) }
    }

    /// The error of a search whose whole budget one entry needs, so that a next request would come no further.
    private static let tooLarge = ArchiveError(
        .limitExceeded, "an entry has more text than a search may read")

    /// Returns whether an entry is found: its fields match, and each word is in its URL or in the title of its page, which is read last, as it
    /// costs most.
    private func has(
        _ words: [Word], _ key: [UInt8], _ entry: ArchiveEntry, _ id: EntryID, _ titles: TitleReader?,
        _ budget: DecodingBudget, _ page: inout Page
    ) throws(ArchiveError) -> Bool {
        let missing = Self.missing(words, in: key)
        guard matches(entry) else { return false }
        guard !missing.isEmpty else { return true }
        switch titles?.title(of: entry, id) {
        case .title(let title):
            // As bytes: comparing characters takes quadratic time where a title is all marks.
            let folded = Array(PageTitle.folded(title).utf8)
            // Folding costs more than decoding, and each word at worst its length for each byte.
            try budget.take(folded.count * missing.reduce(8) { $0 + 1 + $1.inTitle.utf8.count / 16 })
            return missing.allSatisfy { word in Self.contains(Array(word.inTitle.utf8), in: folded) }
        case .unread:
            page.unreadTitles += 1
            return false
        case .absent, nil:
            return false
        }
    }

    /// A word of a search, in the two forms in which it may occur.
    private struct Word {
        /// The percent-encoded word, in lower case.
        let inURL: [UInt8]
        /// The word as titles are compared: ``PageTitle/folded(_:)``.
        let inTitle: String
    }

    /// The text of the search in the form in which keys are compared: either the beginning of a key, or words.
    ///
    /// A single word with `://` is the beginning of a URL. It is normalized as the keys are (specification section
    /// 8.1).
    private var question: (prefix: String, words: [Word]) {
        let words = text.split(separator: " ").prefix(Self.maximumWordCount)
        func normalized(_ word: Substring) -> [UInt8] {
            var bytes: [UInt8] = []
            PercentEncoding.appendNormalized(Array(word.utf8)[...], to: &bytes)
            return bytes
        }
        guard words.count == 1, let word = words.first.map(normalized), let mark = text.firstRange(of: "://") else {
            return ("", words.map { Word(inURL: normalized($0).map(\.lowercasedASCII), inTitle: PageTitle.folded($0)) })
        }
        // Scheme and host are lower case in every key.
        let start = text[mark.upperBound...].firstIndex(of: "/") ?? text.endIndex
        let length = text[..<start].utf8.count
        let prefix = word.prefix(length).map(\.lowercasedASCII) + word.dropFirst(length)
        return (String(decoding: prefix, as: UTF8.self), [])
    }

    /// Returns the words that are not in a key, which is compared without regard to the case of ASCII letters.
    private static func missing(_ words: [Word], in key: [UInt8]) -> [Word] {
        guard !words.isEmpty else { return [] }
        let key = key.map(\.lowercasedASCII)
        return words.filter { !contains($0.inURL, in: key) }
    }

    private static func contains(_ word: [UInt8], in text: [UInt8]) -> Bool {
        text.withUnsafeBytes { text in word.withUnsafeBytes { word in find(word, in: text) } }
    }

    /// Returns whether a word is in a text; takes at worst the product of their lengths.
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

    /// Returns whether the fields match; an unreadable entry is found only by its URL.
    private func matches(_ entry: ArchiveEntry) -> Bool {
        if type.isEmpty, status.isEmpty, kind.isEmpty, method.isEmpty { return true }
        let outline: AnswerOutline?
        do { outline = try entry.outline } catch { return false }
        guard let outline else {
            return ["", "none"].contains(kind) && type.isEmpty && status.isEmpty && hasMethod(entry)
        }
        return (type.isEmpty || (outline.mediaType ?? "").utf8.starts(with: type.utf8))
            && (status.isEmpty || String(outline.status).hasPrefix(status))
            && (kind.isEmpty || kind == (outline.isRedirect ? "redirect" : "response")) && hasMethod(entry)
    }

    /// Returns whether an entry has the method of the search; one whose method cannot be read has none.
    private func hasMethod(_ entry: ArchiveEntry) -> Bool {
        method.isEmpty || (try? entry.hasMethod(method)) == true
    }
}
