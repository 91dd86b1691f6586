// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchivePacking

/// Packing like an earlier edition.
@Suite struct EarlierEditionTests {
    private let test = PackingTest()

    private var earlier: FilePath { test.folder.path("earlier.webarc") }

    /// A page of words that other pages have as well.
    private func page(_ number: Int, _ random: inout SeededGenerator) -> String {
        let words = (0..<Int.random(in: 100...4_000, using: &random)).map { _ in
            String(UInt32.random(in: 0..<2_000, using: &random), radix: 36)
        }
        return "<!DOCTYPE html><title>Page \(number)</title><p>\(words.joined(separator: " "))</p>"
    }

    /// Writes pages that fill some blocks against a dictionary, styles, images, and a text of several blocks.
    private func writeSite(_ random: inout SeededGenerator) throws {
        for number in 100..<220 { try test.write("docs/\(number).html", page(number, &random)) }
        for number in 0..<12 {
            try test.write("style\(number).css", "p { color: red }\n" + page(number, &random))
            try test.write("image\(number).png", random.bytes(3_000))
        }
        try test.write("book.txt", (0..<150).map { page($0, &random) }.joined())
        try test.write("empty.txt", "")
    }

    /// Packs the site as the earlier edition.
    private func packEarlier(_ change: (inout ArchivePacker.Options) -> Void = { _ in }) throws {
        try test.pack(change)
        try FileManager.default.moveItem(atPath: test.archive.string, toPath: earlier.string)
    }

    private func packLikeEarlier(_ change: (inout ArchivePacker.Options) -> Void = { _ in }) throws {
        let edition = try ArchiveReader(path: earlier)
        try test.pack { options in
            options.earlierEdition = edition
            change(&options)
        }
    }

    /// The blocks of files as an archive stores them. A dictionary is compressed at the level of the whole archive.
    private func blocks(_ path: FilePath) throws -> [[UInt8]] {
        let stored = StoredArchive(try ArchiveReader(path: path))
        let dictionaries = try stored.dictionaryBodies().map { try stored.start(of: stored.archiveBody($0))?.block }
        return try (0..<stored.blockCount).filter { !dictionaries.contains($0) }.map { try stored.storedBytes($0) }
    }

    /// The stored blocks that the packed archive has and the earlier edition does not.
    private func newBlockCount() throws -> Int {
        let known = Set(try blocks(earlier))
        return try blocks(test.archive).count { !known.contains($0) }
    }

    private func expectTheSite(_ seed: UInt64) throws {
        #expect(ArchiveVerifier(try test.reader()).run().isEmpty, "seed \(seed)")
        try test.unpack { $0.overwrites = true }
        #expect(try test.difference() == "", "seed \(seed)")
        try FileManager.default.removeItem(atPath: test.folder.path("out").string)
    }

    @Test func anUnchangedSiteGivesTheSameArchive() throws {
        var random = SeededGenerator.forTest()
        try writeSite(&random)
        try packEarlier()
        try packLikeEarlier()
        #expect(try test.folder.read("site.webarc") == test.folder.read("earlier.webarc"), "seed \(random.seed)")
    }

    @Test func aBlockWithoutAChangedFileIsStoredInTheSameBytes() throws {
        var random = SeededGenerator.forTest()
        try writeSite(&random)
        try packEarlier()
        try test.write("docs/110.html", "<!DOCTYPE html><title>Page 110</title><p>shorter</p>")
        try packLikeEarlier()
        #expect(try newBlockCount() == 1, "seed \(random.seed)")
        #expect(try blocks(test.archive).count == blocks(earlier).count, "seed \(random.seed)")
        try expectTheSite(random.seed)
    }

    @Test func newFilesGoToBlocksOfTheirOwnAndLostOnesTouchTheirBlockAlone() throws {
        var random = SeededGenerator.forTest()
        try writeSite(&random)
        try packEarlier()
        try test.write("docs/000.html", String(repeating: "a new page ", count: 3_000))
        try test.pack()
        #expect(try newBlockCount() > 3, "without an earlier edition the blocks behind it change, seed \(random.seed)")
        try packLikeEarlier()
        #expect(try newBlockCount() == 1, "seed \(random.seed)")
        try FileManager.default.removeItem(atPath: test.folder.path("site/docs/000.html").string)
        try FileManager.default.removeItem(atPath: test.folder.path("site/docs/150.html").string)
        try packLikeEarlier()
        #expect(try newBlockCount() == 1, "seed \(random.seed)")
        try expectTheSite(random.seed)
    }

    @Test func filesThatMovedKeepTheirBlocks() throws {
        var random = SeededGenerator.forTest()
        try writeSite(&random)
        try packEarlier()
        try FileManager.default.moveItem(
            atPath: test.folder.path("site/docs").string, toPath: test.folder.path("site/help").string)
        try packLikeEarlier()
        #expect(try newBlockCount() == 0, "seed \(random.seed)")
        try expectTheSite(random.seed)
    }

