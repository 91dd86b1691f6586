// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Rows and references through several commits: specification section 6.
@Suite struct ArchiveIndexTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func rowsAreNumberedThroughAllCommits() throws {
        for commit in 0..<3 {
            let exchanges = (0...commit).map { Exchange("http://a/\(commit)/\($0)", body: [UInt8(commit), UInt8($0)]) }
            try folder.archive(exchanges, appending: commit > 0)
        }
        let index = try ArchiveReader(path: folder.path("a.webarc")).index
        #expect(index.rowCount(.entry) == 6)
        let places = (0..<7).map { index.place(.entry, row: $0) }
        let expected: [(UInt32, UInt32)] = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
        #expect(places == expected.map { RowPlace(commit: $0, row: $1) } + [nil])
        #expect(index.place(.redirect, row: 0) == nil)
        #expect(index.commits.map { $0.firstRow(.entry) } == [0, 1, 3])
    }

    /// References to rows that are not there, for every key that a single exchange leads through.
    @Test func danglingReferences() throws {
        var exchange = Exchange(
            "http://a/",
            response: ArchiveResponse(reason: "r", headers: ["A": "b"], mediaType: "m", charset: "c", address: "d"),
            body: [1])
        exchange.request = ArchiveRequest(method: "POST", url: "HTTP://a/", headers: ["C": "d"])
        exchange.requestBody = [2]
        try folder.archive([exchange])
        let bytes = try folder.read("a.webarc")
        #expect(try Commits([[exchange]]).differences(from: ArchiveReader(bytes: bytes)) == [])
        for (owner, name) in [
            ("Entry", "request"), ("Entry", "url"), ("Entry", "answer"), ("Request", "method"), ("Request", "headers"),
            ("Request", "body"), ("Response", "reason"), ("Response", "headers"), ("Response", "mediaType"),
            ("Response", "charset"), ("Response", "body"), ("Response", "address"), ("HeaderList", "first"),
            ("HeaderField", "name"), ("HeaderField", "value"), ("Body", "block"),
        ] {
            for value in [-1, 100, .min, .max, 1 << 33] as [Int64] {
                var surgeon = RowSurgeon(bytes)
                surgeon.set(owner, name, to: value)
                let reader = try ArchiveReader(bytes: surgeon.bytes)
                let error = archiveError { _ = try Commits([[exchange]]).differences(from: reader) }
                #expect(error?.code == .damaged && error?.offset != nil, "\(owner).\(name) = \(value)")
            }
        }
    }

    /// A row of a later commit is not there yet for an earlier one.
    @Test func referencesForward() throws {
        try folder.archive([Exchange("http://a/", response: ArchiveResponse(reason: "own"))])
        // Said before the second commit is appended: row 2 is the first one of its strings.
        var surgeon = RowSurgeon(try folder.read("a.webarc"))
        surgeon.set("Response", "reason", to: 2)
        try folder.write("a.webarc", surgeon.bytes)
        try folder.archive([Exchange("http://b/", response: ArchiveResponse(reason: "later"))], appending: true)
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        #expect(try reader.entry(for: "http://b/")?.response?.reason == "later")
        #expect(archiveError { _ = try reader.entry(for: "http://a/")?.response }?.code == .damaged)
    }

    @Test func commitsThatDisagree() throws {
        try folder.archive([Exchange("http://a/", body: [1])])
        let first = try folder.read("a.webarc")
        try folder.archive([Exchange("http://b/", body: [2])], appending: true)
        let second = try folder.read("a.webarc")
        // The second commit behind a first one in which a reader finds no entries.
        var surgeon = RowSurgeon(first)
        surgeon.rename("Entry", to: "Antry")
        let mixed = surgeon.bytes + second[first.count...]
        let error = archiveError { _ = try ArchiveReader(bytes: mixed) }
        #expect(error?.code == .damaged && error?.offset == UInt64(second.count - 64))
    }
}
