// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchivePacking
import WebArchiveUpdates

/// Patches between editions of an archive: what they give, and what they refuse.
@Suite struct PatchTests {
    private let folder: TemporaryFolder
    private let (old, new, patch, result): (FilePath, FilePath, FilePath, FilePath)

    init() throws {
        folder = try TemporaryFolder()
        (old, new) = (folder.path("old.webarc"), folder.path("new.webarc"))
        (patch, result) = (folder.path("new.webarcpatch"), folder.path("result.webarc"))
    }

    /// Makes a patch, applies it, and compares the result.
    @discardableResult
    private func roundTrip(_ options: ArchiveDiffer.Options = .init()) throws -> ArchiveDiffer.Summary {
        let summary = try ArchiveDiffer(from: old, to: new, options: options).run(into: patch)
        let applied = try ArchivePatcher(from: old, patch: patch).run(into: result)
        #expect(try folder.read("result.webarc") == folder.read("new.webarc"))
        #expect(applied.newLength == summary.newLength && applied.patchLength == summary.patchLength)
        return summary
    }

    // MARK: - Editions

    @Test(arguments: 0..<8 * testEffort)
    func editionsThatDifferAtRandom(_ run: Int) throws {
        var random = SeededGenerator.printed()
        var edition = Edition(&random)
        let signing = run % 2 == 0 ? ArchiveSigning([ArchiveSigningKey()], series: "site", sequence: 1) : nil
        let options = ArchiveWriter.Options(
            level: [.fast, .level(1), .level(3), .level(12)][run / 2 % 4],
            blockExponent: UInt8.random(in: 12...20, using: &random), signing: signing)
        try edition.write(to: old, options: options)
        edition.change(&random)
        try edition.write(to: new, options: options)
        var diffing = ArchiveDiffer.Options()
        diffing.threads = run % 3 + 1
        let summary = try roundTrip(diffing)
        #expect(summary.patchLength < summary.newLength / 2 && summary.literalLength == 0)
        #expect(summary.sameBodies > 0 && summary.changedBodies > 0 && summary.newBodies > 0)
    }

    /// The appended commits are all that is sent.
    @Test func commitsBehindTheOldArchive() throws {
        var random = SeededGenerator(seed: 1)
        let edition = Edition(&random)
        try edition.write(to: old, options: .init())
        try folder.write("new.webarc", folder.read("old.webarc"))
        for name in ["first", "second"] {
            let writer = try ArchiveWriter(appendingTo: new)
            try writer.add(
                ArchiveRequest(url: "https://site.example/\(name)"), response: ArchiveResponse(),
                body: writer.addBody(Array(name.utf8)))
            try writer.commit()
        }
        #expect(try roundTrip().patchLength < 2_000)
    }

    @Test func theSameArchive() throws {
        var random = SeededGenerator(seed: 2)
        try Edition(&random).write(to: old, options: .init())
        try folder.write("new.webarc", folder.read("old.webarc"))
        #expect(try roundTrip().patchLength < 300)
    }

    /// A body is not taken for another that has its digest and its length.
    @Test func bodiesOfOneDigest() throws {
        for (path, body) in [(old, CollidingPair.first), (new, CollidingPair.second)] {
            let writer = try ArchiveWriter(creating: path)
            try writer.add(
                ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse(), body: writer.addBody(body))
            try writer.commit()
        }
        #expect(try roundTrip().sameBodies == 0)
    }

    /// Bytes behind two messages of one digest leave them with one digest: an archive can have any number of such bodies, and one run of the differ
    /// for each would take the square of their number.
    @Test func manyBodiesOfOneDigestTakeOneMoreRun() throws {
        var random = SeededGenerator.printed()
        // The first chunk, which is done in each run.
        let long = random.bytes(2 << 20)
        let ends = (0..<20).map { _ in random.bytes(64) }
        for (path, message) in [(old, CollidingPair.first), (new, CollidingPair.second)] {
            let writer = try ArchiveWriter(creating: path)
            try writer.add(
                ArchiveRequest(url: "https://site.example/long"), response: ArchiveResponse(),
                body: writer.addBody(long + [path == old ? 0 : 1]))
            for (number, end) in ends.enumerated() {
                try writer.add(
                    ArchiveRequest(url: "https://site.example/\(number)"), response: ArchiveResponse(),
                    body: writer.addBody(message + end))
            }
            try writer.commit()
        }
        let reports = Mutex<[UInt64]>([])
        let summary = try ArchiveDiffer(from: old, to: new).run(into: patch) { progress in
            reports.withLock { $0.append(progress.bytes) }
        }
        #expect(summary.sameBodies == 0)
        let first = try #require(reports.withLock { $0.first })
        #expect(reports.withLock { $0.count { $0 == first } } <= 2)
        try roundTrip()
    }

