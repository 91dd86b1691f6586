// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Damage at random: nothing traps or hangs, and what is found does not depend on the threads.
@Suite struct DamagedArchiveFuzzTests {
    private static let bytes = Result {
        try SampleArchive.bytes(
            { writer in
                try SampleArchive.mixed(writer)
                try DictionarySample.write(writer)
                try SampleArchive.page(
                    "https://site.example/long", writer.addBody(SampleArchive.noise(5, length: 100_000)), writer)
            }, more: [{ writer in try SampleArchive.mixed(writer) }])
    }

    /// Bytes of the index are changed and their sums made right: every rule is met from the wrong side.
    @Test(arguments: 0..<12) func changedRows(_ round: Int) throws {
        var random = SeededGenerator()
        for _ in 0..<4 {
            var surgeon = ArchiveSurgeon(try Self.bytes.get())
            let commit = try #require(try surgeon.archive.index.commits.randomElement(using: &random))
            let index = try #require(commit.sections[.index]?.extent)
            for _ in 0..<(1 << (round % 6)) {
                let place = Int.random(in: Int(index.offset)..<Int(index.end), using: &random)
                surgeon.bytes[place] = .random(in: 0 ... .max, using: &random)
            }
            try surgeon.repair()
            let findings = try surgeon.findings(threads: 1)
            #expect(try surgeon.findings(threads: 3) == findings, "seed \(random.seed)")
            #expect(findings.allSatisfy { !$0.message.isEmpty })
        }
    }

    /// More work than one thread has at a time: findings stand in the order of the file nevertheless.
    @Test func orderOfFindings() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            for number in 0..<20_000 { _ = try writer.addBody(Array("body \(number)".utf8)) }
            for number in 0..<6 { _ = try writer.addBody(SampleArchive.noise(number, length: 2 << 20)) }
        }
        for place in stride(from: 100, to: 12 << 20, by: 300_000) { surgeon.flip(place) }
        let findings = try surgeon.findings(threads: 1)
        #expect(findings.count > 30)
        for threads in 2...5 { #expect(try surgeon.findings(threads: threads) == findings) }
        #expect(Set(findings.compactMap(\.offset)).count == findings.count)
    }

    /// Bytes anywhere are changed and nothing is repaired: whatever still opens has findings.
    @Test(arguments: 0..<6) func changedBytes(_ round: Int) throws {
        var random = SeededGenerator()
        let intact = try Self.bytes.get()
        for _ in 0..<10 {
            var surgeon = ArchiveSurgeon(intact)
            let place = Int.random(in: 0..<intact.count, using: &random)
            surgeon.flip(place, mask: UInt8(1) << UInt8.random(in: 0..<8, using: &random))
            guard let archive = try? surgeon.archive else { continue }
            let findings = ArchiveVerifier(archive, threads: 1).run()
            #expect(ArchiveVerifier(archive, threads: 4).run() == findings, "seed \(random.seed)")
            // No byte of an archive is without a checksum.
            #expect(!findings.isEmpty, "seed \(random.seed), byte \(place)")
        }
    }

    /// Class tables that say other things of the same rows.
    @Test(arguments: 0..<8) func changedClassTables(_ round: Int) throws {
        var random = SeededGenerator()
        for _ in 0..<5 {
            var surgeon = ArchiveSurgeon(try Self.bytes.get())
            try surgeon.changeClasses(commit: 1) { classes in
                for _ in 0...round / 2 {
                    guard let owner = IndexClass.allCases.randomElement(using: &random),
                        let number = classes[owner]?.keys.indices.randomElement(using: &random),
                        var key = classes[owner]?.keys[number], key.key.type != .bytes
                    else { continue }
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: key.base = .random(in: -2...300, using: &random)
                    case 1:
                        key.base =
                            [.min, .max, .random(in: .min ... .max, using: &random)].randomElement(using: &random) ?? 0
                    case 2: key.step = .random(in: 1 ... .max, using: &random)
                    default: key.step = .random(in: 1...3, using: &random)
                    }
                    classes[owner]?.keys[number] = key
                }
            }
            let findings = try surgeon.findings(threads: 1)
            #expect(try surgeon.findings(threads: 3) == findings, "seed \(random.seed)")
        }
    }
}
