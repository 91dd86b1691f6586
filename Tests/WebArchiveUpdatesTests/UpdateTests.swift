// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveUpdates

/// Releases of a publisher, and an archive that is brought to the newest of them.
@Suite struct UpdateTests {
    private let folder: TemporaryFolder
    private let key = ArchiveSigningKey()
    private let (site, releases): (FilePath, FilePath)

    init() throws {
        folder = try TemporaryFolder()
        (site, releases) = (folder.path("site.webarc"), folder.path("releases"))
    }

    /// Releases editions 1 to `count`, and gives their archives.
    @discardableResult
    private func release(
        _ count: Int, signedBy keys: [ArchiveSigningKey]? = nil, keeping: Int = 5, lifetime: Int64? = nil,
        time: Int64? = nil
    ) throws -> [[UInt8]] {
        var random = SeededGenerator(seed: 15)
        var edition = Edition(&random, pageCount: 20, hasLongFiles: false)
        var archives: [[UInt8]] = []
        for number in 1...count {
            let signing = ArchiveSigning(keys ?? [key], series: "site", sequence: UInt64(number))
            let path = folder.path("edition.webarc")
            try edition.write(to: path, options: .init(signing: signing))
            var publisher = ArchiveRelease(into: releases, keys: keys ?? [key])
            publisher.keptEditions = keeping
            if let lifetime { publisher.lifetime = .seconds(lifetime) }
            if let time { publisher.time = time }
            try publisher.publish(path)
            archives.append(try folder.read("edition.webarc"))
            edition.change(&random)
        }
        return archives
    }

    private func updater(
        _ source: (any UpdateSource)? = nil, trusting keys: Set<ArchivePublicKey>? = nil
    ) -> ArchiveUpdater {
        ArchiveUpdater(site, from: source ?? FolderUpdateSource(releases), trust: ArchiveTrust(keys ?? [key.publicKey]))
    }

    private var installed: [UInt8]? { try? folder.read("site.webarc") }

