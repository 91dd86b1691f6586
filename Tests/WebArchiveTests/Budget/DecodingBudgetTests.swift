// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

struct DecodingBudgetTests {
    private func archive(_ entries: Int = 40) throws -> ArchiveReader {
        let folder = try TemporaryFolder()
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        for number in 0..<entries {
            try writer.add(
                ArchiveRequest(method: "M\(String(repeating: "m", count: 1000))", url: "https://a.example/\(number)"),
                response: ArchiveResponse(headers: ["X-Long": String(repeating: "v", count: 5000)]))
        }
        try writer.commit()
        return try ArchiveReader(bytes: folder.read("a.webarc"))
    }

    /// Decoded data of every kind is taken from the budget, and the entries of one archive share it.
    @Test(
        arguments: [
            ("keys", 100), ("methods", 1100), ("answers", 5200), ("outlines", 400),
        ]
    )
    func whatIsDecodedCounts(_ kind: String, _ cost: Int) throws {
        let archive = try archive()
        func read(_ budget: Int) -> Failure? {
            failure {
                let limited = archive.limited(to: DecodingBudget(for: "a test", bytes: budget))
                for row in 0..<UInt32(40) {
                    let entry = try #require(limited.entry(at: EntryPosition(commit: 0, row: row)))
                    switch kind {
                    case "keys": _ = try entry.key
                    case "methods": _ = try entry.method
                    case "answers": _ = try entry.response
                    default: _ = try entry.outline
                    }
                }
            }
        }
        #expect(read(40 * cost) == nil)
        #expect(read(10 * cost / 2) == Failure(.limitExceeded))
    }

    @Test func aPassReadsAnHonestArchive() throws {
        let archive = try archive(2000).limitedToOnePass()
        var count = 0
        try archive.forEachEntry { entry throws(ArchiveError) in
            _ = try (entry.request, entry.response)
            count += 1
            return true
        }
        #expect(count == 2000)
    }

    /// Lengths that a file claims may add up to anything.
    @Test func sumsDoNotOverflow() {
        #expect(UInt64.max.addingSaturated(1) == .max && UInt64(1).addingSaturated(2) == 3)
        #expect(UInt64(1).subtractingSaturated(2) == 0 && UInt64(5).subtractingSaturated(2) == 3)
        var group = ArchiveStatistics.Group(entries: 1)
        (group.bytes, group.stored) = (.max - 1, .max - 1)
        group.add(group)
        #expect(group.bytes == .max && group.stored == .max && group.entries == 2)
    }

    /// Values in HTTP are bytes: two that Unicode takes for the same differ.
    @Test func varyComparesBytes() {
        let (composed, decomposed): (HeaderFields, HeaderFields) = (["X": "caf\u{E9}"], ["X": "cafe\u{301}"])
        #expect(VaryDifference(vary: "X", stored: VaryingFields(composed), requested: VaryingFields(decomposed)) != nil)
        #expect(VaryDifference(vary: "X", stored: VaryingFields(composed), requested: VaryingFields(composed)) == nil)
        // Nor is the Kelvin sign a `k`.
        let kelvin = VaryDifference(
            vary: "Coo\u{212A}ie", stored: VaryingFields(["Cookie": "a"]), requested: VaryingFields(["Cookie": "b"]))
        #expect(kelvin == nil)
    }

    /// A `Vary` of more names than a server sends fits no request, as `*` does.
    @Test func longVary() {
        let names = (0..<VaryDifference.maximumNameCount).map { "x-\($0)" }
        #expect(
            VaryDifference(
                vary: names.joined(separator: ", "), stored: VaryingFields([:]), requested: VaryingFields([:]))
                == nil)
        let more = (names + ["y"]).joined(separator: ", ")
        #expect(VaryDifference(vary: more, stored: VaryingFields([:]), requested: VaryingFields([:]))?.field == "*")
        let long = String(repeating: "x", count: VaryDifference.maximumLength + 1)
        #expect(VaryDifference(vary: long, stored: VaryingFields([:]), requested: VaryingFields([:]))?.field == "*")
    }
}
