// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The rows of a commit while it is being written, in the order in which they were added.
///
/// Strings, lists, requests and responses are numbered from 1; as in references, 0 is null. Bodies are numbered through all
/// commits; those of this commit get their final rows when the index is encoded. Specification section 7.
struct IndexDraft {
    /// An entry, whose key is stored separately.
    struct Entry {
        /// The position of the key in the text of keys.
        var keyStart: UInt64
        /// The length of the key, in bytes.
        var keyLength: UInt16
        /// The role, by its number in the format.
        var role: UInt8
        /// The number of the request; 0 for a plain `GET`.
        var request: UInt32
        /// The number of the URL's string; 0 if it is the key.
        var url: UInt32
        /// The stored reference to the response: 1 + 2 × number, + 1 for a redirect.
        var answer: UInt32
        /// The time, in nanoseconds since 1970; 0 for unknown.
        var time: Int64
        /// The number of the string with the reason for the missing response; 0 for none.
        var failure: UInt32 = 0
    }

    /// A request; equal ones are one row.
    struct Request: Hashable {
        /// The number of the method's string; 0 for `GET`.
        var method: UInt32
        /// The number of the header list; 0 for none.
        var headers: UInt32
        /// The number of the first fill string; 0 for none.
        var fill: UInt32
        /// The number of the body, through all commits; 0 for none.
        var body: UInt32
        /// The digest of that body, by which entries are sorted (section 8.2).
        var bodyDigest: ContentDigest?
        /// The number of the version's string; 0 for unknown.
        var version: UInt32 = 0
        /// The bytes as they were received.
        var original = Original()
    }

    /// The bytes of a message as they were received, where its row does not give them.
    struct Original: Hashable {
        /// The numbers of bodies, through all commits; 0 for none.
        var head: UInt32 = 0, wire: UInt32 = 0
    }

    /// A response or a redirect.
    struct Answer {
        /// The time of the last modification, in nanoseconds since 1970; 0 for unknown.
        var modified: Int64
        /// The status, 100 to 999.
        var status: UInt16
        /// The numbers of strings, of a header list and its first fill string, and of a body; 0 for none.
        var reason, headers, fill, mediaType, charset, body, address, codings, target: UInt32
        /// The numbers of strings; 0 for none.
        var version: UInt32 = 0, truncated: UInt32 = 0, absent: UInt32 = 0
        /// Whether the source had no header fields.
        var isDerived = false
        /// The bytes as they were received.
        var original = Original()
    }

    /// A body of this commit.
    struct Body {
        /// The MD5 of the body.
        var digest: ContentDigest
        /// The number of the first block within this commit; unused for an empty body.
        var block: UInt32
        /// The offset of the body in its first block, in bytes.
        var offset: UInt32
        /// The length of the body, in bytes.
        var length: UInt64
    }

    /// A block of this commit.
    struct Block {
        /// The offset of the stored bytes in `BLKS`, in bytes.
        var offset: UInt64
        /// The decoded length, in bytes.
        var length: UInt32
        /// The CRC of the stored bytes.
        var checksum: UInt32
        /// Whether the coding is LZ4; else the block is stored raw.
        var isCompressed: Bool
        /// The number of the dictionary, from 1, counted through all commits; 0 for none.
        var dictionary: UInt32
    }

    /// A dictionary of this commit.
    struct Dictionary {
        /// The number of the string with the purpose of the dictionary; 0 for none.
        var name: UInt32
        /// The number of the body, through all commits; 0 until it is stored.
        var body: UInt32
    }

    /// A record of a WARC file.
    struct Record {
        /// The numbers of strings, of a header list and of its first fill string; 0 for none.
        var version: UInt32 = 0, headers: UInt32 = 0, fill: UInt32 = 0, end: UInt32 = 0
        /// The numbers of bodies, through all commits; 0 for none.
        var head: UInt32 = 0, block: UInt32 = 0
        /// The number of an entry, through all commits, those of this one in the order of the draft; 0 for none.
        var entry: UInt32 = 0
        /// The part of the entry that the block is, by its number in the format.
        var part: UInt8 = 0
    }

    /// A page of a list of pages.
    struct Page {
        /// The numbers of strings; 0 for none.
        var url: UInt32, title: UInt32 = 0
        /// The time of the capture, in nanoseconds since 1970; 0 for the newest.
        var time: Int64 = 0
        /// The numbers of bodies, through all commits; 0 for none.
        var text: UInt32 = 0, screenshot: UInt32 = 0
        /// The status of the document; 0 for unknown.
        var status: UInt16 = 0
        /// Whether a crawl began here.
        var isSeed = false
        /// The number of links between the page and a seed.
        var depth: UInt32 = 0
    }

    /// A metadata value: a text, a body, or neither.
    struct Metadata {
        /// The number of the name's string.
        var name: UInt32
        /// The number of the value's string; 0 for none.
        var value: UInt32
        /// The number of the body, through all commits; 0 for none.
        var body: UInt32
    }

    var strings = StringPool()
    var lists = HeaderListPool()
    var fieldValues = FieldValues()
    private let keyText = KeyText()
    private var entriesByKey = HashedRows()
    private(set) var entries = RowList<Entry>()
    var requests: [Request] = []
    var requestNumbers: [Request: UInt32] = [:]
    private(set) var responses = AnswerRows()
    private(set) var redirects = AnswerRows()
    var bodies = RowList<Body>()
    var blocks = RowList<Block>()
    var dictionaries: [Dictionary] = []
    var metadata: [Metadata] = []
    var records = RowList<Record>()
    var pages = RowList<Page>()

