// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// The `log` of a HAR file, as an archive gives it.
struct HARLog {
    private let archive: ArchiveReader
    private let json: JSONOutput
    private let budget = InterchangeBudget()
    private let repeated: RepeatedBodies
    /// The numbers of the pages of a URL, by the MD5 of its canonical form.
    private var pages: [ContentDigest: [Int]] = [:]
    private(set) var entryCount = 0

    init(_ archive: ArchiveReader, _ json: JSONOutput, _ repeated: RepeatedBodies) {
        (self.archive, self.json, self.repeated) = (archive, json, repeated)
        budget.readLength = archive.fileLength
    }

    mutating func write(creatorVersion: String) throws(ArchiveError) {
        json.beginObject()
        try json.member("log")
        json.beginObject()
        try json.member("version", "1.2")
        try json.member(
            "creator", .object(HARLog.members([("name", "webarc"), ("version", .string(creatorVersion))])))
        try json.member("pages")
        json.beginArray()
        for number in 0..<archive.pageCount { try writePage(number) }
        json.endArray()
        try json.member("entries")
        json.beginArray()
        // An archive lists the newest capture of a URL first. The oldest one is first here, so that an import restores their order.
        var captures: [ArchiveEntry] = []
        try archive.forEachEntry { entry throws(ArchiveError) in
            if let last = captures.last, try last.keyBytes != entry.keyBytes {
                try write(captures)
                captures = []
            }
            captures.append(entry)
            return true
        }
        try write(captures)
        json.endArray()
        json.endObject()
        json.endObject()
    }

    /// Writes the captures of a URL, of which the newest one is first.
    private mutating func write(_ captures: [ArchiveEntry]) throws(ArchiveError) {
        for entry in captures.reversed() {
            let role = try entry.role
            guard role.isServed || role == .withoutBody else { continue }
            let response = try entry.response
            let failure = try response == nil ? entry.failure : nil
            guard response != nil || failure != nil else { continue }
            json.item()
            try HAREntryWriter(entry, json, budget, repeated).write(response, failure: failure, page: page(of: entry))
            entryCount += 1
        }
    }

    private mutating func writePage(_ number: Int) throws(ArchiveError) {
        let page = try archive.page(number).page
        if let url = try? CanonicalURL(page.url) {
            pages[ContentDigest(hashing: url.bytes), default: []].append(number)
        }
        json.item()
        json.beginObject()
        try json.member("startedDateTime", .string(Self.text(page.time)))
        try json.member("id", .string(Self.identifier(ofPage: number)))
        // Without a title as Chromium has it.
        try json.member("title", .string(page.title ?? page.url))
        try json.member("pageTimings", .object(Self.members([("onContentLoad", -1), ("onLoad", -1)])))
        try json.member("_url", .string(page.url))
        json.endObject()
    }

    private static func identifier(ofPage number: Int) -> String { "page_\(number + 1)" }

    /// Returns the page of which an entry is the document: the newest one that is not newer than the entry.
    private func page(of entry: ArchiveEntry) throws(ArchiveError) -> String? {
        guard let numbers = pages[ContentDigest(hashing: try entry.keyBytes)], try entry.method == "GET" else {
            return nil
        }
        let time = try entry.time
        var found: (number: Int, time: ArchiveTime?)?
        for number in numbers.prefix(Self.maximumPagesOfURL) {
            let own = try archive.page(number).page.time
            if let found {
                let (isNewer, foundIsNewer) = (ArchiveTime.isOlder(time, own), ArchiveTime.isOlder(time, found.time))
                // Of pages that are newer than the entry, which has none then, the first one remains.
                guard foundIsNewer ? !isNewer : !isNewer && !ArchiveTime.isOlder(own, found.time) else { continue }
            }
            found = (number, own)
        }
        return found.map { Self.identifier(ofPage: $0.number) }
    }

    /// The maximum number of pages of one URL that are compared with an entry.
    private static let maximumPagesOfURL = 64

    /// Returns a time in the form of ISO 8601, with three digits of a second or as many as it has.
    static func text(_ time: ArchiveTime?) -> String {
        guard let time else { return "1970-01-01T00:00:00.000Z" }
        let remainder = time.nanoseconds % 1_000_000_000
        let nanoseconds = remainder < 0 ? remainder + 1_000_000_000 : remainder
        var digits = Array(String(1_000_000_000 + nanoseconds).utf8.dropFirst())
        while digits.count > 3, digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return "\(Timestamp.text(time).dropLast()).\(String(decoding: digits, as: UTF8.self))Z"
    }

    static func members(_ members: [(String, JSONValue)]) -> [JSONValue.Member] {
        members.map { JSONValue.Member(name: $0.0, value: $0.1) }
    }
}
