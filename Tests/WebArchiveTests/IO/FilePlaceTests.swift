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

/// Outputs in folders that another user may exchange while they are written.
@Suite struct FilePlaceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("out/former", [1])
        try folder.write("secret/a", [2])
        try folder.write("secret/a.partial", [3])
    }

    /// Moves the folder away, and puts a link to another one in its place.
    private func exchange() throws {
        try FileManager.default.moveItem(atPath: folder.path("out").string, toPath: folder.path("moved").string)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("out").string, withDestinationPath: folder.path("secret").string)
    }

    private func expectUntouched() throws {
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("secret").string).count == 2)
        #expect(try folder.read("secret/a") == [2])
        #expect(try folder.read("secret/a.partial") == [3])
    }

    @Test func aFileStaysInItsFolder() throws {
        try ReplacementFile.write([4], to: FilePlace(folder.path("out/a")), permissions: .ownerReadWrite) { _ in
            try exchange()
        }
        #expect(try folder.read("moved/a") == [4])
        try expectUntouched()
    }

    @Test func aFileThatFailsIsRemovedFromItsFolder() throws {
        #expect(throws: ArchiveError(.io, "")) {
            try ReplacementFile.write([4], to: FilePlace(folder.path("out/a")), permissions: .ownerReadWrite) { _ in
                try exchange()
                throw ArchiveError(.io, "no space")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("moved").string) == ["former"])
        try expectUntouched()
    }

    @Test func anArchiveStaysInItsFolder() throws {
        let file = try WholeArchiveFile(replacing: folder.path("out/a"))
        try file.write([4], at: 0)
        try exchange()
        try file.commit()
        #expect(try folder.read("moved/a") == [4])
        try expectUntouched()
    }

    @Test func anArchiveThatFailsIsRemovedFromItsFolder() throws {
        let file = try WholeArchiveFile(replacing: folder.path("out/a"))
        try exchange()
        file.cancel()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("moved").string) == ["former"])
        try expectUntouched()
    }

    @Test func partsStayInTheirFolder() throws {
        let archive = folder.path("archive.webarc")
        let writer = try ArchiveWriter(creating: archive)
        let body = try writer.addBody([UInt8](repeating: 1, count: 1000))
        try writer.add(ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse(), body: body)
        try writer.commit()
        for part in 1...3 { try folder.write("secret/archive.webarc.00\(part)", [5]) }
        let length = try folder.read("archive.webarc").count
        let splitter = ArchiveSplitter(archive, into: folder.path("out"), partLength: UInt64(length / 3 + 1))
        let summary = try splitter.run { progress in
            if progress.items == 1 { try? exchange() }
        }
        #expect(summary.parts.count == 3)
        for part in 1...3 {
            #expect(try folder.read("moved/archive.webarc.00\(part)").count > 1)
            #expect(try folder.read("secret/archive.webarc.00\(part)") == [5])
        }
    }

    @Test(arguments: ["a", "way/a", "twice/a", "out/../a"]) func linksOfThisUserAreFollowed(_ name: String) throws {
        let manager = FileManager.default
        try folder.write("a", [6])
        try manager.createSymbolicLink(atPath: folder.path("way").string, withDestinationPath: ".")
        try manager.createSymbolicLink(atPath: folder.path("twice").string, withDestinationPath: "way/way")
        let place = try FilePlace(following: folder.path(name))
        #expect(place.status()?.number == FileStatus(of: folder.path("a"))?.number)
        #expect(place.path == folder.path(name))
    }

    @Test func linksInACircleAreAnError() throws {
        for (name, target) in [("x", "y"), ("y", "x")] {
            try FileManager.default.createSymbolicLink(atPath: folder.path(name).string, withDestinationPath: target)
        }
        #expect(archiveError { _ = try FilePlace(folder.path("x/file")) }?.code == .io)
        #expect(archiveError { _ = try FilePlace(following: folder.path("x")) }?.code == .io)
    }

    @Test func newFoldersAreReadableByAllAndOthersStay() throws {
        try #require(chmod(folder.path("secret").string, 0o700) == 0)
        _ = try OpenFolder(folder.path("secret/new/release"), creating: .readableByAll)
        #expect(FileStatus(of: folder.path("secret"))?.permissions == .ownerReadWriteExecute)
        for name in ["secret/new", "secret/new/release"] {
            #expect(FileStatus(of: folder.path(name))?.permissions.rawValue == 0o755, "\(name)")
        }
    }

    /// Another user may have moved a public file of this user to the name of a private output.
    @Test(arguments: [(mode: mode_t(0o755), kept: mode_t(0o644)), (0o777, 0o600), (0o1777, 0o600), (0o775, 0o600)])
    func theFormerFileGrantsNothingWhereOthersMayMoveFiles(_ example: (mode: mode_t, kept: mode_t)) throws {
        let input = try folder.write("input", [7])
        try #require(chmod(input.string, 0o600) == 0 && chmod(folder.path("out/former").string, 0o644) == 0)
        try #require(chmod(folder.path("out").string, example.mode) == 0)
        let sources = SourceRights(of: [try FileByteSource(path: input)])
        try ReplacementFile.writeKeepingRights(to: FilePlace(folder.path("out/former")), madeFrom: sources) { file in
            try file.writeAll([8])
        }
        #expect(FileStatus(of: folder.path("out/former"))?.permissions.rawValue == example.kept)
    }

    /// The folder itself could be exchanged for another one of this user.
    @Test(arguments: [(mode: mode_t(0o755), kept: mode_t(0o644)), (0o777, 0o600), (0o1777, 0o644)])
    func foldersThatOthersMayMoveGrantNothing(_ example: (mode: mode_t, kept: mode_t)) throws {
        let input = try folder.write("input", [7])
        let file = try folder.write("above/between/out", [1])
        try #require(chmod(input.string, 0o600) == 0 && chmod(file.string, 0o644) == 0)
        try #require(chmod(folder.path("above").string, example.mode) == 0)
        let sources = SourceRights(of: [try FileByteSource(path: input)])
        try ReplacementFile.writeKeepingRights(to: FilePlace(file), madeFrom: sources) { try $0.writeAll([8]) }
        #expect(FileStatus(of: file)?.permissions.rawValue == example.kept)
    }

    /// A public input was moved to the output's name; another input is private.
    @Test func oneSourceOfSeveralGrantsNothing() throws {
        let input = try folder.write("input", [7])
        let file = folder.path("out/former")
        try #require(chmod(input.string, 0o600) == 0 && chmod(file.string, 0o644) == 0)
        try #require(chmod(folder.path("out").string, 0o777) == 0)
        let sources = SourceRights(of: [try FileByteSource(path: input), try FileByteSource(path: file)])
        try ReplacementFile.writeKeepingRights(to: FilePlace(file), madeFrom: sources) { try $0.writeAll([8]) }
        #expect(FileStatus(of: file)?.permissions.rawValue == 0o600)
    }

    /// A packed folder has no rights of its own, so that the mask counts.
    @Test func withoutSourcesTheMaskCounts() throws {
        let file = folder.path("out/former")
        try #require(chmod(file.string, 0o666) == 0 && chmod(folder.path("out").string, 0o777) == 0)
        try ReplacementFile.writeKeepingRights(to: FilePlace(file)) { try $0.writeAll([8]) }
        let expected = FilePermissions(rawValue: 0o666 & ~AccessRights.mask.rawValue)
        #expect(FileStatus(of: file)?.permissions == expected.union(.ownerReadWrite))
    }

    @Test func aNewFolderStaysClosedWhereOthersMayMoveIt() throws {
        try #require(chmod(folder.path("out").string, 0o777) == 0)
        _ = try OpenFolder(folder.path("out/new"), creating: .readableByAll)
        let expected = FilePermissions(rawValue: 0o777 & ~AccessRights.mask.rawValue)
        #expect(FileStatus(of: folder.path("out/new"))?.permissions == expected)
    }

    /// An archive that is compacted in its place.
    @Test func aSourceThatIsReplacedKeepsItsRights() throws {
        let file = folder.path("out/former")
        try #require(chmod(file.string, 0o664) == 0 && chmod(folder.path("out").string, 0o777) == 0)
        let sources = SourceRights(of: [try FileByteSource(path: file)])
        try ReplacementFile.writeKeepingRights(to: FilePlace(file), madeFrom: sources) { try $0.writeAll([8]) }
        #expect(FileStatus(of: file)?.permissions.rawValue == 0o664)
    }
}
