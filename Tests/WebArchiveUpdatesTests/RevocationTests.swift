// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveUpdates

/// Devices that know a key which was stolen, and lists that call it back.
@Suite struct RevocationTests {
    private let folder: TemporaryFolder
    private let stolen = ArchiveSigningKey()
    private let good = ArchiveSigningKey()
    private let (site, releases): (FilePath, FilePath)

    init() throws {
        folder = try TemporaryFolder()
        (site, releases) = (folder.path("site.webarc"), folder.path("releases"))
    }

    private var record: SequenceRecord { SequenceRecord(path: folder.path("sequences")) }

    private func trust(_ keys: ArchiveSigningKey..., threshold: Int = 1) -> ArchiveTrust {
        ArchiveTrust(Set(keys.map(\.publicKey)), threshold: threshold, sequences: record)
    }

    private func edition(
        _ sequence: UInt64, _ keys: [ArchiveSigningKey], endorsements: [ArchiveEndorsement] = []
    ) throws -> FilePath {
        let path = folder.path("edition-\(sequence).webarc")
        let signing = ArchiveSigning(keys, series: "site", sequence: sequence, endorsements: endorsements)
        let writer = try ArchiveWriter(creating: path, options: ArchiveWriter.Options(signing: signing))
        try writer.add(
            ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse(),
            body: writer.addBody(Array("Edition \(sequence)".utf8)))
        try writer.commit()
        return path
    }

    @discardableResult
    private func release(
        _ sequence: UInt64, _ keys: ArchiveSigningKey..., into folder: FilePath? = nil,
        endorsements: [ArchiveEndorsement] = [], revoking revoked: [ArchiveSigningKey] = []
    ) throws -> [UInt8] {
        let path = try edition(sequence, keys, endorsements: endorsements)
        var publisher = ArchiveRelease(into: folder ?? releases, keys: keys)
        publisher.endorsements = endorsements
        publisher.revocations = try revoked.map { try $0.revoke() }
        try publisher.publish(path)
        return Array(try Data(contentsOf: URL(filePath: path.string)))
    }

    @discardableResult
    private func update(_ trust: ArchiveTrust, from source: FilePath? = nil) throws -> ArchiveUpdater.Outcome {
        try ArchiveUpdater(site, from: FolderUpdateSource(source ?? releases), trust: trust).run()
    }

    private var installed: [UInt8] { get throws { try folder.read("site.webarc") } }

    @Test func aDeviceWithAnotherKeyGoesOn() throws {
        try release(1, stolen, good)
        try update(trust(stolen, good))
        let second = try release(2, good, revoking: [stolen])
        #expect(try update(trust(stolen, good)) != .current(sequence: 1))
        #expect(try installed == second)
        #expect(try record.revokedKeys() == [stolen.publicKey])
        // The folder keeps the revocation.
        try release(3, good)
        try FileManager.default.removeItem(atPath: record.path.string)
        try update(trust(stolen, good))
        #expect(try record.revokedKeys() == [stolen.publicKey])
    }

    /// The last edition that its key signed stays on the screen, and the thief's next one does not come.
    @Test func aDeviceWithTheStolenKeyAloneStays() throws {
        let first = try release(1, stolen)
        try update(trust(stolen))
        try release(2, stolen, good, revoking: [stolen])
        #expect(throws: ArchiveError(.untrusted, "")) { try update(trust(stolen)) }
        #expect(try installed == first)
        #expect(try ArchiveReader(path: site, trust: trust(stolen)).statement?.sequence == 1)
        #expect(try ArchiveReader(path: site, trust: trust(stolen)).statement?.sequence == 1)

        let stick = folder.path("stick")
        try release(3, stolen, into: stick)
        #expect(throws: ArchiveError(.untrusted, "")) { try update(trust(stolen), from: stick) }
        let other = try edition(1_000, [stolen])
        #expect(throws: ArchiveError(.untrusted, "")) { try ArchiveReader(path: other, trust: trust(stolen)) }
        #expect(try installed == first)
    }

