// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Symbolic links that another user may have made.
@Suite struct LinkTrustTests {
    struct Case: CustomTestStringConvertible {
        let linkOwner: uid_t
        let folderOwner: uid_t
        let mode: Int
        let isFollowed: Bool

        var testDescription: String { "link of \(linkOwner) in folder of \(folderOwner), \(String(mode, radix: 8))" }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func link(_ name: String, to target: String, of owner: uid_t) throws {
        let path = folder.path(name).string
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: folder.path(target).string)
        try #require(lchown(path, owner, owner) == 0)
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give a link away"),
        arguments: [
            Case(linkOwner: 0, folderOwner: 65_534, mode: 0o777, isFollowed: true),
            Case(linkOwner: 65_534, folderOwner: 0, mode: 0o755, isFollowed: true),
            Case(linkOwner: 65_534, folderOwner: 0, mode: 0o775, isFollowed: false),
            Case(linkOwner: 65_534, folderOwner: 0, mode: 0o757, isFollowed: false),
            Case(linkOwner: 65_534, folderOwner: 0, mode: 0o1777, isFollowed: false),
            Case(linkOwner: 65_534, folderOwner: 65_534, mode: 0o755, isFollowed: false),
        ])
    func linksAsRoot(_ example: Case) throws {
        try folder.write("own/thesis", [1])
        try folder.write("shared/other", [2])
        try link("shared/a.webarc", to: "own/thesis", of: example.linkOwner)
        try link("shared/way", to: "own", of: example.linkOwner)
        let shared = folder.path("shared").string
        try #require(chown(shared, example.folderOwner, 0) == 0 && chmod(shared, mode_t(example.mode)) == 0)
        for (name, target) in [("shared/a.webarc", "own/thesis"), ("shared/way/thesis", "shared/way/thesis")] {
            let path = folder.path(name)
            var found: FilePath?
            let error = archiveError { found = try FilePlace(following: path).path }
            #expect(found == (example.isFollowed ? folder.path(target) : nil))
            #expect(error?.code == (example.isFollowed ? nil : .io), "\(name)")
            let other = archiveError { _ = try WholeArchiveFile(replacing: path, isArchive: { _ in true }) }
            #expect(other?.code == (example.isFollowed ? nil : .io), "\(name)")
        }
        let written = archiveError {
            try ReplacementFile.write([3], to: FilePlace(folder.path("shared/way/new")), permissions: .ownerReadWrite)
        }
        #expect(written?.code == (example.isFollowed ? nil : .io))
        let locked = archiveError { try WriterLock(archive: FilePlace(folder.path("shared/way/new.webarc"))).remove() }
        #expect(locked?.code == (example.isFollowed ? nil : .io))
        #expect((FileStatus(of: folder.path("own/new")) != nil) == example.isFollowed)
        #expect(try FilePlace(following: folder.path("shared/other")).path == folder.path("shared/other"))
        #expect(try folder.read("own/thesis") == [1])
    }

    /// A link that takes the archive's place after its path was resolved.
    @Test func aLinkAtTheNameItselfIsNotOpenedForWriting() throws {
        let target = try folder.write("private.webarc", [1])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("a.webarc").string, withDestinationPath: target.string)
        #expect(archiveError { _ = try LockedArchive(appendingTo: FilePlace(folder.path("a.webarc"))) }?.code == .io)
        #expect(archiveError { _ = try LockedArchive(replacing: FilePlace(folder.path("a.webarc"))) }?.code == .io)
    }
}
