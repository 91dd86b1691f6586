// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveUpdates

@Suite struct ArchiveHealerTests {
    private let folder: TemporaryFolder
    private let key = ArchiveSigningKey()
    private let path, copy: FilePath
    /// The bytes of the archive before anything was damaged.
    private let whole: [UInt8]

    /// An archive of two signed commits, with more than one group of hashes and several pieces of index.
    init() throws {
        folder = try TemporaryFolder()
        (path, copy) = (folder.path("a.webarc"), folder.path("copy.webarc"))
        try Self.makeArchive(path, key)
        whole = try folder.read("a.webarc")
        try folder.write("copy.webarc", whole)
    }

    private static func makeArchive(_ path: FilePath, _ key: ArchiveSigningKey, edition: UInt64 = 1) throws {
        var random = SeededGenerator(seed: 7)
        for commit in 0..<2 {
            let signing = ArchiveSigning([key], series: "site", sequence: edition + UInt64(commit))
            let options = ArchiveWriter.Options(blockExponent: 12, signing: signing)
            let writer =
                try commit == 0
                ? ArchiveWriter(creating: path, options: options) : ArchiveWriter(appendingTo: path, options: options)
            if edition > 1, commit == 0 {
                try writer.add(
                    ArchiveRequest(url: "https://site.example/news"), response: ArchiveResponse(),
                    body: writer.addBody(Array("News of edition \(edition)".utf8)))
            }
            for number in 0..<200 {
                let url = "https://site.example/\(commit)/\(number)/" + random.bytes(100).hexadecimal
                let length = number % 20 == 0 ? 9_000 : 300
                try writer.add(
                    ArchiveRequest(url: url), response: ArchiveResponse(), body: writer.addBody(random.bytes(length)))
            }
            try writer.commit()
        }
    }

    private func damage(_ bytes: [UInt8], at places: some Sequence<Int>) -> [UInt8] {
        var bytes = bytes
        for place in places { bytes[place] ^= 0x55 }
        return bytes
    }

    private func heal(_ damaged: [UInt8], from sources: [FilePath]? = nil) throws -> ArchiveHealer.Summary {
        try folder.write("a.webarc", damaged)
        return try ArchiveHealer(path, from: sources ?? [copy], trust: ArchiveTrust([key.publicKey])).run()
    }

    @Test func nothingIsWrong() throws {
        let number = try FileManager.default.attributesOfItem(atPath: path.string)[.systemFileNumber] as? Int
        let summary = try heal(whole)
        #expect(summary.healedParts == 0 && summary.lostParts == 0)
        #expect(summary.coveredLength == UInt64(whole.count))
        #expect(try FileManager.default.attributesOfItem(atPath: path.string)[.systemFileNumber] as? Int == number)
    }

