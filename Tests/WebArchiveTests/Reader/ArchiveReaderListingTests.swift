// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct ArchiveReaderListingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let urls = [
        "http://a/", "http://a/b", "http://a/b/", "http://a/b/c", "http://a/bc", "http://a/c", "http://b/", "x:y",
    ]

    /// Against a plain search of all that was written, for one commit and for several.
    @Test(arguments: [1, 2, 5]) func byPrefixInTheOrderOfKeys(commitCount: Int) throws {
        var random = SeededGenerator.printed()
        var counter: Int64 = 0
        let commits = Commits(
            (0..<commitCount).map { _ in
                (0..<40).map { _ in
                    counter += 1
                    let url = Self.urls[Int.random(in: 0..<Self.urls.count, using: &random)]
                    return Exchange(url, time: ArchiveTime(seconds: counter))
                }
            })
        for (number, commit) in commits.commits.enumerated() { try folder.archive(commit, appending: number > 0) }
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        for prefix in Self.urls + ["", "http://a/b/c/d", "http", "http:/", "z", "http://a/ba", "http://a/\u{7F}"] {
            let expected = commits.listing(prefix: prefix)
            let entries = try reader.entries(prefix: prefix)
            #expect(try entries.map { try $0.key } == expected.map(\.key), "\(prefix)")
            #expect(try entries.map { try $0.time } == expected.map(\.time), "\(prefix), seed \(random.seed)")
        }
    }

    /// Keys of one origin, and keys without any, end the search as origins do.
    @Test(arguments: ["http://u%@h/", "x:%", "http://h%/"]) func theSearchForOriginsEnds(_ form: String) throws {
        try folder.archive((0..<200).map { Exchange(form.replacing("%", with: "\(1000 + $0)")) }, appending: false)
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        let some = try reader.originCounts(atMost: 10)
        #expect(!some.isComplete && some.counts.values.reduce(0, +) <= 20)
        let all = try reader.originCounts(atMost: 201)
        #expect(all.isComplete && all.counts.values.reduce(0, +) == (form.hasPrefix("http") ? 200 : 0))
        #expect(try reader.origins().count == all.counts.count)
    }

    /// An error leaves the position as it was, so that it comes again, and the entries before it have been given.
    @Test func aCursorStopsAtDamage() throws {
        // Long enough for some pages of keys.
        var random = SeededGenerator.printed()
        let urls = (1000..<4000).map { "http://a/\($0)-\(UInt64.random(in: 0 ... .max, using: &random))" }
        try folder.archive(urls.map { Exchange($0) })
        let bytes = try folder.read("a.webarc")
        // One of the keys that are stored whole, in a page that the search for the first entry does not touch.
        let places = bytes.indices.filter { bytes[$0...].starts(with: "http://a/".utf8) }
        var cursor = try #require(
            places.dropFirst().lazy.compactMap { place in
                var damaged = bytes
                damaged[place] ^= 1
                return try? ArchiveReader(bytes: damaged).entryCursor()
            }.first)
        var found: [String] = []
        let first = archiveError { while let entry = try cursor.next() { found.append(try entry.key) } }
        #expect(first?.code == .damaged)
        #expect(!found.isEmpty && found.count < urls.count && found == Array(urls.prefix(found.count)))
        #expect(archiveError { _ = try cursor.next() }?.code == .damaged)
    }

    /// Whatever entry a page ended with, the next one has the rest.
    @Test(arguments: [1, 4]) func goesOnAfterAnEntry(commitCount: Int) throws {
        var random = SeededGenerator.printed()
        for number in 0..<commitCount {
            let urls = (0..<20).map { _ in Self.urls[Int.random(in: 0..<Self.urls.count, using: &random)] }
            try folder.archive(urls.map { Exchange($0) }, appending: number > 0)
        }
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        for prefix in ["", "http://a/b", "x:"] {
            let all = try reader.entries(prefix: prefix).map(\.position)
            for (number, position) in all.enumerated() {
                var rest: [EntryPosition] = []
                try reader.forEachEntry(prefix: prefix, after: reader.entry(at: position)) {
                    entry throws(ArchiveError) in
                    rest.append(entry.position)
                    return true
                }
                #expect(rest == Array(all[(number + 1)...]), "\(prefix), \(number), seed \(random.seed)")
            }
        }
        // An entry that stands before all of a prefix, and one behind.
        let first = try #require(try reader.entries(prefix: "http://a/").first)
        let last = try #require(try reader.entries().last)
        var (before, behind) = (0, 0)
        try reader.forEachEntry(prefix: "http://b/", after: first) { _ throws(ArchiveError) in
            before += 1
            return true
        }
        try reader.forEachEntry(prefix: "http://a/", after: last) { _ throws(ArchiveError) in
            behind += 1
            return true
        }
        #expect(try before == reader.entries(prefix: "http://b/").count && behind == 0)
        #expect(reader.entry(at: EntryPosition(commit: UInt32(commitCount), row: 0)) == nil)
        #expect(reader.entry(at: EntryPosition(commit: 0, row: 20)) == nil)
    }

    @Test func endsWhenTold() throws {
        try folder.archive(Self.urls.map { Exchange($0) })
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        for limit in 1...Self.urls.count {
            var seen: [String] = []
            try reader.forEachEntry { entry throws(ArchiveError) in
                seen.append(try entry.key)
                return seen.count < limit
            }
            #expect(seen == Array(Self.urls[..<limit]))
        }
    }

    @Test func errorsOfTheWorkComeThrough() throws {
        try folder.archive(Self.urls.map { Exchange($0) })
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        var calls = 0
        let error = archiveError {
            try reader.forEachEntry { _ throws(ArchiveError) in
                calls += 1
                throw ArchiveError(.cancelled, "enough")
            }
        }
        #expect(error?.code == .cancelled && calls == 1)
    }

    @Test func damagedMetadata() throws {
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        try writer.setMetadata("icon", to: writer.addBody([1]))
        try writer.commit()
        let icon = try folder.read("a.webarc")
        #expect(try ArchiveReader(bytes: icon).metadataBody("icon")?.bytes() == [1])
        var nameless = RowSurgeon(icon)
        nameless.set("Metadata", "name", to: 0)
        #expect(archiveError { _ = try ArchiveReader(bytes: nameless.bytes).metadata() }?.code == .damaged)
        #expect(archiveError { _ = try ArchiveReader(bytes: nameless.bytes).metadataBody("x") }?.code == .damaged)

        let second = try ArchiveWriter(creating: folder.path("b.webarc"))
        try second.setMetadata("icon", to: second.addBody([1]))
        try second.setMetadata("title", to: "t")
        try second.commit()
        var both = RowSurgeon(try folder.read("b.webarc"))
        both.set("Metadata", "value", to: 1)
        #expect(archiveError { _ = try ArchiveReader(bytes: both.bytes).metadata() }?.code == .damaged)
    }
}
