// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveUpdates

/// Another user who may write to the folder of the archive, and exchanges what its names lead to.
@Suite struct ExchangedFileTests {
    private let folder: TemporaryFolder
    private let key = ArchiveSigningKey()
    private let place: InstalledArchive

    init() throws {
        folder = try TemporaryFolder()
        place = InstalledArchive(
            path: folder.path("site.webarc"), trust: ArchiveTrust([key.publicKey]), threads: 1)
        try folder.write("secret/key", Array("the secret of this user".utf8))
        var random = SeededGenerator(seed: 5)
        let common = random.bytes(20_000)
        for name in ["site.webarc", "new.webarc"] {
            let writer = try ArchiveWriter(
                creating: folder.path(name),
                options: .init(signing: ArchiveSigning([key], series: "site", sequence: name == "new.webarc" ? 2 : 1)))
            try writer.add(
                ArchiveRequest(url: "https://site.example/\(name)"), response: ArchiveResponse(),
                body: writer.addBody(Array(name.utf8)))
            _ = try writer.addBody(common)
            try writer.commit()
        }
    }

    /// The other folder has the patch as well, and a link to a private archive in place of the first step.
    @Test func aFolderThatTakesTheDownloadsPlaceIsNotWrittenTo() throws {
        let releases = folder.path("releases")
        for name in ["site.webarc", "new.webarc"] {
            try ArchiveRelease(into: releases, keys: [key]).publish(folder.path(name))
        }
        let (expected, secret) = (try folder.read("new.webarc"), try folder.read("site.webarc"))
        try folder.write("secret/private.webarc", secret)
        let (downloads, moved) = (folder.path("site.webarc.update").string, folder.path("moved").string)
        let target = folder.path("secret/private.webarc").string
        let source = InterposedSource(
            real: FolderUpdateSource(releases),
            after: {
                let files = FileManager.default
                try files.moveItem(atPath: downloads, toPath: moved)
                try files.copyItem(atPath: moved, toPath: downloads)
                try files.createSymbolicLink(atPath: downloads + "/step-0.webarc", withDestinationPath: target)
            })
        let outcome = try ArchiveUpdater(place.path, from: source, trust: place.trust).run()
        guard case .updated(from: 1, to: 2, patches: 1, loaded: _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try folder.read("secret/private.webarc") == secret)
        #expect(try folder.read("site.webarc") == expected)
    }

    /// A file counts as an archive by its own name.
    @Test func aLinkWithTheNameOfAnArchiveLeadsToAnotherFile() throws {
        let secret = try folder.read("secret/key")
        let opened = try FileByteSource(path: folder.path("new.webarc"))
        try exchange("site.webarc", for: "secret/key")
        #expect(throws: ArchiveError(.alreadyExists, "")) { try place.replace(with: opened) { _ in } }
        #expect(throws: ArchiveError(.alreadyExists, "")) { try place.rollBack(to: opened) { _ in } }
        #expect(throws: ArchiveError(.alreadyExists, "")) {
            try ArchiveHealer(place.path, from: [folder.path("new.webarc")], trust: place.trust).run()
        }
        #expect(try folder.read("secret/key") == secret)
    }

    /// Replaces a file by a symbolic link.
    private func exchange(_ name: String, for target: String) throws {
        let path = folder.path(name).string
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path(target).string)
    }

    @Test func theOpenFileIsInstalled() throws {
        let expected = try folder.read("new.webarc")
        let opened = try FileByteSource(path: folder.path("new.webarc"))
        try exchange("new.webarc", for: "secret/key")
        try place.replace(with: opened) { copy throws(ArchiveError) in
            #expect(try copy.bytes(at: 0, count: Int(copy.length)) == expected)
        }
        #expect(try folder.read("site.webarc") == expected)
    }

    @Test func theOpenEditionIsRestored() throws {
        let expected = try folder.read("new.webarc")
        try FileManager.default.moveItem(atPath: folder.path("new.webarc").string, toPath: place.previous.string)
        let opened = try FileByteSource(path: place.previous)
        try exchange("site.webarc.previous", for: "secret/key")
        try place.rollBack(to: opened) { _ in }
        #expect(try folder.read("site.webarc") == expected)
    }

    @Test func aCopyThatFailsItsProofIsNotInstalled() throws {
        let before = try folder.read("site.webarc")
        let opened = try FileByteSource(path: folder.path("new.webarc"))
        #expect(throws: ArchiveError(.untrusted, "")) {
            try place.replace(with: opened) { _ throws(ArchiveError) in throw ArchiveError(.untrusted, "not signed") }
        }
        #expect(try folder.read("site.webarc") == before)
        #expect(FileStatus(of: folder.path("site.webarc.partial")) == nil)
    }

    /// The names in the victim's folder are those of downloads.
    @Test func aFolderThatTakesTheDownloadsPlaceIsNotEmptied() throws {
        let name = String(repeating: "0a", count: 16)
        let downloads = try DownloadFolder(beside: place.path)
        try folder.write("site.webarc.update/\(name)", [1])
        try folder.write("secret/\(name)", [2])
        try FileManager.default.moveItem(
            atPath: folder.path("site.webarc.update").string, toPath: folder.path("moved").string)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("site.webarc.update").string, withDestinationPath: folder.path("secret").string)
        downloads.remove()
        #expect(try folder.read("secret/\(name)") == [2])
        #expect(FileStatus(of: folder.path("moved/\(name)")) == nil)
    }
}
