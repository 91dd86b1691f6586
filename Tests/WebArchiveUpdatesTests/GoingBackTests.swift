// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveUpdates

/// A device that goes back from an edition, and one whose archive is damaged.
@Suite struct GoingBackTests {
    private let folder: TemporaryFolder
    private let key = ArchiveSigningKey()
    private let (site, releases): (FilePath, FilePath)

    init() throws {
        folder = try TemporaryFolder()
        (site, releases) = (folder.path("site.webarc"), folder.path("releases"))
    }

    private var record: SequenceRecord { SequenceRecord(path: folder.path("sequences")) }
    private var trust: ArchiveTrust { ArchiveTrust([key.publicKey], sequences: record) }

    /// Releases an edition, and gives its archive.
    @discardableResult
    private func release(_ number: Int, of series: String = "site", into name: String = "releases") throws -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(number))
        let path = folder.path("edition-\(number).webarc")
        let signing = ArchiveSigning([key], series: series, sequence: UInt64(number))
        try Edition(&random, pageCount: 12, hasLongFiles: false).write(to: path, options: .init(signing: signing))
        try ArchiveRelease(into: folder.path(name), keys: [key]).publish(path)
        return try folder.read("edition-\(number).webarc")
    }

    @discardableResult
    private func update(
        from name: String = "releases", _ trust: ArchiveTrust? = nil, verifying: Bool = false
    ) throws -> ArchiveUpdater.Outcome {
        var updater = ArchiveUpdater(
            site, from: FolderUpdateSource(folder.path(name)), trust: trust ?? self.trust)
        updater.verifiesNewest = verifying
        return try updater.run()
    }

    private var installed: [UInt8]? { try? folder.read("site.webarc") }
    private var previous: [UInt8]? { try? folder.read("site.webarc.previous") }

    /// Damages an archive in the middle, so that it still opens.
    private func damaged(_ archive: [UInt8]) -> [UInt8] {
        var archive = archive
        archive[archive.count / 2] ^= 1
        return archive
    }

    // MARK: - Going back

    /// Another user may have moved a private archive of this user to the name of the previous edition.
    @Test func aPrivatePreviousEditionStaysPrivateWhereOthersMayMoveFiles() throws {
        try release(1)
        try update()
        try release(2)
        try update()
        try #require(chmod(folder.path("site.webarc.previous").string, 0o600) == 0)
        try #require(chmod(folder.url.path, 0o777) == 0 && chmod(site.string, 0o644) == 0)
        _ = try ArchiveUpdater.rollBack(site, trust: trust)
        #expect(FileStatus(of: site)?.permissions == .ownerReadWrite)
    }

    @Test func theRejectedEditionDoesNotComeBack() throws {
        let first = try release(1)
        try update()
        let second = try release(2)
        try update()
        #expect(try ArchiveUpdater.rollBack(site, trust: trust) == .updated(from: 2, to: 1, patches: 0, loaded: 0))
        #expect(try update() == .rejected(newest: 2, stays: 1))
        // Neither does it for a program that keeps no record, or another one.
        #expect(try update(ArchiveTrust([key.publicKey])) == .rejected(newest: 2, stays: 1))
        #expect(installed == first && previous == second)
        #expect(try record.sequences() == ["site": 1])
        #expect(try ArchiveReader(path: site, trust: trust).statement?.sequence == 1)
        let third = try release(3)
        #expect(try update() != .rejected(newest: 3, stays: 1))
        #expect(installed == third && previous == first)
        #expect(try record.sequences() == ["site": 3])
    }

    @Test(arguments: ["\u{301}x", "a\nb", "a b", "%0A"])
    func theRejectedEditionOfAnySeriesDoesNotComeBack(_ series: String) throws {
        for number in 1...2 {
            try release(number, of: series)
            try update()
        }
        _ = try ArchiveUpdater.rollBack(site, trust: trust)
        #expect(try update() == .rejected(newest: 2, stays: 1))
    }

    /// Another archive of the series has raised the record again: readers refuse the edition that somebody went back to.
    @Test func aSharedRecordThatRefusesTheEditionIsTold() throws {
        try release(1)
        try update()
        try release(2)
        try update()
        _ = try ArchiveUpdater.rollBack(site, trust: trust)
        _ = try ArchiveUpdater(
            folder.path("other.webarc"), from: FolderUpdateSource(releases), trust: trust
        ).run()
        let error = try #require(throws: ArchiveError.self) { try update() }
        #expect(error.code == .untrusted && error.message.contains(record.path.string))
    }

    @Test func goingBackTwiceBringsTheEditionBack() throws {
        try release(1)
        try update()
        let second = try release(2)
        try update()
        _ = try ArchiveUpdater.rollBack(site, trust: trust)
        _ = try ArchiveUpdater.rollBack(site, trust: trust)
        #expect(installed == second)
        #expect(try update() == .current(sequence: 2))
        #expect(!FileManager.default.fileExists(atPath: site.string + ".rejected"))
        #expect(try record.sequences() == ["site": 2])
    }

    /// A kiosk has a record of its own.
    @Test func otherRecordsAreLoweredToo() throws {
        try release(1)
        try update()
        try release(2)
        try update()
        let other = SequenceRecord(path: folder.path("kiosk"))
        _ = try ArchiveReader(path: site, trust: ArchiveTrust([key.publicKey], sequences: other))
        _ = try ArchiveUpdater.rollBack(site, trust: trust, otherRecords: [other])
        #expect(try other.sequences() == ["site": 1])
    }

    /// Without an archive, the rejected edition is better than none.
    @Test func theRejectedEditionComesWhereNothingIs() throws {
        try release(1)
        try update()
        let second = try release(2)
        try update()
        _ = try ArchiveUpdater.rollBack(site, trust: trust)
        try FileManager.default.removeItem(atPath: site.string)
        try update()
        #expect(installed == second)
    }

    @Test(arguments: ["", "x", "18446744073709551616 site", "5", "5 another"])
    func aFileOfAnotherFormRejectsNothing(_ text: String) throws {
        try release(1)
        try update()
        let second = try release(2)
        try folder.write("site.webarc.rejected", text.utf8)
        try update()
        #expect(installed == second)
    }

    @Test func aDamagedEditionBeforeDoesNotComeBack() throws {
        let first = try release(1)
        let second = try release(2)
        try update()
        try folder.write("site.webarc.previous", damaged(first))
        #expect(throws: ArchiveError(.damaged, "")) { try ArchiveUpdater.rollBack(site, trust: trust) }
        #expect(installed == second && previous == damaged(first))
        #expect(try record.sequences() == ["site": 2])
        #expect(try update() == .current(sequence: 2))
    }

    // MARK: - Damage

    @Test func aDamagedArchiveDoesNotReplaceTheEditionBefore() throws {
        let first = try release(1)
        let second = try release(2)
        try folder.write("site.webarc", damaged(second))
        try folder.write("site.webarc.previous", first)
        let third = try release(3)
        try update()
        #expect(installed == third && previous == first)
    }

    @Test func theNewestEditionIsVerifiedOnDemand() throws {
        let first = try release(1)
        let second = try release(2)
        try folder.write("site.webarc", damaged(second))
        try folder.write("site.webarc.previous", first)
        #expect(try update() == .current(sequence: 2))
        #expect(
            try update(verifying: true) == .updated(from: 2, to: 2, patches: 0, loaded: UInt64(second.count)))
        #expect(installed == second && previous == first)
        #expect(try update(verifying: true) == .current(sequence: 2))
    }

    // MARK: - The record

    @Test func anOlderEditionDoesNotComeInPlaceOfAnArchiveThatIsGone() throws {
        try release(1, into: "stick")
        try release(2)
        try update()
        #expect(try record.sequences() == ["site": 2])
        try FileManager.default.removeItem(atPath: site.string)
        let error = try #require(throws: ArchiveError.self) { try update(from: "stick") }
        #expect(error.code == .untrusted && error.path == folder.path("stick").string)
        #expect(installed == nil && !FileManager.default.fileExists(atPath: site.string + ".update"))
    }

    /// A run that was killed after it gave the archive its name.
    @Test func theNextRunRaisesARecordThatIsTooLow() throws {
        try release(1)
        try update()
        let second = try release(2)
        try folder.write("site.webarc", second)
        #expect(try record.sequences() == ["site": 1])
        #expect(try update() == .current(sequence: 2))
        #expect(try record.sequences() == ["site": 2])
    }

    @Test func nothingIsLoadedThatCannotBeRecorded() throws {
        try release(1)
        let trust = ArchiveTrust([key.publicKey], sequences: SequenceRecord(path: folder.path("nosuch/sequences")))
        #expect(throws: ArchiveError(.io, "")) { try update(trust) }
        #expect(installed == nil)
    }

    // MARK: - Two at once

    /// A host that sends false bytes and ends does not cost the next update of an honest one.
    @Test func falseBytesOfAnEarlierRunAreLoadedAgain() throws {
        let first = try release(1)
        let folder = folder
        let liar = InterposedSource(
            real: FolderUpdateSource(releases),
            before: {
                let names = try FileManager.default.contentsOfDirectory(
                    atPath: folder.path("site.webarc.update").string)
                for name in names { try folder.write("site.webarc.update/\(name)", [1, 2, 3]) }
                throw ArchiveError(.io, "gone")
            })
        #expect(throws: ArchiveError(.io, "")) { try ArchiveUpdater(site, from: liar, trust: trust).run() }
        #expect(try update() == .updated(from: nil, to: 1, patches: 0, loaded: UInt64(2 * first.count - 3)))
        #expect(installed == first)
    }

    @Test func twoUpdatesExcludeEachOther() throws {
        let first = try release(1)
        let (site, trust, real) = (site, trust, FolderUpdateSource(releases))
        let source = InterposedSource(
            real: real,
            before: {
                #expect(throws: ArchiveError(.locked, "")) { try ArchiveUpdater(site, from: real, trust: trust).run() }
            })
        _ = try ArchiveUpdater(site, from: source, trust: trust).run()
        #expect(installed == first)
        #expect(!FileManager.default.fileExists(atPath: site.string + ".update"))
    }
}
