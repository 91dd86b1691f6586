// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Values by the rule of the specification's section 6.2, hostile ones among them.
@Suite struct CommitIndexTests {
    private let folder: TemporaryFolder
    private let bytes: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        // Times that differ, so that their column has a width of one byte and a step of 1 s.
        let exchanges = (1...40).map { Exchange("http://a/\($0)", body: [UInt8($0)], time: ArchiveTime(seconds: $0)) }
        try folder.archive(exchanges)
        bytes = try folder.read("a.webarc")
    }

    private func time(_ change: (inout RowSurgeon) -> Void) throws -> Int64 {
        var surgeon = RowSurgeon(bytes)
        change(&surgeon)
        let commit = try ArchiveReader(bytes: surgeon.bytes).index.commits[0]
        return try commit.integer(.entryTime, 0)
    }

    @Test func theSurgeonKeepsTheArchiveWhole() throws {
        #expect(try time { $0.setStored("Entry", "time", row: 0, to: 4) } == 5_000_000_000)
        #expect(try time { $0.set("Entry", "time", to: -77) } == -77)
    }

    @Test func numbersThatDoNotFit() throws {
        // Base, step and the number that is stored; the value, if there is one.
        let cases: [(Int64, Int64, UInt64, Int64?)] = [
            (0, 1, 200, 200), (.max - 200, 1, 200, .max), (.max - 199, 1, 200, nil), (.min, 1, 200, .min + 200),
            (.max, 1, 1, nil), (.max, .max, 0, .max), (0, .max, 1, .max), (1, .max, 1, nil), (0, .max, 2, nil),
            (.min, .max, 2, .max - 1), (.min + 1, .max, 2, .max), (.min + 2, .max, 2, nil), (.min, .max, 3, nil),
        ]
        for (base, step, stored, value) in cases {
            let change = { (surgeon: inout RowSurgeon) in
                surgeon.setStored("Entry", "time", row: 0, to: stored)
                surgeon.setScale("Entry", "time", base: base, step: step)
            }
            if let value {
                #expect(try time(change) == value, "\(base) + \(step) × \(stored)")
            } else {
                let error = archiveError { _ = try time(change) }
                #expect(error?.code == .damaged && error?.offset != nil, "\(base) + \(step) × \(stored)")
            }
        }
    }

    /// Keys that a table does not list have their defaults; rows that are not there are errors.
    @Test func rowsAndDefaults() throws {
        let reader = try ArchiveReader(bytes: bytes)
        let commit = reader.index.commits[0]
        #expect(try commit.integer(.responseStatus, 0) == 200)
        #expect(try commit.integer(.entryRole, 39) == 0)
        for row in [-1, 40, .max] {
            #expect(archiveError { _ = try commit.integer(.entryRole, row) }?.code == .damaged)
        }
        #expect(archiveError { _ = try commit.integer(.redirectStatus, 0) }?.code == .damaged)
        #expect(archiveError { _ = try commit.digest(40) }?.code == .damaged)
        #expect(archiveError { _ = try commit.digest(-1) }?.code == .damaged)
        #expect(try commit.count(.bodyLength, 0, atMost: 1) == 1)
        #expect(archiveError { _ = try commit.count(.bodyLength, 0, atMost: 0) }?.code == .damaged)
    }

    /// Positions of texts that go backwards, or past the heap.
    @Test func positionsOfTexts() throws {
        try folder.archive([
            Exchange("http://a/", response: ArchiveResponse(reason: "one", address: "two", codings: ["three"]))
        ])
        let whole = try folder.read("a.webarc")
        let response = try ArchiveReader(bytes: whole).entries().first?.response
        #expect(response?.reason == "one" && response?.address == "two" && response?.codings == ["three"])
        for (row, position) in [(1, 200), (1, 9), (0, 200)] as [(Int, UInt64)] {
            var surgeon = RowSurgeon(whole)
            surgeon.setStored("String", "text", row: row, to: position)
            let reader = try ArchiveReader(bytes: surgeon.bytes)
            let error = archiveError { _ = try reader.entries().first?.response }
            #expect(error?.code == .damaged && error?.offset != nil, "row \(row) at \(position)")
        }
    }

    /// A text that is longer than its reader allows is not handed out.
    @Test func lengthsOfTexts() throws {
        try folder.archive([Exchange("http://a/", response: ArchiveResponse(reason: "one"))])
        let commit = try ArchiveReader(bytes: folder.read("a.webarc")).index.commits[0]
        #expect(try commit.text(.stringText, 0, atMost: 3).elementsEqual("one".utf8))
        #expect(archiveError { _ = try commit.text(.stringText, 0, atMost: 2) }?.code == .damaged)
    }

    /// The commit's bodies by digest, against a search of all of them.
    @Test func bodiesByDigest() throws {
        let commit = try ArchiveReader(bytes: bytes).index.commits[0]
        for number in 1...41 as ClosedRange<UInt8> {
            let digest = ContentDigest(hashing: [number])
            let expected = try (0..<40).filter { try commit.digest($0) == digest }
            #expect(try Array(commit.bodies(digest)) == expected)
            #expect(expected.count == (number <= 40 ? 1 : 0))
        }
    }
}
