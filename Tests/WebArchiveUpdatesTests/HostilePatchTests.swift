// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchiveFormat

@testable import WebArchive
@testable import WebArchiveUpdates

/// Patches whose checksums are right and whose contents are not.
@Suite struct HostilePatchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes two archives of one page, and the patch between them after a change of it.
    ///
    /// - Parameter oldArchive: another old archive, of one commit.
    private func write(
        oldArchive: FilePath? = nil, _ change: (inout HostilePatch) throws -> Void
    ) throws -> (old: FilePath, patch: FilePath) {
        let (old, new) = (folder.path("old.webarc"), folder.path("new.webarc"))
        for (path, text) in [(old, "the first edition"), (new, "the second edition")] {
            let writer = try ArchiveWriter(creating: path)
            try writer.add(
                ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse(),
                body: writer.addBody(Array(text.utf8)))
            try writer.commit()
        }
        if let oldArchive {
            try FileManager.default.removeItem(atPath: old.string)
            try FileManager.default.moveItem(atPath: oldArchive.string, toPath: old.string)
        }
        let patch = folder.path("new.webarcpatch")
        try ArchiveDiffer(from: old, to: new).run(into: patch)
        var hostile = try HostilePatch(
            folder.read("new.webarcpatch"), old: folder.read("old.webarc"), new: folder.read("new.webarc"))
        try change(&hostile)
        try folder.write("new.webarcpatch", hostile.encoded())
        return (old, patch)
    }

    private func apply(_ change: (inout HostilePatch) throws -> Void) throws {
        let names = try write(change)
        try ArchivePatcher(from: names.old, patch: names.patch).run(into: folder.path("result.webarc"))
    }

    @Test func aPatchThatIsPutTogetherAgainGivesTheArchive() throws {
        try apply { _ in }
        #expect(try folder.read("result.webarc") == folder.read("new.webarc"))
    }

    /// A number from which no other can be subtracted.
    @Test func aDictionaryOfTheLeastNumber() {
        #expect(throws: ArchiveError(.damaged, "")) {
            try apply { patch in
                patch.classes[.block]?.keys.removeAll { $0.key == .blockDictionary }
                patch.classes[.block]?.keys.append(
                    ClassTable.Key(key: .blockDictionary, width: 0, offset: 0, base: .min, step: 1))
            }
        }
    }

    @Test func moreBlocksOfKeysThanEntriesNeed() {
        #expect(throws: ArchiveError(.damaged, "")) {
            try apply { patch in
                var table = try #require(patch.classes[.keyBlock])
                let heap = UInt8(table.heap.length)
                table.rows = try FileExtent(offset: UInt64(patch.index.count), length: 2, within: .max)
                (table.rowWidth, table.rowCount) = (1, 2)
                table.keys = [ClassTable.Key(key: .keyBlockKeys, width: 1, offset: 0, base: 0, step: 1)]
                patch.classes[.keyBlock] = table
                patch.index += [0, heap]
            }
        }
    }

    /// A key that comes back behind another one, which would have two slots.
    @Test func keysOutOfOrderHaveNoHashTable() throws {
        let (old, new) = (try write { _ in }.old, folder.path("pages.webarc"))
        let writer = try ArchiveWriter(creating: new)
        for name in ["a", "b", "c"] {
            try writer.add(ArchiveRequest(url: "https://site.example/\(name)"), response: ArchiveResponse())
        }
        try writer.commit()
        let patch = folder.path("pages.webarcpatch")
        try ArchiveDiffer(from: old, to: new).run(into: patch)
        var hostile = try HostilePatch(
            folder.read("pages.webarcpatch"), old: folder.read("old.webarc"), new: folder.read("pages.webarc"))
        // All of the key before but its last letter, and one letter.
        let shared = UInt8("https://site.example/".utf8.count)
        let last = try #require(hostile.index.firstRange(of: [shared, 1, UInt8(ascii: "c")]))
        hostile.index[last.upperBound - 1] = UInt8(ascii: "a")
        try folder.write("pages.webarcpatch", hostile.encoded())
        let error = #expect(throws: ArchiveError.self) {
            try ArchivePatcher(from: old, patch: patch).run(into: folder.path("result.webarc"))
        }
        #expect(
            error?.code == .damaged && error?.message.contains("out of order") == true, "\(String(describing: error))")
    }

    /// Streams of zeros take a few kilobytes of a patch, and claim any number of bodies and blocks.
    enum Claim: CaseIterable {
        case bodiesWithoutRows, bodiesWithoutDigests, blocksWithoutChunks

        func make(_ patch: inout HostilePatch) throws {
            let count = 14 << 20
            var numbers: [UInt8] = []
            numbers.appendNumber(UInt64(count))
            let (rows, zeros) = (UInt64(patch.index.count), [UInt8](repeating: 0, count: count))
            let owner: IndexClass
            switch self {
            case .bodiesWithoutRows, .bodiesWithoutDigests:
                // A kind and a length for each.
                patch.bodies = numbers + zeros + zeros
                owner = .body
            case .blocksWithoutChunks:
                patch.bodies = [1, 0]
                patch.bodies.appendNumber(UInt64(count << 18))
                patch.blockEnds = numbers + [UInt8](repeating: 0, count: count - 1) + [1]
                owner = .block
            }
            guard self != .bodiesWithoutRows else { return }
            patch.index += zeros
            patch.classes[owner]?.rowWidth = 1
            patch.classes[owner]?.rowCount = UInt32(count)
            patch.classes[owner]?.rows = try FileExtent(offset: rows, length: UInt64(count), within: .max)
            patch.classes[owner]?.keys = []
        }
    }

    @Test(arguments: Claim.allCases)
    func claimsTakeNoMemory(_ claim: Claim) throws {
        let names = try write(claim.make)
        let outcome = try HostileArchive.run(
            [WebarcTool.path, "patch", names.old.string, names.patch.string, "-o", folder.path("result.webarc").string])
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.memory < 256 << 20, "\(outcome.memory) bytes of memory")
    }

    // MARK: - Limits

    /// A short patch whose bodies are coded against bodies of 25 blocks of the old archive in turn, more than a reader keeps.
    @Test(arguments: [(100, ArchiveError.Code.damaged), (8_000, .limitExceeded)])
    func theSameBlocksAreNotDecodedAgainAndAgain(_ count: Int, _ code: ArchiveError.Code) throws {
        var random = SeededGenerator.printed()
        for number in 0..<4_000 {
            try folder.write("pages/\(number).txt", random.bytes(200).hexadecimal.utf8)
        }
        let packed = folder.path("pages.webarc")
        let run = try WebarcTool.run("pack", folder.path("pages").string, "-o", packed.string)
        #expect(run.status == 0, "\(run.errors)")
        let names = try write(oldArchive: packed) { patch in
            // A kind for each, its rank less the expected one, and its length less that of the old body.
            var (ranks, lengths) = ([UInt8](), [UInt8]())
            for number in 0..<count {
                ranks.appendSigned(number == 0 ? 0 : number % 25 == 0 ? -24 * 160 - 1 : 160 - 1)
                lengths.appendSigned(1 - 400)
            }
            patch.bodies = []
            patch.bodies.appendNumber(UInt64(count))
            patch.bodies += [UInt8](repeating: 2, count: count) + ranks + lengths
            patch.blockEnds = [1]
            patch.blockEnds.appendNumber(UInt64(count))
            let rows = UInt64(patch.index.count)
            patch.index += [UInt8](repeating: 0, count: count * ContentDigest.length)
            patch.classes[.body]?.rowWidth = ContentDigest.length
            patch.classes[.body]?.rowCount = UInt32(count)
            patch.classes[.body]?.rows = try FileExtent(
                offset: rows, length: UInt64(count * ContentDigest.length), within: .max)
            patch.classes[.body]?.keys = []
        }
        let error = #expect(throws: ArchiveError.self) {
            try ArchivePatcher(from: names.old, patch: names.patch).run(into: folder.path("result.webarc"))
        }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: folder.path("result.webarc").string))
    }

    /// An archive of which some bytes stand for many: bodies of zeros, or bytes that no index has.
    @Test(arguments: [false, true])
    func moreThanTheLimitIsRefused(_ areBodies: Bool) throws {
        let names = try write { _ in }
        let long = [UInt8](repeating: 0, count: 3 << 20)
        let new = folder.path("long.webarc")
        if areBodies {
            let writer = try ArchiveWriter(creating: new)
            try writer.add(
                ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse(), body: writer.addBody(long))
            try writer.commit()
            #expect(try folder.read("long.webarc").count < 1 << 20)
        } else {
            try folder.write("long.webarc", Self.archive(ofBlocks: long))
        }
        let patch = folder.path("long.webarcpatch")
        try ArchiveDiffer(from: names.old, to: new).run(into: patch)
        var patcher = ArchivePatcher(from: names.old, patch: patch)
        patcher.maximumLength = 3 << 20 - 1
        let error = #expect(throws: ArchiveError.self) { try patcher.run(into: folder.path("result.webarc")) }
        #expect(error?.code == .limitExceeded && error?.recovery == .raiseLimit, "\(String(describing: error))")
        #expect(!FileManager.default.fileExists(atPath: folder.path("result.webarc").string))
        patcher.maximumLength = 4 << 20
        try patcher.run(into: folder.path("result.webarc"))
        #expect(try folder.read("result.webarc") == folder.read("long.webarc"))
    }

    /// A tree covers all commits since the last statement, so that trees without statements would cost the square of their number.
    @Test func aTreeWithoutAStatementIsNotDerived() throws {
        let key = ArchiveSigningKey()
        let signed = folder.path("signed.webarc")
        let writer = try ArchiveWriter(
            creating: signed, options: .init(signing: ArchiveSigning([key], series: "site", sequence: 1)))
        try writer.add(ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse())
        try writer.commit()
        // Of the statement remains a section that no reader knows.
        var archive = try folder.read("signed.webarc")
        let layout = try #require(StoredArchive(ArchiveReader(bytes: archive)).layouts.last)
        let table = Int(layout.footer.sectionTableOffset)..<Int(layout.footer.offset)
        let name = try #require(archive[table].firstRange(of: Array("SIGN".utf8)))
        archive.replaceSubrange(name, with: Array("XIGN".utf8))
        var footer = layout.footer
        footer.sectionTableChecksum = Checksum.of(archive[table])
        archive.replaceSubrange(Int(footer.offset)..<Int(footer.end), with: footer.encoded())
        try checkRoundTrip(to: archive)

        var hostile = try HostilePatch(
            folder.read("strange.webarcpatch"), old: folder.read("old.webarc"), new: archive, withTree: true)
        hostile.deriveTree()
        hostile.endsStream = try CommitImage(StoredArchive(ArchiveReader(bytes: archive)), 0).ends(withTree: false)
        let patch = try folder.write("tree.webarcpatch", hostile.encoded())
        let error = #expect(throws: ArchiveError.self) {
            try ArchivePatcher(from: folder.path("old.webarc"), patch: patch).run(into: folder.path("result-2.webarc"))
        }
        #expect(error?.message.contains("statement") == true, "\(String(describing: error))")
    }

    /// A block of one byte that claims to be a longer one of the old archive: a million of these would be held in memory.
    @Test(arguments: [false, true])
    func aBlockIsNotALongerOne(_ isLiteral: Bool) throws {
        let names = try write { patch in
            patch.bodies = [1, 0, 1]
            patch.blockEnds = [1, 1]
            // One block, whose code is the first block of the old archive.
            patch.rest = [1, isLiteral ? 1 : 0, 1, 1]
            guard !isLiteral else { return }
            let frame = try DeltaCoder().encode([0x41], prefix: [], level: 1)
            patch.rest.appendNumber(UInt64(frame.count))
            patch.rest += frame
        }
        let error = #expect(throws: ArchiveError.self) {
            try ArchivePatcher(from: names.old, patch: names.patch).run(into: folder.path("result.webarc"))
        }
        #expect(
            error?.code == .damaged && error?.message.contains("expected one of 1") == true,
            "\(String(describing: error))")
    }

    /// A body of two letters at random, of which LZ4HC compresses a MiB in some seconds, and which a patch can name any number of times.
    @Test(arguments: [(1, ArchiveError.Code.damaged), (24, .limitExceeded)])
    func compressingTakesAsManySteps(_ count: Int, _ code: ArchiveError.Code) throws {
        var random = SeededGenerator.printed()
        let old = folder.path("letters.webarc")
        try Self.write(Self.twoLetters(256 << 10, &random), to: old, .standard)
        let names = try write(oldArchive: old) { patch in
            patch.setLevel(12)
            try Self.claimOwnBlocks(count, &patch)
        }
        let error = #expect(throws: ArchiveError.self) {
            try ArchivePatcher(from: names.old, patch: names.patch).run(into: folder.path("result.webarc"))
        }
        #expect(error?.code == code, "\(String(describing: error))")
    }

    /// Chunks of which each claims the most edits that a frame can have. They are charged before they are decoded, which these frames cannot be.
    @Test func editsAreFew() throws {
        let names = try write { patch in
            let (chunks, blocks) = (5, 16)
            try Self.claimOwnBlocks(chunks * blocks, &patch)
            (patch.bodies, patch.rest) = ([], [])
            patch.bodies.appendNumber(UInt64(chunks * blocks))
            patch.bodies += [UInt8](repeating: 0, count: chunks * blocks)
            for _ in 0..<chunks * blocks { patch.bodies.appendNumber(1 << ArchiveWriter.Options().blockExponent) }
            for _ in 0..<chunks {
                // Blocks, edits, own codes; a frame of one byte; nothing that is inserted.
                patch.rest += [UInt8(blocks), 2, 0, UInt8(blocks)]
                patch.rest.appendNumber(16 << 20)
                patch.rest += [1, 0, 0]
            }
        }
        var patcher = ArchivePatcher(from: names.old, patch: names.patch)
        // The chunks of a round are read before the first of them is worked on.
        patcher.threads = 4
        let error = #expect(throws: ArchiveError.self) { try patcher.run(into: folder.path("result.webarc")) }
        #expect(
            error?.code == .limitExceeded && error?.message.contains("edits") == true, "\(String(describing: error))")
    }

    /// A byte of edits for each one of the old archive and of the patch is allowed, and half of that to a writer.
    @Test func editsAreInProportionToBothFiles() throws {
        let names = try write { _ in }
        let old = StoredArchive(try ArchiveReader(path: names.old))
        let limit = 64 << 20 + 1_000 + Int(old.committedLength)
        let limits = PatchLimits(old, patchLength: 1_000)
        try limits.take(edits: limit)
        #expect(throws: ArchiveError(.limitExceeded, "")) { try limits.take(edits: 1) }
        let writing = PatchLimits(old, patchLength: 1_000)
        #expect(writing.note(edits: limit / 2) && !writing.note(edits: 1))
    }

    /// Has a commit consist of bodies that are all the first one of the old archive, each in a block of its own that is compressed again.
    private static func claimOwnBlocks(_ count: Int, _ patch: inout HostilePatch) throws {
        patch.bodies = []
        patch.bodies.appendNumber(UInt64(count))
        patch.bodies += [UInt8](repeating: 1, count: count)
        for number in 0..<count { patch.bodies.appendSigned(number == 0 ? 0 : -1) }
        patch.blockEnds = []
        patch.blockEnds.appendNumber(UInt64(count))
        patch.blockEnds += [UInt8](repeating: 1, count: count)
        let rows = UInt64(patch.index.count)
        patch.index += [UInt8](repeating: 0, count: count * (1 + ContentDigest.length))
        patch.classes[.block]?.rowWidth = 1
        patch.classes[.block]?.rowCount = UInt32(count)
        patch.classes[.block]?.rows = try FileExtent(offset: rows, length: UInt64(count), within: .max)
        patch.classes[.block]?.keys = [
            ClassTable.Key(key: .blockCoding, width: 0, offset: 0, base: Int64(BlockCoding.lz4.rawValue), step: 1)
        ]
        patch.classes[.body]?.rowWidth = ContentDigest.length
        patch.classes[.body]?.rowCount = UInt32(count)
        patch.classes[.body]?.rows = try FileExtent(
            offset: rows + UInt64(count), length: UInt64(count * ContentDigest.length), within: .max)
        patch.classes[.body]?.keys = []
        // One chunk of own blocks, with no bytes but those of the old archive.
        patch.rest = []
        patch.rest.appendNumber(UInt64(count))
        patch.rest += [0, 0]
        patch.rest.appendNumber(UInt64(count))
    }

    /// Short blocks that are compressed against one of two long dictionaries in turn, which has to be prepared for each.
    @Test(arguments: [(3_000, ArchiveError.Code.damaged), (4_500, .limitExceeded)])
    func dictionariesInTurnAreCharged(_ count: Int, _ code: ArchiveError.Code) throws {
        let short = Array("<p>Text that is in the dictionary, in its last bytes as well</p>".utf8)
        let old = folder.path("dictionary.webarc")
        let writer = try ArchiveWriter(creating: old)
        for (name, repetitions) in [("short", 1), ("long", FormatLimits.maximumDictionaryLength / short.count)] {
            try writer.add(
                ArchiveRequest(url: "https://site.example/\(name)"), response: ArchiveResponse(),
                body: writer.addBody(Array(repeatElement(short, count: repetitions).joined())))
        }
        try writer.commit()
        let names = try write(oldArchive: old) { patch in
            try Self.claimOwnBlocks(count + 2, &patch)
            // The last two are the long body: no further than expected, and one less.
            patch.bodies.removeLast(2)
            patch.bodies.appendSigned(0)
            patch.bodies.appendSigned(-1)
            patch.ranks = Array(0..<UInt32(count + 2))
            let blocks = try #require(patch.classes[.block]?.rows)
            for number in 0..<count { patch.index[Int(blocks.offset) + number] = UInt8(1 + number % 2) }
            patch.classes[.block]?.keys.append(
                ClassTable.Key(key: .blockDictionary, width: 1, offset: 0, base: 0, step: 1))
            let rows = UInt64(patch.index.count)
            for number in [UInt16(count), UInt16(count + 1)] {
                patch.index += withUnsafeBytes(of: number.littleEndian, Array.init)
            }
            patch.classes[.dictionary] = ClassTable.Table(
                rowWidth: 2, rowCount: 2, firstRow: 0, rows: try FileExtent(offset: rows, length: 4, within: .max),
                heap: try FileExtent(offset: 0, length: 0, within: .max),
                keys: [ClassTable.Key(key: .dictionaryBody, width: 2, offset: 0, base: 1, step: 1)])
        }
        let error = #expect(throws: ArchiveError.self) {
            try ArchivePatcher(from: names.old, patch: names.patch).run(into: folder.path("result.webarc"))
        }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(
            code == .damaged || error?.message.contains("bytes of the old archive") == true,
            "\(String(describing: error))")
    }

    /// A fraction of a byte of the patch stands for a body and a block, which take hundreds of bytes of memory.
    @Test func bodiesAndBlocksAreFew() throws {
        let names = try write { patch in try Self.claimOwnBlocks(70_000, &patch) }
        let error = #expect(throws: ArchiveError.self) {
            try ArchivePatcher(from: names.old, patch: names.patch).run(into: folder.path("result.webarc"))
        }
        #expect(
            error?.code == .limitExceeded && error?.message.contains("70000 blocks") == true,
            "\(String(describing: error))")
    }

    /// The same text in a new archive: a patch has its blocks as they are, and at lower levels the text.
    @Test(arguments: [(6, false), (12, true)])
    func blocksThatTakeLongToCompressComeAsTheyAre(_ level: Int, _ areLiteral: Bool) throws {
        var random = SeededGenerator.printed()
        let names = try write { _ in }
        let new = folder.path("letters.webarc")
        try Self.write(Self.twoLetters(1 << 20, &random), to: new, .level(level))
        let patch = folder.path("letters.webarcpatch")
        let summary = try ArchiveDiffer(from: names.old, to: new).run(into: patch)
        #expect((summary.literalLength > 0) == areLiteral, "\(summary.literalLength) bytes as they are")
        try ArchivePatcher(from: names.old, patch: patch).run(into: folder.path("result.webarc"))
        #expect(try folder.read("result.webarc") == folder.read("letters.webarc"))
    }

    private static func twoLetters(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0x61...0x62, using: &random) }
    }

    private static func write(_ body: [UInt8], to path: FilePath, _ level: CompressionLevel) throws {
        let writer = try ArchiveWriter(creating: path, options: .init(level: level))
        try writer.add(
            ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse(), body: writer.addBody(body))
        try writer.commit()
    }

    /// Rows of one byte that stand for eight bytes of memory each, in one class or in several together.
    @Test(arguments: [[3 << 20], [1 << 20, 1 << 20, 1 << 20]])
    func rowsWithReferencesAreFew(_ counts: [Int]) throws {
        let keys: [IndexKey] = [.responseBody, .redirectBody, .requestBody]
        let names = try write { patch in
            for (key, count) in zip(keys, counts) {
                let rows = UInt64(patch.index.count)
                patch.index += [UInt8](repeating: 0, count: count)
                let nothing = try FileExtent(offset: 0, length: 0, within: .max)
                patch.classes[key.owner] = ClassTable.Table(
                    rowWidth: 1, rowCount: UInt32(count), firstRow: 0,
                    rows: try FileExtent(offset: rows, length: UInt64(count), within: .max),
                    heap: patch.classes[key.owner]?.heap ?? nothing,
                    keys: [ClassTable.Key(key: key, width: 1, offset: 0, base: 0, step: 1)])
            }
        }
        let error = #expect(throws: ArchiveError.self) {
            try ArchivePatcher(from: names.old, patch: names.patch).run(into: folder.path("result.webarc"))
        }
        #expect(
            error?.code == .limitExceeded && error?.message.contains("rows of") == true, "\(String(describing: error))")
    }

    // MARK: - Archives of strangers

    /// The round trip to an archive that is not what a writer writes.
    private func checkRoundTrip(to archive: [UInt8]) throws {
        try apply { _ in }
        let (old, new) = (folder.path("old.webarc"), try folder.write("strange.webarc", archive))
        let (patch, result) = (folder.path("strange.webarcpatch"), folder.path("strange-result.webarc"))
        try ArchiveDiffer(from: old, to: new).run(into: patch)
        try ArchivePatcher(from: old, patch: patch).run(into: result)
        #expect(try folder.read("strange-result.webarc") == archive)
    }

    @Test func anArchiveWhoseBlocksHaveNoRows() throws {
        try checkRoundTrip(to: Self.archive(ofBlocks: Array("bytes that belong to no block".utf8)))
    }

    /// An archive of one commit that has nothing but a section of blocks.
    private static func archive(ofBlocks blocks: [UInt8]) throws -> [UInt8] {
        var sections = SectionTable()
        sections.append(
            SectionTable.Section(
                kind: .blocks, isRequired: true,
                extent: try FileExtent(offset: 96, length: UInt64(blocks.count), within: .max)))
        let table = sections.encoded()
        let footer = CommitFooter(
            offset: UInt64(96 + blocks.count + table.count), previousFooter: 0, commitNumber: 0, sectionCount: 1,
            commitStart: 96, sectionTableChecksum: Checksum.of(table))
        return ArchiveHeader().encoded() + blocks + table + footer.encoded()
    }

    @Test func anArchiveWhoseKeyIsNoURL() throws {
        try apply { _ in }
        var archive = try folder.read("new.webarc")
        let commit = try #require(StoredArchive(ArchiveReader(bytes: archive)).layouts.first)
        let (index, sums) = (try #require(commit.sections[.index]), try #require(commit.sections[.indexSums]))
        let range = Int(index.extent.offset)..<Int(index.extent.end)
        let key = try #require(archive[range].firstRange(of: Array("https://".utf8)))
        archive.replaceSubrange(key, with: Array("http:s//".utf8))
        let sum = withUnsafeBytes(of: Checksum.of(archive[range]).littleEndian, Array.init)
        archive.replaceSubrange(Int(sums.extent.offset)..<Int(sums.extent.end), with: sum)
        try checkRoundTrip(to: archive)
    }
}