    /// The number of rows of each class in earlier commits.
    private let firstRows: [UInt32]

    init(firstRow: (IndexClass) -> UInt32 = { _ in 0 }) { firstRows = IndexClass.allCases.map(firstRow) }

    /// Returns the number of rows of a class in earlier commits.
    func firstRow(_ owner: IndexClass) -> UInt32 { firstRows[owner.rawValue] }

    /// Whether there are no additions. Blocks alone do not count.
    var isEmpty: Bool { entries.isEmpty && metadata.isEmpty && bodies.isEmpty && records.isEmpty && pages.isEmpty }

    /// Adds an entry and returns its number in this commit, from 0.
    mutating func addEntry(
        key: CanonicalURL, url: UInt32, request: UInt32, answer: UInt32, time: Int64, role: ArchiveEntry.Role,
        failure: UInt32 = 0
    ) throws(ArchiveError) -> Int {
        guard UInt64(firstRow(.entry)) + UInt64(entries.count) < FormatLimits.maximumRowCount else {
            throw ArchiveError(.limitExceeded, "too many entries")
        }
        entries.append(
            Entry(
                keyStart: keyText.append(key.bytes), keyLength: UInt16(key.bytes.count), role: UInt8(role.rawValue),
                request: request, url: url, answer: answer, time: time, failure: failure))
        return entries.count - 1
    }

    /// Adds a request, and returns its number from 1.
    mutating func addRequest(_ request: Request) -> UInt32 {
        if let number = requestNumbers[request] { return number }
        requests.append(request)
        requestNumbers[request] = UInt32(requests.count)
        return UInt32(requests.count)
    }

    /// Adds a response and returns the reference to it.
    mutating func addAnswer(_ answer: Answer, isRedirect: Bool) throws(ArchiveError) -> UInt32 {
        let count = isRedirect ? redirects.count : responses.count
        let row = UInt64(firstRow(isRedirect ? .redirect : .response)) + UInt64(count)
        guard let reference = UInt32(exactly: 1 + 2 * row + (isRedirect ? 1 : 0)) else {
            throw ArchiveError(.limitExceeded, "too many responses; the limit is 2^31")
        }
        if isRedirect { redirects.append(answer) } else { responses.append(answer) }
        return reference
    }

    /// Returns the key of an entry, in memory that is valid for the lifetime of the draft.
    func key(_ entry: Int) -> UnsafeRawBufferPointer { Self.key(entry, entries, keyText) }

    private static func key(_ entry: Int, _ entries: RowList<Entry>, _ text: KeyText) -> UnsafeRawBufferPointer {
        let entry = entries[entry]
        return text.key(at: entry.keyStart, length: Int(entry.keyLength))
    }

    /// Makes an entry the one that ``entry(_:)`` finds under its key.
    mutating func makeFindable(_ entry: Int) {
        let key = key(entry)
        // Not of self, a part of which changes meanwhile.
        let keyOf = { [entries, keyText] (row: UInt32) in Self.key(Int(row), entries, keyText) }
        entriesByKey.set(
            UInt32(entry), Self.hash(key), hashOf: { Self.hash(keyOf($0)) },
            replacing: { keyOf($0).isEqual(to: key) })
    }

    /// Returns the entry that was last made findable under a key.
    func entry(_ key: CanonicalURL) -> Int? {
        key.bytes.withUnsafeBytes { bytes in
            entriesByKey.first(Self.hash(bytes)) { self.key(Int($0)).isEqual(to: bytes) }.map(Int.init)
        }
    }

    private static func hash(_ key: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        return hasher.finalize()
    }

    /// Returns entries in the order of the format: section 8.2.
    ///
    /// - Parameter ranks: the places of the interned strings in their order, which may be too long to be compared again and again.
    func sortedEntries(_ ranks: [UInt32]) -> [UInt32] {
        (0..<UInt32(entries.count)).sorted { left, right in
            let keys = key(Int(left)).compareBytes(key(Int(right)))
            if keys != 0 { return keys < 0 }
            let (a, b) = (entries[Int(left)], entries[Int(right)])
            let requests = compareRequests(a.request, b.request, ranks)
            if requests != 0 { return requests < 0 }
            return a.time != b.time ? a.time > b.time : left > right
        }
    }

    private func compareRequests(_ left: UInt32, _ right: UInt32, _ ranks: [UInt32]) -> Int {
        guard left != right else { return 0 }
        let none = Request(method: 0, headers: 0, fill: 0, body: 0, bodyDigest: nil)
        let a = left == 0 ? none : requests[Int(left) - 1]
        let b = right == 0 ? none : requests[Int(right) - 1]
        if a.method != b.method { return isOrdered(a.method, b.method, ranks) ? -1 : 1 }
        switch (a.bodyDigest, b.bodyDigest) {
        case (nil, nil): return 0
        case (nil, _): return -1
        case (_, nil): return 1
        case (let a?, let b?): return a < b ? -1 : a == b ? 0 : 1
        }
    }

    /// Returns whether a method is ordered before another one; 0 is `GET`, which need not be among the strings.
    private func isOrdered(_ left: UInt32, _ right: UInt32, _ ranks: [UInt32]) -> Bool {
        guard left == 0 || right == 0 else { return ranks[Int(left) - 1] < ranks[Int(right) - 1] }
        func text(_ number: UInt32) -> [UInt8] { number == 0 ? Array("GET".utf8) : strings.text(number) }
        return text(left).lexicographicallyPrecedes(text(right))
    }
}