    @Test func aPortablePatchHasTheStoredBlocks() throws {
        var random = SeededGenerator(seed: 3)
        var edition = Edition(&random)
        try edition.write(to: old, options: .init(level: .level(9)))
        edition.change(&random)
        try edition.write(to: new, options: .init(level: .level(9)))
        var options = ArchiveDiffer.Options()
        options.isPortable = true
        let summary = try roundTrip(options)
        #expect(summary.literalLength > 0 && summary.patchLength > summary.literalLength)
    }

    @Test func aChainGivesWhatTheDirectPatchGives() throws {
        var random = SeededGenerator(seed: 4)
        var edition = Edition(&random)
        try edition.write(to: old, options: .init())
        try folder.write("step.webarc", folder.read("old.webarc"))
        let step = folder.path("step.webarc")
        for _ in 0..<10 {
            edition.change(&random)
            try edition.write(to: new, options: .init())
            try ArchiveDiffer(from: step, to: new).run(into: patch)
            try ArchivePatcher(from: step, patch: patch).run(into: step)
            #expect(try folder.read("step.webarc") == folder.read("new.webarc"))
        }
        try roundTrip()
        #expect(try folder.read("step.webarc") == folder.read("result.webarc"))
    }

    /// Dictionaries and shared blocks are those of the edition before, and some blocks are taken as they are.
    @Test func aChainOfEditionsThatArePackedLikeEachOtherGivesWhatTheDirectPatchGives() throws {
        var random = SeededGenerator(seed: 6)
        var edition = Edition(&random, pageCount: 200)
        var options = ArchivePacker.Options()
        options.baseURL = "https://site.example/"
        try edition.write(toFolder: "site", of: folder)
        _ = try ArchivePacker([folder.path("site")], into: old, options: options).run()
        for name in ["step.webarc", "new.webarc"] { try folder.write(name, folder.read("old.webarc")) }
        let step = folder.path("step.webarc")
        for _ in 0..<10 {
            edition.change(&random)
            try edition.write(toFolder: "site", of: folder)
            options.earlierEdition = try ArchiveReader(path: new)
            _ = try ArchivePacker([folder.path("site")], into: new, options: options).run()
            try ArchiveDiffer(from: step, to: new).run(into: patch)
            try ArchivePatcher(from: step, patch: patch).run(into: step)
            #expect(try folder.read("step.webarc") == folder.read("new.webarc"))
        }
        try roundTrip()
        #expect(try folder.read("step.webarc") == folder.read("result.webarc"))
    }

    // MARK: - Refusals

    /// Two editions, and the patch from one to the other.
    private func editions(signedBy key: ArchiveSigningKey? = nil) throws {
        var random = SeededGenerator(seed: 5)
        var edition = Edition(&random, pageCount: 20)
        let signing = key.map { ArchiveSigning([$0], series: "site", sequence: 1) }
        try edition.write(to: old, options: .init(blockExponent: 12, signing: signing))
        edition.change(&random)
        try edition.write(to: new, options: .init(blockExponent: 12, signing: signing))
        try ArchiveDiffer(from: old, to: new).run(into: patch)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    }

    @Test func anotherOldArchiveIsRefusedBeforeAnythingIsWritten() throws {
        try editions()
        let before = try names
        #expect(throws: ArchiveError(.changed, "")) { try ArchivePatcher(from: new, patch: patch).run(into: result) }
        #expect(try names == before)
    }

    /// A commit between the look at the old archive and the lock would be lost: the lock comes first.
    @Test func anotherWriterIsWaitedForBeforeTheOldArchiveIsRead() throws {
        try editions()
        let writer = try ArchiveWriter(appendingTo: new)
        #expect(throws: ArchiveError(.locked, "")) { try ArchivePatcher(from: new, patch: patch).run(into: new) }
        withExtendedLifetime(writer) {}
    }