    @Test(arguments: 0..<12 * testEffort)
    func damageAnywhere(_ run: Int) throws {
        var random = SeededGenerator.printed()
        let places = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            Int.random(in: 0..<whole.count, using: &random)
        }.filter { !(32..<96).contains($0) }
        let summary = try heal(damage(whole, at: places))
        #expect(summary.lostParts == 0)
        #expect(try folder.read("a.webarc") == whole, "places \(places)")
    }

    @Test(arguments: [0, 5, 20, 95])
    func damageInTheHeader(_ place: Int) throws {
        _ = try heal(damage(whole, at: [place]))
        #expect(try Array(folder.read("a.webarc").dropFirst(96)) == Array(whole.dropFirst(96)))
        #expect(try ArchiveReader(path: path, trust: ArchiveTrust([key.publicKey])).commitCount == 2)
    }

    /// An unfinished download, and a copy whose end was lost.
    @Test(arguments: [100, 5_000, 100_000])
    func missingEnd(_ missing: Int) throws {
        #expect(try heal(Array(whole.dropLast(missing))).lostParts == 0)
        #expect(try folder.read("a.webarc") == whole)
    }

    @Test func holesOfZeros() throws {
        var bytes = whole
        for start in stride(from: 1_000, to: bytes.count - 20_000, by: 50_000) {
            bytes.replaceSubrange(start..<start + 10_000, with: repeatElement(0, count: 10_000))
        }
        #expect(try heal(bytes).lostParts == 0)
        #expect(try folder.read("a.webarc") == whole)
    }

    @Test func twoDamagedCopiesHealEachOther() throws {
        let middle = whole.count / 2
        try folder.write("copy.webarc", damage(whole, at: stride(from: middle, to: whole.count - 5_000, by: 700)))
        let summary = try heal(damage(whole, at: stride(from: 100, to: middle - 70_000, by: 700)))
        #expect(summary.lostParts == 0)
        #expect(try folder.read("a.webarc") == whole)
    }

    @Test(arguments: [(0, 40_000), (20_000, 90_000), (33_333, 77_777)])
    func aPartOfTheFile(_ start: Int, _ end: Int) throws {
        try folder.write("copy.webarc", whole[start..<end])
        let summary = try heal(damage(whole, at: [35_000, 36_000]))
        #expect(summary.healedParts >= 1 && summary.lostParts == 0)
        #expect(try folder.read("a.webarc") == whole)
    }

    /// The same blocks lie elsewhere in another edition.
    @Test func anotherEdition() throws {
        try Self.makeArchive(copy, key, edition: 5)
        let summary = try heal(damage(whole, at: [10_000, 20_000, 30_000]))
        #expect(summary.lostParts == 0 && summary.healedParts > 0)
        #expect(try folder.read("a.webarc") == whole)
    }

    @Test func aCopyThatLiesHealsNothing() throws {
        var random = SeededGenerator.printed()
        try folder.write(
            "copy.webarc", whole[..<96] + random.bytes(whole.count - 96 - 64) + whole[(whole.count - 64)...])
        let damaged = damage(whole, at: [10_000, 20_000])
        let summary = try heal(damaged)
        #expect(summary.healedParts == 0 && summary.lostParts > 0 && summary.lostLength > 0)
        #expect(try folder.read("a.webarc") == damaged)
    }

    /// A right archive of the same publisher is not a copy of this one, whatever it has in common.
    @Test func anotherArchiveDoesNotTakeThePlaceOfThisOne() throws {
        try Self.makeArchive(copy, key, edition: 5)
        let damaged = damage(whole, at: [whole.count - 30, 5])
        try folder.write("a.webarc", damaged)
        let healer = ArchiveHealer(path, from: [copy], trust: ArchiveTrust([key.publicKey]))
        #expect(throws: ArchiveError(.notAnArchive, "")) { try healer.run() }
        #expect(try folder.read("a.webarc") == damaged)
    }

    /// The first commit alone, as it was before the second one was appended.
    private func firstCommit() throws -> [UInt8] {
        let end = Int(try #require(StoredArchive(ArchiveReader(path: copy)).layouts.first).footer.end)
        return Array(whole[..<32]) + [UInt8](repeating: 0, count: 64) + whole[96..<end]
    }

    @Test(arguments: [10, 40, 63])
    func aCopyThatWasAppendedToGivesTheEditionThatWasThere(_ place: Int) throws {
        let first = try firstCommit()
        let summary = try heal(damage(first, at: [first.count - place]))
        #expect(summary.sequence == 1 && summary.editionSource == copy && summary.lostParts == 0)
        #expect(try folder.read("a.webarc") == first)
    }

    /// The recovery slot says where the second commit ended.
    @Test func anotherSecondCommitIsNotTaken() throws {
        let first = try firstCommit()
        try folder.write("copy.webarc", first)
        let signing = ArchiveSigning([key], series: "site", sequence: 2)
        let writer = try ArchiveWriter(appendingTo: copy, options: ArchiveWriter.Options(signing: signing))
        try writer.add(ArchiveRequest(url: "https://site.example/other"), response: ArchiveResponse())
        try writer.commit()
        let damaged = Array(whole[..<first.count])
        let summary = try heal(damaged)
        #expect(summary.lostParts == 1 && summary.sequence == 1 && summary.editionSource == nil)
        #expect(try folder.read("a.webarc") == damaged)
    }

    @Test func damageInTheStatement() throws {
        let layout = try #require(StoredArchive(ArchiveReader(path: copy)).layouts.last)
        let statement = try #require(layout.sections[.signature]).extent
        let summary = try heal(damage(whole, at: [Int(statement.offset) + 3, Int(statement.end) - 3]))
        #expect(summary.lostParts == 0 && summary.editionSource == copy)
        #expect(try folder.read("a.webarc") == whole)
    }

    /// A stranger's archive is not healed to one of the publisher.
    @Test func anArchiveThatOpensIsTakenAtItsOwnWord() throws {
        try Self.makeArchive(path, ArchiveSigningKey())
        let strange = try folder.read("a.webarc")
        #expect(throws: ArchiveError(.untrusted, "")) { try heal(strange) }
        #expect(try folder.read("a.webarc") == strange)
    }

    @Test(arguments: [1, 63, 64, 5_000])
    func bytesBehindTheEndAreCutOff(_ count: Int) throws {
        var random = SeededGenerator(seed: 3)
        let (first, zeros) = (try firstCommit(), [UInt8](repeating: 0, count: count))
        // Nothing in an archive of one commit shows that it was the last one.
        for (bytes, tail) in [(whole, random.bytes(count)), (first, count < 64 ? random.bytes(count) : zeros)] {
            try folder.write("copy.webarc", bytes)
            let summary = try heal(bytes + tail)
            #expect(summary.removedLength == UInt64(count) && summary.lostParts == 0)
            #expect(try folder.read("a.webarc") == bytes)
        }
    }

    /// The archive with damaged recovery slots, and an end that shows no footer.
    private func hidden(_ slots: [UInt8], _ isCut: Bool) -> [UInt8] {
        var random = SeededGenerator(seed: 5)
        let hidden = Array(whole[..<32]) + slots + whole[(32 + slots.count)...]
        return isCut ? hidden.dropLast(10) : hidden + random.bytes(1_000)
    }

    /// The ways in which two damages hide the second commit: one bit of a slot or no slots at all, and bytes that are missing or too many.
    private static let hiding: [([UInt8], Bool)] = [
        ([0xFF], false), ([0xFF], true), ([UInt8](repeating: 0, count: 64), false),
        ([UInt8](repeating: 0, count: 64), true),
    ]

    @Test(arguments: hiding)
    func aLaterEditionThatTheFileHidesIsFound(_ slots: [UInt8], _ isCut: Bool) throws {
        try folder.write("a.webarc", hidden(slots, isCut))
        let (healed, trust) = (folder.path("healed.webarc"), ArchiveTrust([key.publicKey]))
        let summary = try ArchiveHealer(path, from: [copy], trust: trust).run(into: healed)
        #expect(summary.sequence == 2 && summary.lostParts == 0)
        #expect(try folder.read("healed.webarc")[96...] == whole[96...])
        #expect(try ArchiveReader(path: healed, trust: trust).statement?.sequence == 2)
        // More of the copy's bytes make it whole, too, where the file is.
        if isCut {
            try ArchiveHealer(path, from: [copy], trust: trust).run()
            #expect(try folder.read("a.webarc")[96...] == whole[96...])
        }
    }

    /// The ends of a file whose writer ended before it wrote the slot of the second commit: bytes of no meaning after it, or damage in its end.
    private static let unnamedEnds: [(kept: Int, [UInt8])] = [
        (0, [UInt8](repeating: 0, count: 4_096)), (0, [UInt8](repeating: 0xA7, count: 1_000)), (-10, []),
        (-64, [UInt8](repeating: 0, count: 64)), (-4_096, [UInt8](repeating: 0, count: 4_096)),
    ]

    /// One slot names the first commit, which is right as long as the second one is written.
    @Test(arguments: unnamedEnds, [32, 64])
    func aLaterEditionWithoutASlotStays(_ end: (kept: Int, tail: [UInt8]), _ emptySlot: Int) throws {
        var file = whole.dropLast(-end.kept) + end.tail
        file.replaceSubrange(emptySlot..<emptySlot + 32, with: [UInt8](repeating: 0, count: 32))
        let trust = ArchiveTrust([key.publicKey])
        try folder.write("a.webarc", file)
        let summary = try ArchiveHealer(path, from: [copy], trust: trust).run(into: folder.path("healed.webarc"))
        #expect(summary.sequence == 2 && summary.lostParts == 0)
        #expect(try folder.read("healed.webarc")[96...] == whole[96...])
        // In place as well, or not at all.
        if let healed = try? heal(Array(file)) { #expect(healed.sequence == 2) }
    }

    /// No slot shows that the bytes after the last commit are not a later edition, and no other file has one.
    @Test(arguments: hiding)
    func bytesThatMayBeALaterEditionStay(_ slots: [UInt8], _ isCut: Bool) throws {
        try folder.write("copy.webarc", firstCommit())
        let damaged = hidden(slots, isCut)
        #expect(throws: ArchiveError(.damaged, "")) { try heal(damaged) }
        #expect(try folder.read("a.webarc") == damaged)
        let target = folder.path("healed.webarc")
        let summary = try ArchiveHealer(path, from: [copy], trust: ArchiveTrust([key.publicKey])).run(into: target)
        #expect(summary.sequence == (isCut ? 1 : 2) && summary.removedLength > 0)
    }

    @Test func partOfTheDamageIsHealed() throws {
        try folder.write("copy.webarc", damage(whole, at: [10_000]))
        let summary = try heal(damage(whole, at: [10_000, 50_000]))
        #expect(summary.healedParts == 1 && summary.lostParts == 1)
        #expect(try folder.read("a.webarc") == damage(whole, at: [10_000]))
    }

    @Test func intoAnotherFile() throws {
        let damaged = damage(whole, at: [10_000])
        try folder.write("a.webarc", damaged)
        try ArchiveHealer(path, from: [copy]).run(into: folder.path("healed.webarc"))
        #expect(try folder.read("healed.webarc") == whole)
        #expect(try folder.read("a.webarc") == damaged)
    }

    @Test func aFileThatIsNoArchiveIsNotReplaced() throws {
        try folder.write("notes.txt", Array("Notes".utf8))
        #expect(throws: ArchiveError(.alreadyExists, "")) {
            try ArchiveHealer(path, from: [copy]).run(into: folder.path("notes.txt"))
        }
        #expect(try folder.read("notes.txt") == Array("Notes".utf8))
    }

    @Test func withoutKeysTheArchivesOwnSignatureTells() throws {
        try folder.write("a.webarc", damage(whole, at: [10_000, whole.count - 10]))
        try ArchiveHealer(path, from: [copy]).run()
        #expect(try folder.read("a.webarc") == whole)
    }

    @Test func withOtherKeysNothingIsHealed() throws {
        try folder.write("a.webarc", damage(whole, at: [10_000]))
        let healer = ArchiveHealer(path, from: [copy], trust: ArchiveTrust([ArchiveSigningKey().publicKey]))
        #expect(throws: ArchiveError(.untrusted, "")) { try healer.run() }
    }

    @Test func anArchiveWithoutASignature() throws {
        let plain = folder.path("plain.webarc")
        try ArchiveWriter(creating: plain).commit()
        #expect(throws: ArchiveError(.untrusted, "")) { try ArchiveHealer(plain, from: [copy]).run() }
    }

    /// Bytes after the signed commit belong to no commit, and stay.
    @Test func bytesBehindTheSignature() throws {
        let writer = try ArchiveWriter(appendingTo: path)
        try writer.add(ArchiveRequest(url: "https://site.example/later"), response: ArchiveResponse())
        try writer.commit()
        let longer = try folder.read("a.webarc")
        let summary = try heal(damage(longer, at: [10_000]))
        #expect(summary.lostParts == 0)
        #expect(try folder.read("a.webarc") == longer)
    }
}
