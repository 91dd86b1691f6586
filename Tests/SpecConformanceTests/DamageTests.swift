// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

/// Archives that were cut or changed: a reader gives what was written, or an error; never anything else.
@Suite struct DamageTests {
    /// Every prefix of an archive reads as the commits that are whole in it, or fails.
    @Test(arguments: Vectors.valid)
    func prefixes(_ vector: Vectors.Valid) throws {
        let whole = try Content(reading: { () throws(ArchiveError) in try ArchiveReader(bytes: vector.bytes) })
        var rightAnswers = [whole.commits: whole]
        var commits: Int?
        for length in Self.shared(vector)..<vector.bytes.count {
            let bytes = Array(vector.bytes[..<length])
            let way = length % 2 == 0 ? Way.memory : .copies
            let found = try? way.open(bytes).commitCount
            // The bytes after the commits that are read do not affect them, so some of these are read whole and
            // the others only opened.
            if found == nil || found != commits || length % (LargeTests.areEnabled ? 16 : 48) < 2 {
                check(bytes, way: way, of: vector, &rightAnswers, "\(length) bytes")
            }
            commits = found
        }
    }

    /// The number of bytes that a vector shares with an earlier one, whose prefixes are its own.
    private static func shared(_ vector: Vectors.Valid) -> Int {
        Vectors.valid.prefix { $0.name != vector.name }.map { other in
            zip(other.bytes, vector.bytes).prefix { $0 == $1 }.count
        }.max() ?? 0
    }

    /// An archive in which one byte is changed reads as before, or fails.
    @Test(arguments: Vectors.valid.filter { $0.bytes.count < 1600 })
    func changedBytes(_ vector: Vectors.Valid) throws {
        let whole = try Content(reading: { () throws(ArchiveError) in try ArchiveReader(bytes: vector.bytes) })
        var rightAnswers = [whole.commits: whole]
        for (position, byte) in vector.bytes.enumerated() {
            let all = Set([0, 0xFF, byte ^ 1, byte ^ 0x80]).subtracting([byte]).sorted()
            for (number, other) in all.enumerated() where LargeTests.areEnabled || (position + number) % 3 < 2 {
                var bytes = vector.bytes
                bytes[position] = other
                let way = (position + number) % 2 == 0 ? Way.memory : .copies
                check(bytes, way: way, of: vector, &rightAnswers, "byte \(position) is \(other)")
            }
        }
    }

    /// `rightAnswers`: the content of the archive if so many commits are whole.
    private func check(
        _ bytes: [UInt8], way: Way, of vector: Vectors.Valid, _ rightAnswers: inout [Int: Content], _ note: String
    ) {
        do throws(ArchiveError) {
            let content = try Content(reading: { () throws(ArchiveError) in try way.open(bytes) })
            // A vector with a damaged recovery slot has prefixes that end with a commit which it does not lead to itself.
            if content.commits > vector.expected.commits { return }
            if rightAnswers[content.commits] == nil {
                rightAnswers[content.commits] = rightAnswers[vector.expected.commits]?
                    .reduced(to: content.commits, vector.expected)
            }
            if content != rightAnswers[content.commits] { Issue.record("\(vector.name), \(note): wrong content") }
        } catch {
            let legal: [ArchiveError.Code] = [
                .notAnArchive, .unsupportedVersion, .unsupportedFeature, .truncated, .damaged,
            ]
            if !legal.contains(error.code) { Issue.record("\(vector.name), \(note): \(error)") }
        }
    }
}