    /// A thief can choose the highest number of all.
    @Test func aThiefsEditionIsReplaced() throws {
        try release(1, stolen, good)
        try update(trust(stolen, good))
        let stick = folder.path("stick")
        try release(.max, stolen, into: stick)
        try update(trust(stolen, good), from: stick)
        #expect(try ArchiveReader(path: site, trust: trust(stolen, good)).statement?.sequence == .max)

        let second = try release(2, good, revoking: [stolen])
        try update(trust(stolen, good))
        #expect(try installed == second)
        #expect(try ArchiveReader(path: site, trust: trust(stolen, good)).statement?.sequence == 2)
        #expect(try record.sequences() == ["site": 2])
        #expect(throws: ArchiveError(.untrusted, "")) { try update(trust(stolen, good), from: stick) }
        #expect(throws: ArchiveError(.untrusted, "")) { try ArchiveUpdater.rollBack(site, trust: trust(stolen, good)) }
        #expect(try installed == second)
    }

    @Test func anEndorsementByARevokedKeyIsWorthNothing() throws {
        let endorsement = try stolen.endorse(good.publicKey)
        let first = try release(1, stolen)
        try update(trust(stolen))
        try release(2, good, endorsements: [endorsement], revoking: [stolen])
        #expect(throws: ArchiveError(.untrusted, "")) { try update(trust(stolen)) }
        #expect(try installed == first)
    }

    @Test func anEndorsedKeyIsRevoked() throws {
        let endorsement = try good.endorse(stolen.publicKey)
        try release(1, stolen, endorsements: [endorsement])
        try update(trust(good))
        let second = try release(2, good, revoking: [stolen])
        // The list has no endorsement: the revoked key does not matter.
        try update(trust(good))
        #expect(try installed == second && record.revokedKeys().isEmpty)
        let folder = folder.path("another")
        try release(2, good, into: folder, endorsements: [endorsement], revoking: [stolen])
        try update(trust(good), from: folder)
        #expect(try record.revokedKeys() == [stolen.publicKey])
        let thiefs = try edition(3, [stolen], endorsements: [endorsement])
        #expect(throws: ArchiveError(.untrusted, "")) { try ArchiveReader(path: thiefs, trust: trust(good)) }
    }

    @Test func twoOfThreeNeedTheTwoThatAreLeft() throws {
        let third = ArchiveSigningKey()
        let trust = trust(stolen, good, third, threshold: 2)
        try release(1, stolen, good)
        try update(trust)
        try release(2, stolen, good, revoking: [stolen])
        #expect(throws: ArchiveError(.untrusted, "")) { try update(trust) }
        try FileManager.default.removeItem(atPath: releases.string)
        let secondPair = try release(3, third, good)
        try update(trust)
        #expect(try installed == secondPair)
    }

    /// Anybody can write a list, and revoke keys of his own in it.
    @Test func strangersRevokeNothing() throws {
        let stranger = ArchiveSigningKey()
        try release(1, good)
        try update(trust(good))
        let stick = folder.path("stick")
        try release(2, ArchiveSigningKey(), into: stick, revoking: [stranger])
        #expect(throws: ArchiveError(.untrusted, "")) { try update(trust(good), from: stick) }
        #expect(try record.revokedKeys().isEmpty)

        var pem = try stranger.revoke().pem
        let forged = try ArchiveRevocation(pem: pem)
        #expect(forged.key == stranger.publicKey)
        let place = pem.index(pem.startIndex, offsetBy: 100)
        pem.replaceSubrange(place...place, with: pem[place] == "A" ? "B" : "A")
        #expect(throws: ArchiveError(.invalidArgument, "")) { try ArchiveRevocation(pem: pem) }
    }

    @Test func aRevokedKeyReleasesNothing() throws {
        try release(1, stolen)
        #expect(throws: ArchiveError(.invalidArgument, "")) { try release(2, stolen, revoking: [stolen]) }
        try release(2, good, revoking: [stolen])
        #expect(throws: ArchiveError(.invalidArgument, "")) { try release(3, stolen) }
    }
}