    @Test func filesOfOthersInTheDownloadFolderStay() throws {
        let archives = try release(1)
        try folder.write("site.webarc.update/thesis.txt", Array("chapter 1".utf8))
        #expect(try updater().run() == .updated(from: nil, to: 1, patches: 0, loaded: UInt64(archives[0].count)))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("site.webarc.update").string) == [
                "thesis.txt"
            ])
        #expect(try updater().run() == .current(sequence: 1))
        #expect(try folder.read("site.webarc.update/thesis.txt") == Array("chapter 1".utf8))
    }

    /// The names beside the archive.
    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("site") }
                .sorted()
        }
    }

    // MARK: - Releasing

    /// An archive with damage in one place would be refused by every device.
    @Test(arguments: [0.1, 0.5, 0.9]) func aDamagedArchiveIsNotReleased(place: Double) throws {
        try release(1)
        let before = try FileManager.default.contentsOfDirectory(atPath: releases.string).sorted()
        let list = try folder.read("releases/\(UpdateManifest.fileName)")
        var random = SeededGenerator(seed: 16)
        let path = folder.path("edition.webarc")
        try Edition(&random).write(
            to: path, options: .init(signing: ArchiveSigning([key], series: "site", sequence: 2)))
        var bytes = try folder.read("edition.webarc")
        bytes[Int(Double(bytes.count) * place)] ^= 1
        try folder.write("edition.webarc", bytes)
        // It opens, for nothing that opening reads is damaged.
        _ = try ArchiveReader(path: path, trust: ArchiveTrust([key.publicKey]))
        let error = #expect(throws: ArchiveError.self) {
            try ArchiveRelease(into: releases, keys: [key]).publish(path)
        }
        #expect([.damaged, .untrusted].contains(error?.code) && error?.path == path.string)
        #expect(try FileManager.default.contentsOfDirectory(atPath: releases.string).sorted() == before)
        #expect(try folder.read("releases/\(UpdateManifest.fileName)") == list)
    }

    // MARK: - Ways

    @Test func anArchiveThatIsNotThereIsLoaded() throws {
        let archives = try release(2)
        #expect(try updater().run() == .updated(from: nil, to: 2, patches: 0, loaded: UInt64(archives[1].count)))
        #expect(installed == archives[1])
        #expect(try updater().run() == .current(sequence: 2))
        #expect(try names == ["site.webarc"])
    }

    @Test(arguments: 1...3)
    func aPatchIsCheaperThanTheArchive(_ start: Int) throws {
        let archives = try release(4)
        try folder.write("site.webarc", archives[start - 1])
        guard case .updated(let from, let to, let patches, let loaded) = try updater().run() else {
            Issue.record("not updated")
            return
        }
        #expect(from == UInt64(start) && to == 4 && patches == 1 && loaded < UInt64(archives[3].count))
        #expect(installed == archives[3])
        #expect(try folder.read("site.webarc.previous") == archives[start - 1])
    }

    /// The archives of old editions are gone, and the patches from them lead on.
    @Test func anOldEditionGoesByAChainOfPatches() throws {
        let archives = try release(6, keeping: 2)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: releases.string).filter { $0.hasSuffix(".webarc") }
                .count == 2)
        try folder.write("site.webarc", archives[3])
        guard case .updated(_, 6, let patches, _) = try updater().run() else {
            Issue.record("not updated")
            return
        }
        #expect(patches > 1 && installed == archives[5])
    }

    @Test func theEditionBeforeComesBack() throws {
        let archives = try release(2)
        try folder.write("site.webarc", archives[0])
        _ = try updater().run()
        #expect(
            try ArchiveUpdater.rollBack(site, trust: ArchiveTrust([key.publicKey]))
                == .updated(from: 2, to: 1, patches: 0, loaded: 0))
        #expect(installed == archives[0])
        #expect(try folder.read("site.webarc.previous") == archives[1])
    }

    /// A run that was killed before it gave the new edition the archive's name has kept the edition before already; one that was killed
    /// afterwards leaves what it loaded.
    @Test func aRunCleansUpAfterOneThatWasKilled() throws {
        let archives = try release(2)
        try folder.write("site.webarc", archives[0])
        try FileManager.default.linkItem(atPath: site.string, toPath: site.string + ".previous")
        try folder.write("site.webarc.previous.partial", archives[1])
        _ = try updater().run()
        #expect(try names == ["site.webarc", "site.webarc.previous"])
        #expect(try folder.read("site.webarc.previous") == archives[0])
        try folder.write("site.webarc.update/step-0.webarc", archives[1])
        #expect(try updater().run() == .current(sequence: 2))
        #expect(try names == ["site.webarc", "site.webarc.previous"])
    }

    /// The name is a link to an archive in another folder.
    @Test func anArchiveBehindALinkKeepsTheEditionBefore() throws {
        let archives = try release(2)
        try folder.write("data/real.webarc", archives[0])
        try FileManager.default.createSymbolicLink(
            atPath: site.string, withDestinationPath: folder.path("data/real.webarc").string)
        _ = try updater().run()
        #expect(try folder.read("data/real.webarc") == archives[1])
        #expect(try folder.read("site.webarc.previous") == archives[0])
        _ = try ArchiveUpdater.rollBack(site, trust: ArchiveTrust([key.publicKey]))
        #expect(try folder.read("data/real.webarc") == archives[0])
        #expect(try names == ["site.webarc", "site.webarc.previous", "site.webarc.rejected"])
    }

    /// Changed in the last bytes or in the first, cut to nothing, or filled with zeros, as file systems leave files after the power failed.
    @Test(
        arguments: [
            { $0.dropLast(10) + [$0[$0.count - 10] ^ 1] + $0.suffix(9) }, { [$0[0] ^ 1] + $0.dropFirst() }, { _ in [] },
            { $0.map { _ in 0 } },
        ] as [@Sendable ([UInt8]) -> [UInt8]])
    func aDamagedArchiveIsReplaced(_ damage: @Sendable ([UInt8]) -> [UInt8]) throws {
        let archives = try release(2)
        try folder.write("site.webarc", damage(archives[0]))
        try folder.write("site.webarc.previous", archives[0])
        _ = try updater().run()
        #expect(installed == archives[1])
        // A file that cannot be opened does not take the place of one that can.
        #expect(try folder.read("site.webarc.previous") == archives[0])
    }

    @Test func aFileOfAnotherKindStays() throws {
        try release(1)
        let text = Array("notes of the editor".utf8)
        try folder.write("site.txt", text)
        let updater = ArchiveUpdater(
            folder.path("site.txt"), from: FolderUpdateSource(releases), trust: ArchiveTrust([key.publicKey]))
        #expect(throws: ArchiveError(.alreadyExists, "")) { try updater.run() }
        #expect(try folder.read("site.txt") == text)
        // It is refused before anything is loaded.
        #expect(try names == ["site.txt"])
    }

    // MARK: - Sources that fail

    /// A source that breaks off, lies, or sends something else.
    private struct FailingSource: UpdateSource {
        let real: FolderUpdateSource
        /// Returns the bytes in place of those of a file.
        var bytes: @Sendable (String, [UInt8]) -> [UInt8] = { $1 }
        /// The bytes after which a load breaks off.
        var breakAfter: Int?
        var name: String { "a failing source" }

        func bytes(of name: String, atMost limit: Int) throws(ArchiveError) -> [UInt8] {
            bytes(name, try real.bytes(of: name, atMost: limit))
        }

        func append(
            _ name: String, from offset: UInt64, length: UInt64, to file: FileDescriptor, progress: (Int) -> Void
        ) throws(ArchiveError) {
            let whole = bytes(name, try real.bytes(of: name, atMost: 1 << 30))
            let rest = whole.dropFirst(Int(offset)).prefix(breakAfter ?? .max)
            do { try file.writeAll(rest) } catch { throw ArchiveError(.io, "cannot write", cause: error) }
            progress(rest.count)
            if Int(offset) + rest.count < Int(length) { throw ArchiveError(.io, "the connection was lost") }
        }
    }

    @Test func aLoadThatBreaksOffGoesOn() throws {
        let archives = try release(1)
        var source = FailingSource(real: FolderUpdateSource(releases))
        source.breakAfter = archives[0].count / 3
        for _ in 0..<2 {
            #expect(throws: ArchiveError(.io, "")) { try updater(source).run() }
            #expect(installed == nil)
        }
        source.breakAfter = nil
        guard case .updated(_, _, _, let loaded) = try updater(source).run() else {
            Issue.record("not updated")
            return
        }
        #expect(installed == archives[0] && Int(loaded) < archives[0].count / 2)
        #expect(try names == ["site.webarc"])
    }

    /// The installed archive is damaged where the patch copies from it, and the whole archive cannot be loaded.
    @Test func aStepThatFailsLeavesNothing() throws {
        var archive = try release(2)[0]
        archive[archive.count / 2] ^= 1
        try folder.write("site.webarc", archive)
        var source = FailingSource(real: FolderUpdateSource(releases))
        source.bytes = { name, bytes in name.hasSuffix(".webarc") ? Array(bytes.prefix(100)) : bytes }
        let failure = Mutex<ArchiveError?>(nil)
        var updater = updater(source)
        updater.onPatchFailure = { error in failure.withLock { $0 = error } }
        #expect(throws: ArchiveError(.io, "")) { try updater.run() }
        #expect(failure.withLock(\.self)?.code == .damaged)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("site.webarc.update").string)
        #expect(left.count == 2 && !left.contains { $0.hasPrefix("step-") })
    }

    @Test func aPatchThatIsAnotherLeavesTheWholeArchive() throws {
        let archives = try release(2)
        try folder.write("site.webarc", archives[0])
        var source = FailingSource(real: FolderUpdateSource(releases))
        source.bytes = { name, bytes in name.hasSuffix("patch") ? bytes.map { $0 ^ 1 } : bytes }
        let failure = Mutex<ArchiveError?>(nil)
        var updater = updater(source)
        updater.onPatchFailure = { error in failure.withLock { $0 = error } }
        defer { #expect(failure.withLock(\.self)?.code == .damaged) }
        #expect(try updater.run() == .updated(from: 1, to: 2, patches: 0, loaded: UInt64(archives[1].count)))
        #expect(installed == archives[1])
    }

    @Test(arguments: [
        "<!DOCTYPE html><title>Log in to the network</title>", "", "{}",
        "{\"payload\":\"e30=\",\"payloadType\":\"application/vnd.webarc.updates+json\",\"signatures\":[]}",
    ])
    func somethingElseInPlaceOfTheList(_ text: String) throws {
        let archives = try release(2)
        try folder.write("site.webarc", archives[0])
        var source = FailingSource(real: FolderUpdateSource(releases))
        source.bytes = { name, bytes in name == "updates.json" ? Array(text.utf8) : bytes }
        let error = try #require(throws: ArchiveError.self) { try updater(source).run() }
        #expect(error.code == .damaged || error.code == .untrusted)
        #expect(installed == archives[0])
        #expect(try names == ["site.webarc"])
    }

    @Test func anArchiveThatIsAnotherIsNotInstalled() throws {
        let archives = try release(2)
        try folder.write("site.webarc", archives[0])
        var source = FailingSource(real: FolderUpdateSource(releases))
        source.bytes = { name, bytes in name == "updates.json" ? bytes : bytes.map { $0 ^ 1 } }
        #expect(throws: ArchiveError(.damaged, "")) { try updater(source).run() }
        #expect(installed == archives[0])
    }

    // MARK: - Trust

    @Test func aListOfOtherKeysIsRefused() throws {
        let archives = try release(2, signedBy: [ArchiveSigningKey()])
        try folder.write("site.webarc", archives[0])
        #expect(throws: ArchiveError(.untrusted, "")) { try updater().run() }
        #expect(installed == archives[0])
    }

    @Test func anOlderListIsRefused() throws {
        let archives = try release(3)
        let newest = archives[2]
        try FileManager.default.removeItem(atPath: releases.string)
        try release(2)
        try folder.write("site.webarc", newest)
        #expect(throws: ArchiveError(.untrusted, "")) { try updater().run() }
        #expect(installed == newest)
    }

    @Test(arguments: [(999, true), (1_000, false), (nil, true)] as [(Int64?, Bool)])
    func anOutdatedListIsRefused(_ now: Int64?, _ isTaken: Bool) throws {
        let archives = try release(1, lifetime: 900, time: 100)
        var updater = updater()
        updater.time = now
        if isTaken {
            _ = try updater.run()
            #expect(installed == archives[0])
        } else {
            #expect(throws: ArchiveError(.untrusted, "")) { try updater.run() }
            #expect(installed == nil)
        }
    }

    /// A list may name any time, also one whose distance to the present has no number with a sign.
    @Test func aListThatWasOutdatedAtTheBeginningOfTime() throws {
        try release(1, lifetime: .min, time: 0)
        #expect(throws: ArchiveError(.untrusted, "")) { try updater().run() }
        #expect(installed == nil)
    }

    @Test func anEndorsedKeySignsTheNextEdition() throws {
        let archives = try release(1)
        try folder.write("site.webarc", archives[0])
        let next = ArchiveSigningKey()
        let endorsement = try key.endorse(next.publicKey)
        var random = SeededGenerator(seed: 15)
        let path = folder.path("edition.webarc")
        let signing = ArchiveSigning([next], series: "site", sequence: 2, endorsements: [endorsement])
        try Edition(&random).write(to: path, options: .init(signing: signing))
        var publisher = ArchiveRelease(into: releases, keys: [next])
        publisher.endorsements = [endorsement]
        try publisher.publish(path)
        _ = try updater().run()
        #expect(try installed == folder.read("edition.webarc"))
        // A reader that knows the new key alone takes it, too.
        #expect(try updater(trusting: [next.publicKey]).run() == .current(sequence: 2))
    }

    @Test func editionsOfAnotherSeriesAreRefused() throws {
        var random = SeededGenerator(seed: 15)
        let signing = ArchiveSigning([key], series: "another", sequence: 1)
        try Edition(&random).write(to: site, options: .init(signing: signing))
        let before = installed
        try release(2)
        #expect(throws: ArchiveError(.invalidArgument, "")) { try updater().run() }
        #expect(installed == before)
    }

    // MARK: - Publishing

    @Test func whatIsNotNewerIsNotReleased() throws {
        let archives = try release(2)
        let list = try folder.read("releases/updates.json")
        let publisher = ArchiveRelease(into: releases, keys: [key])
        try folder.write("first.webarc", archives[0])
        #expect(throws: ArchiveError(.alreadyExists, "")) { try publisher.publish(folder.path("first.webarc")) }
        let stranger = ArchiveRelease(into: releases, keys: [ArchiveSigningKey()])
        #expect(throws: ArchiveError(.untrusted, "")) { try stranger.publish(folder.path("edition.webarc")) }
        #expect(try folder.read("releases/updates.json") == list)
    }
}
