// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

@testable import WebArchive
@testable import WebArchiveFormat

/// Asks an archive for everything that it holds, and notes what it says.
struct ReaderWalk {
    private let archive: ArchiveReader
    private var notes = Hasher()
    /// Bytes that may still be decoded: blocks that share much make little input into much output.
    private var bytesLeft = 8 << 20

    /// A number that stands for all that was noted.
    static func run(_ source: any ByteSource) -> Int {
        do {
            var walk = ReaderWalk(archive: try ArchiveReader(source: source))
            walk.run()
            return walk.notes.finalize()
        } catch {
            var notes = Hasher()
            notes.combine(error.description)
            return notes.finalize()
        }
    }

    private init(archive: ArchiveReader) {
        self.archive = archive
    }

    private mutating func note(_ work: (inout ReaderWalk) throws(ArchiveError) -> Void) {
        do {
            try work(&self)
        } catch {
            notes.combine(error.description)
            expect(error.code != .io && error.code != .invalidArgument, "\(error)")
        }
    }

    private static let mostEntries = 32
    /// Entries that are looked up, which takes far longer than reading them.
    private static let mostLookups = 4

    private mutating func run() {
        expect(archive.tornTail <= archive.fileLength, "a torn tail longer than the file")
        note { walk throws(ArchiveError) in walk.notes.combine(try walk.archive.metadata()) }
        note { walk throws(ArchiveError) in
            if let icon = try walk.archive.metadataBody("icon") { try walk.read(icon) }
        }
        var entries: [ArchiveEntry] = []
        note { walk throws(ArchiveError) in
            try walk.archive.forEachEntry { entry throws(ArchiveError) in
                entries.append(entry)
                return entries.count < Self.mostEntries
            }
        }
        expect(entries.count <= archive.entryCount, "more entries than there are")
        for entry in entries {
            note { walk throws(ArchiveError) in try walk.readRequest(entry) }
            note { walk throws(ArchiveError) in try walk.readAnswer(entry) }
        }
        for entry in entries.prefix(Self.mostLookups / 2) + entries.suffix(Self.mostLookups / 2) {
            note { walk throws(ArchiveError) in try walk.lookUp(entry) }
        }
    }

    private mutating func readRequest(_ entry: ArchiveEntry) throws(ArchiveError) {
        notes.combine(try entry.role)
        notes.combine(try entry.time?.nanoseconds)
        let request = try entry.request
        notes.combine(request.method)
        notes.combine(request.url)
        notes.combine(request.headers)
        if let body = try entry.requestBody { try read(body) }
    }

    private mutating func readAnswer(_ entry: ArchiveEntry) throws(ArchiveError) {
        if let body = try entry.body { try read(body) }
        guard let response = try entry.response else { return }
        notes.combine(response.status)
        notes.combine(response.headers)
        notes.combine(response.redirectTarget)
        notes.combine(try entry.modified?.nanoseconds)
        expect((100...999).contains(response.status), "status \(response.status)")
        let isShared = try entry.sharesResponse(with: entry)
        expect(isShared, "an entry that does not share its own response")
    }

    // MARK: - Bodies

    private mutating func read(_ body: ArchiveBody) throws(ArchiveError) {
        notes.combine(body.length)
        notes.combine(body.digest)
        guard body.length <= bytesLeft else { return try readEnds(body) }
        bytesLeft -= Int(body.length)
        let all = try body.bytes()
        notes.combine(all)
        expect(UInt64(all.count) == body.length, "\(all.count) bytes of a body of \(body.length)")
        for range in Self.ranges(all.count) {
            let part = try body.bytes(in: UInt64(range.lowerBound)..<UInt64(range.upperBound))
            expect(part.elementsEqual(all[range]), "bytes \(range) of a body differ from the whole")
        }
    }

    /// Some bytes at both ends of a body that claims to be long.
    private mutating func readEnds(_ body: ArchiveBody) throws(ArchiveError) {
        guard bytesLeft > 1 << 20 else { return }
        bytesLeft -= 1 << 20
        let count = min(body.length, 100)
        notes.combine(try body.bytes(in: body.length - count..<body.length))
        notes.combine(try body.bytes(in: 0..<count))
    }

    private static func ranges(_ count: Int) -> [Range<Int>] {
        [0..<0, count..<count, 0..<min(1, count), count / 3..<count - count / 3, max(0, count - 1)..<count]
    }

    // MARK: - Lookups

    private mutating func lookUp(_ entry: ArchiveEntry) throws(ArchiveError) {
        let key = try entry.keyBytes
        expect(key.count <= FormatLimits.maximumKeyLength, "a key of \(key.count) bytes")
        guard let url = try? CanonicalURL(utf8: key) else { return }
        for found in try archive.captures(of: url) {
            let foundKey = try found.keyBytes
            expect(foundKey == url.bytes, "a lookup finds another URL")
        }
        notes.combine(try archive.entry(for: url)?.time?.nanoseconds)
        for text in [url.description, "\(url)?v=1", "\(url)/"] {
            guard let other = try? CanonicalURL(text) else { continue }
            let method = text.utf8.count % 3 == 0 ? "HEAD" : "GET"
            let request = MatchRequest(url: other, method: method, headers: ["Accept-Language": "en"])
            let explanation = try Self.matcher(archive).explain(request)
            notes.combine(explanation.description)
            let match = try Self.matcher(archive).match(request)
            expect(match?.rules == explanation.match?.rules, "a match and its explanation differ")
        }
        if let body = try entry.body {
            for other in try archive.bodies(digest: body.digest) {
                expect(other.digest == body.digest, "a body of another digest")
            }
        }
    }

    private static func matcher(_ archive: ArchiveReader) -> ArchiveMatcher {
        ArchiveMatcher(
            archive, options: ArchiveMatcher.Options(rules: Set(MatchRule.allCases), ignoredParameters: ["v", "utm_*"]))
    }
}