    @Test(arguments: ["old.webarc", "empty"])
    func aFileThatIsNoPatch(_ name: String) throws {
        try editions()
        try folder.write("empty", [])
        #expect(throws: ArchiveError(.notAnArchive, "")) {
            try ArchivePatcher(from: old, patch: folder.path(name)).run(into: result)
        }
    }

    @Test func aPatchThatWasCutGivesNothing() throws {
        try editions()
        let whole = try folder.read("new.webarcpatch")
        for length in stride(from: 8, to: whole.count, by: max(1, whole.count / (100 * testEffort))) {
            try folder.write("new.webarcpatch", whole[..<length])
            #expect(throws: ArchiveError.self, "cut to \(length)") {
                try ArchivePatcher(from: old, patch: patch).run(into: result)
            }
        }
        #expect(try names.filter { $0.hasPrefix("result") }.isEmpty)
    }

    /// Bits that are ignored leave the result right; others leave none.
    @Test(arguments: 0..<10 * testEffort)
    func aDamagedPatchGivesNothingElse(_ run: Int) throws {
        try editions()
        var random = SeededGenerator.printed()
        let whole = try folder.read("new.webarcpatch")
        for count in 1...20 {
            var bytes = whole
            for _ in 0...count % 3 {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] ^= UInt8.random(in: 1...255, using: &random)
            }
            try folder.write("new.webarcpatch", bytes)
            do {
                try ArchivePatcher(from: old, patch: patch).run(into: result)
                #expect(try folder.read("result.webarc") == folder.read("new.webarc"))
                try FileManager.default.removeItem(atPath: result.string)
            } catch is ArchiveError {
                #expect(try names.filter { $0.hasPrefix("result") }.isEmpty)
            }
        }
    }

    /// Bytes that a writer left behind the last commit are no part of an archive.
    @Test func aTornTailOfTheOldArchiveDoesNotCount() throws {
        try editions()
        // The first commit alone has no recovery slot, by which it would be found behind a tail.
        let writer = try ArchiveWriter(appendingTo: old)
        try writer.add(ArchiveRequest(url: "https://site.example/later"), response: ArchiveResponse())
        try writer.commit()
        let whole = try folder.read("old.webarc")
        try folder.write("old.webarc", whole + [UInt8](repeating: 7, count: 1_000))
        try ArchiveDiffer(from: old, to: new).run(into: patch)
        try folder.write("old.webarc", whole)
        try ArchivePatcher(from: old, patch: patch).run(into: result)
        #expect(try folder.read("result.webarc") == folder.read("new.webarc"))
    }

    @Test func damageInTheOldArchiveIsFound() throws {
        try editions()
        var bytes = try folder.read("old.webarc")
        // The first block, which the new archive has as well or is coded against.
        for place in 100..<110 { bytes[place] ^= 1 }
        try folder.write("old.webarc", bytes)
        #expect(throws: ArchiveError(.damaged, "")) { try ArchivePatcher(from: old, patch: patch).run(into: result) }
        #expect(try names.filter { $0.hasPrefix("result") }.isEmpty)
    }

    @Test func aFileThatIsNoArchiveIsNotReplaced() throws {
        try editions()
        try folder.write("notes.txt", Array("Notes".utf8))
        #expect(throws: ArchiveError(.alreadyExists, "")) {
            try ArchivePatcher(from: old, patch: patch).run(into: folder.path("notes.txt"))
        }
        #expect(throws: ArchiveError(.alreadyExists, "")) {
            try ArchiveDiffer(from: old, to: new).run(into: folder.path("notes.txt"))
        }
        #expect(try folder.read("notes.txt") == Array("Notes".utf8))
    }

    @Test func keysDecideWhetherTheNewArchiveGetsItsName() throws {
        let key = ArchiveSigningKey()
        try editions(signedBy: key)
        let trusting = ArchivePatcher(from: old, patch: patch, trust: ArchiveTrust([key.publicKey]))
        let distrusting = ArchivePatcher(from: old, patch: patch, trust: ArchiveTrust([ArchiveSigningKey().publicKey]))
        #expect(throws: ArchiveError(.untrusted, "")) { try distrusting.run(into: result) }
        #expect(try names.filter { $0.hasPrefix("result") }.isEmpty)
        try trusting.run(into: old)
        #expect(try folder.read("old.webarc") == folder.read("new.webarc"))
    }
}
