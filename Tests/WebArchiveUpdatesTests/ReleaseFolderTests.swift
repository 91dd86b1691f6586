// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveUpdates

/// Release folders whose lists are renewed, and from which somebody removed files.
@Suite struct ReleaseFolderTests {
    private let folder: TemporaryFolder
    private let key = ArchiveSigningKey()
    private let releases: FilePath

    init() throws {
        folder = try TemporaryFolder()
        releases = folder.path("public/releases")
    }

    private func edition(_ number: Int) throws -> FilePath {
        let path = folder.path("edition-\(number).webarc")
        guard FileStatus(of: path) == nil else { return path }
        var random = SeededGenerator(seed: UInt64(number))
        let signing = ArchiveSigning([key], series: "site", sequence: UInt64(number))
        try Edition(&random, pageCount: 12, hasLongFiles: false).write(to: path, options: .init(signing: signing))
        return path
    }

    @discardableResult
    private func release(
        _ number: Int, lifetime: ArchiveRelease.Lifetime = .asBefore, time: Int64 = 1_000
    ) throws -> ArchiveRelease.Summary {
        var publisher = ArchiveRelease(into: releases, keys: [key], time: time)
        publisher.lifetime = lifetime
        return try publisher.publish(edition(number))
    }

    private var names: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: releases.string)) }
    }

    private func update(at time: Int64) throws {
        var updater = ArchiveUpdater(
            folder.path("site.webarc"), from: FolderUpdateSource(releases), trust: ArchiveTrust([key.publicKey]))
        updater.time = time
        _ = try updater.run()
    }

    @Test func aForgottenEndorsementIsTold() throws {
        try release(1)
        let new = ArchiveSigningKey()
        let path = folder.path("edition-2.webarc")
        var random = SeededGenerator(seed: 2)
        let endorsement = try key.endorse(new.publicKey)
        let signing = ArchiveSigning([new], series: "site", sequence: 2, endorsements: [endorsement])
        try Edition(&random, pageCount: 12, hasLongFiles: false).write(to: path, options: .init(signing: signing))
        var publisher = ArchiveRelease(into: releases, keys: [new], time: 1_000)
        publisher.endorsements = [endorsement]
        #expect(try publisher.publish(path).forgottenKeys.isEmpty)
        publisher.endorsements = []
        #expect(try publisher.publish(path).forgottenKeys == [key.publicKey])
        // It is told once: the next list before has none either.
        #expect(try publisher.publish(path).forgottenKeys.isEmpty)
    }

    /// The secret key of the first list is lost; devices know both keys.
    @Test func aListOfALostKeyContinues() throws {
        try release(1)
        let reserve = ArchiveSigningKey()
        let path = folder.path("edition-2.webarc")
        var random = SeededGenerator(seed: 2)
        let signing = ArchiveSigning([reserve], series: "site", sequence: 2)
        try Edition(&random, pageCount: 12, hasLongFiles: false).write(to: path, options: .init(signing: signing))
        var publisher = ArchiveRelease(into: releases, keys: [reserve], time: 1_000)
        let error = try #require(throws: ArchiveError.self) { try publisher.publish(path) }
        #expect(error.code == .untrusted && error.recovery == .signWithFormerKey)
        publisher.formerKeys = [ArchiveSigningKey().publicKey]
        #expect(throws: ArchiveError(.untrusted, "")) { try publisher.publish(path) }
        publisher.formerKeys = [key.publicKey]
        let summary = try publisher.publish(path)
        #expect(summary.editionCount == 2 && summary.patches.map(\.from) == [1])
        let trust = ArchiveTrust([key.publicKey, reserve.publicKey])
        let site = try folder.write("site.webarc", folder.read("edition-1.webarc"))
        guard
            case .updated(1, 2, 1, _) = try ArchiveUpdater(site, from: FolderUpdateSource(releases), trust: trust).run()
        else {
            Issue.record("not updated by the patch")
            return
        }
    }

    /// A release that was killed leaves the archive itself; any other file is somebody's.
    @Test func aFileUnderTheNameOfAnEditionIsNotReplaced() throws {
        try release(1)
        let name = releases.appending("site-2.webarc")
        let own = try folder.read("edition-1.webarc")
        try folder.write("public/releases/site-2.webarc", own)
        let error = try #require(throws: ArchiveError.self) { try release(2) }
        #expect(error.code == .alreadyExists && error.path == name.string)
        #expect(try folder.read("public/releases/site-2.webarc") == own)
        #expect(try names == ["site-1.webarc", "site-2.webarc", "updates.json"])
        try folder.write("public/releases/site-2.webarc", folder.read("edition-2.webarc"))
        #expect(try release(2).editionCount == 2)
    }

    @Test func anExpiredListSaysWhen() throws {
        try release(1, lifetime: .seconds(100))
        let error = try #require(throws: ArchiveError.self) { try update(at: 1_150) }
        #expect(error.message.contains("1970-01-01T00:18:20Z") && error.message.contains("1970-01-01T00:19:10Z"))
    }

    @Test func theSameEditionRenewsTheList() throws {
        try release(1)
        try release(2, lifetime: .seconds(100))
        let before = try names
        #expect(throws: ArchiveError(.untrusted, "")) { try update(at: 1_150) }
        let summary = try release(2, time: 1_100)
        #expect(summary.isRenewal && summary.expires == 1_200 && summary.editionCount == 2)
        #expect(try names == before)
        try update(at: 1_150)
    }

    @Test func aListKeepsTheLifetimeOfTheOneBefore() throws {
        #expect(try release(1).expires == nil)
        #expect(try release(2, lifetime: .seconds(100)).expires == 1_100)
        #expect(try release(3, time: 5_000).expires == 5_100)
        #expect(try release(4, lifetime: .unlimited).expires == nil)
        #expect(try release(5).expires == nil)
    }

    @Test func anArchiveThatIsGoneIsLeftOut() throws {
        try release(1)
        try release(2)
        try FileManager.default.removeItem(atPath: releases.appending("site-1.webarc").string)
        let summary = try release(3)
        #expect(summary.missing == [1] && summary.patches.map(\.from) == [2] && summary.editionCount == 2)
        // The patch from edition 1 to edition 2 leads on.
        let first = try folder.read("edition-1.webarc")
        try folder.write("site.webarc", first)
        try update(at: 1_000)
        #expect(try folder.read("site.webarc") == folder.read("edition-3.webarc"))
        #expect(summary.unlistedCount == 0)
    }

    @Test func aFailureLeavesNothingBehind() throws {
        try release(1)
        try release(2)
        let damaged = releases.appending("site-1.webarc")
        try Data("no archive".utf8).write(to: URL(filePath: damaged.string))
        let before = try names
        #expect(throws: ArchiveError.self) { try release(3) }
        #expect(try names == before)
    }

    @Test func whatIsInNoListIsCounted() throws {
        try release(1)
        try release(2)
        try FileManager.default.removeItem(atPath: releases.appending("updates.json").string)
        // Edition 1, edition 2 and the patch.
        #expect(try release(3).unlistedCount == 3)
    }

    /// The list that a release is based on stays the newest until it is replaced.
    @Test func aReleaseAtATime() throws {
        try release(1)
        let third = try edition(3)
        let codes = Mutex<[ArchiveError.Code?]>([])
        try ArchiveRelease(into: releases, keys: [key], time: 1_000).publish(edition(2)) { [releases, key] _ in
            let error = #expect(throws: ArchiveError.self) {
                try ArchiveRelease(into: releases, keys: [key], time: 1_000).publish(third)
            }
            codes.withLock { $0.append(error?.code) }
        }
        #expect(codes.withLock { !$0.isEmpty && $0.allSatisfy { $0 == .locked } })
        #expect(try release(3).editionCount == 3)
    }

    /// The folder of a first release may be made by another one meanwhile.
    @Test func firstReleasesOfAFolderAreAllKeptOrRefused() throws {
        let editions = try (1...4).map(edition)
        let refusals = Mutex<[ArchiveError.Code?]>([])
        DispatchQueue.concurrentPerform(iterations: editions.count) { number in
            do {
                try ArchiveRelease(into: releases, keys: [key], time: 1_000).publish(editions[number])
            } catch {
                refusals.withLock { $0.append((error as? ArchiveError)?.code) }
            }
        }
        let refused = refusals.withLock(\.self)
        #expect(refused.allSatisfy { $0 == .locked || $0 == .alreadyExists })
        #expect(try release(5).editionCount == 5 - refused.count)
    }

    /// Another user may exchange the archive while the first of two patches is made.
    @Test func patchesAreMadeOfTheVerifiedArchive() throws {
        try release(1)
        try release(2)
        let (third, other) = (try edition(3), try edition(4))
        let expected = try folder.read("edition-3.webarc")
        let hasExchanged = Mutex(false)
        try ArchiveRelease(into: releases, keys: [key], time: 1_000).publish(third) { _ in
            hasExchanged.withLock { hasExchanged in
                guard !hasExchanged else { return }
                hasExchanged = true
                #expect(rename(other.string, third.string) == 0)
            }
        }
        #expect(hasExchanged.withLock { $0 })
        for number in 1...2 {
            let patch = releases.appending("site-3-from-\(number).webarcpatch")
            try ArchivePatcher(from: releases.appending("site-\(number).webarc"), patch: patch)
                .run(into: folder.path("patched.webarc"))
            #expect(try folder.read("patched.webarc") == expected)
        }
    }

    /// Another user may put a link in the folder's place while a patch is made; the folder that it leads to has files of the same names.
    @Test func aFailureRemovesNothingFromAnotherFolder() throws {
        try release(1)
        try release(2)
        let third = try edition(3)
        for name in ["site-3.webarc", "site-3-from-2.webarcpatch"] { try folder.write("other/\(name)", [1]) }
        let (moved, other, place) = (folder.path("moved").string, folder.path("other").string, releases.string)
        #expect(throws: ArchiveError.self) {
            try ArchiveRelease(into: releases, keys: [key], time: 1_000).publish(third) { _ in
                guard rename(place, moved) == 0 else { return }
                #expect(symlink(other, place) == 0)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: other).count == 2)
        let left = try Set(FileManager.default.contentsOfDirectory(atPath: moved))
        #expect(left == ["updates.json", "site-1.webarc", "site-2.webarc", "site-2-from-1.webarcpatch"])
    }

    /// The archive of an edition in the folder that is not the listed one.
    @Test func aPatchFromAnotherArchiveIsNotPublished() throws {
        try release(1)
        let first = releases.appending("site-1.webarc").string
        try Data(contentsOf: URL(filePath: edition(4).string)).write(to: URL(filePath: first))
        let before = try names
        #expect(throws: ArchiveError(.changed, "")) { try release(2) }
        #expect(try names == before)
    }

    @Test func aFailureLeavesWhatWasThere() throws {
        try release(1)
        try release(2)
        let left = releases.appending("site-3.webarc")
        try Data(contentsOf: URL(filePath: edition(3).string)).write(to: URL(filePath: left.string))
        let damaged = releases.appending("site-1.webarc")
        try Data("no archive".utf8).write(to: URL(filePath: damaged.string))
        let before = try names
        #expect(throws: ArchiveError.self) { try release(3) }
        #expect(try names == before)
    }
}