    @Test func anotherLevelLeavesUnchangedBlocksAsTheyAre() throws {
        var random = SeededGenerator.forTest()
        try writeSite(&random)
        try packEarlier { $0.level = .level(9) }
        try packLikeEarlier { $0.level = .level(1) }
        #expect(try newBlockCount() == 0, "seed \(random.seed)")
        try packLikeEarlier { $0.usesDictionaries = false }
        #expect(try newBlockCount() > 3, "an option that was given wins, seed \(random.seed)")
        try expectTheSite(random.seed)
    }

    @Test(arguments: 0..<2) func everyChangeComesBackAndTheThreadsDoNotMatter(_ round: Int) throws {
        var random = SeededGenerator.forTest()
        try writeSite(&random)
        try packEarlier()
        for edition in 1...2 {
            for number in 100..<220 {
                switch Int.random(in: 0..<12, using: &random) {
                case 0: try test.write("docs/\(number).html", page(number, &random))
                case 1: try test.write("docs/\(number)-\(edition).html", page(number, &random))
                case 2: try? FileManager.default.removeItem(atPath: test.folder.path("site/docs/\(number).html").string)
                case 3: try test.write("docs/\(number).html", String(repeating: page(number, &random), count: 9))
                case 4: try test.write("docs/\(number).html", "")
                default: break
                }
            }
            try test.write("book.txt", (0..<150).map { page($0, &random) }.joined())
            try packLikeEarlier { $0.threads = 1 }
            let one = try test.folder.read("site.webarc")
            for threads in [2, 7] {
                try packLikeEarlier { $0.threads = threads }
                #expect(try test.folder.read("site.webarc") == one, "seed \(random.seed), \(threads) threads")
            }
            try expectTheSite(random.seed)
            try FileManager.default.removeItem(atPath: earlier.string)
            try FileManager.default.moveItem(atPath: test.archive.string, toPath: earlier.string)
        }
    }

    @Test func blocksAreAsLongAsInTheEarlierEdition() throws {
        let writer = try ArchiveWriter(creating: earlier, options: .init(blockExponent: 13))
        try writer.add(
            ArchiveRequest(url: "http://localhost/a.html"), response: ArchiveResponse(),
            body: writer.addBody(Array("a".utf8)))
        try writer.commit()
        var random = SeededGenerator.forTest()
        try writeSite(&random)
        try packLikeEarlier()
        #expect(StoredArchive(try test.reader()).blockExponent == 13)
        try expectTheSite(random.seed)
    }

    // MARK: - Archives of strangers

    @Test func anArchiveInWhichAllURLsShareABodyGathersNoMoreThanABlockHolds() throws {
        let writer = try ArchiveWriter(creating: earlier)
        let body = try writer.addBody(Array("soon".utf8))
        // More than is held for one block of the earlier edition.
        for number in 0..<600 {
            try writer.add(
                ArchiveRequest(url: "http://localhost/\(number).html"), response: ArchiveResponse(), body: body)
            try test.write("\(number).html", String(repeating: "page \(number) ", count: 6_000))
        }
        try writer.commit()
        try packLikeEarlier()
        let stored = StoredArchive(try test.reader())
        for row in 0..<stored.blockCount { #expect(try stored.block(row).length <= 64 << 10) }
        try expectTheSite(0)
    }

    @Test func aDamagedBlockOfTheEarlierEditionEndsThePacking() throws {
        var random = SeededGenerator.forTest()
        try writeSite(&random)
        try packEarlier()
        let stored = StoredArchive(try ArchiveReader(path: earlier))
        let block = try stored.block(stored.blockCount / 2).stored
        var bytes = try test.folder.read("earlier.webarc")
        bytes[Int(block.offset + block.length / 2)] ^= 1
        try test.folder.write("earlier.webarc", bytes)
        let edition = try ArchiveReader(path: earlier)
        let error = test.packingError { $0.earlierEdition = edition }
        #expect(error?.code == .damaged && error?.path == earlier.string, "\(error as Any)")
        #expect(!FileManager.default.fileExists(atPath: test.archive.string))
    }

    @Test func anEarlierEditionThatLostItsLastCommitIsRefused() throws {
        try test.write("a.html", "a")
        try packEarlier()
        try test.write("b.html", "b")
        var appending = ArchivePacker.Options()
        appending.appends = true
        _ = try ArchivePacker([test.site], into: earlier, options: appending).run()
        let bytes = try test.folder.read("earlier.webarc")
        try test.folder.write("earlier.webarc", bytes.dropLast(100))
        let edition = try ArchiveReader(path: earlier)
        let error = test.packingError { $0.earlierEdition = edition }
        #expect(error?.code == .damaged && error?.path == earlier.string, "\(error as Any)")
    }

    @Test func theEarlierEditionIsNeverPackedAndNotForAppending() throws {
        try test.write("a.html", "a")
        try packEarlier()
        let inside = test.folder.path("site/earlier.webarc")
        try FileManager.default.moveItem(atPath: earlier.string, toPath: inside.string)
        let edition = try ArchiveReader(path: inside)
        let summary = try test.pack { $0.earlierEdition = edition }
        #expect(summary.files == 1 && summary.warnings.contains { $0.code == .earlierEdition })
        let error = test.packingError { ($0.earlierEdition, $0.appends) = (edition, true) }
        #expect(error?.code == .invalidArgument)
    }
}
