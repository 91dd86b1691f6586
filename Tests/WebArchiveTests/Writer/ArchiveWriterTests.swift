// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

/// A commit exists completely, or not at all.
@Suite struct ArchiveWriterTests {
    private let folder: TemporaryFolder
    private let path: FilePath

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.webarc")
    }

    private func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.path(name).string) }

    private func urls(_ path: FilePath) throws -> [String] {
        try ArchiveReader(path: path).entries().map { try $0.key }
    }

    /// An archive that every reader would refuse is not written.
    @Test(arguments: [0, 11, 21, 255] as [UInt8]) func aBlockExponentOutOfRangeIsRefused(_ exponent: UInt8) {
        let error = archiveError {
            _ = try ArchiveWriter(creating: path, options: ArchiveWriter.Options(blockExponent: exponent))
        }
        #expect(error?.code == .invalidArgument)
        #expect(!isThere("a.webarc.partial"))
    }

    @Test func anEmptyMethodIsRefused() throws {
        let writer = try ArchiveWriter(creating: path)
        let error = archiveError {
            try writer.add(ArchiveRequest(method: "", url: "http://a/"), response: ArchiveResponse())
        }
        #expect(error?.code == .invalidArgument)
    }

    /// Section 7 of the specification: the target of a redirect is absolute.
    @Test(
        arguments: [
            ("b?c", "http://a/x/b?c"), ("//b/", "http://b/"), ("HTTP://B/#f", "HTTP://B/#f"), ("http://[/", nil),
        ] as [(String, String?)])
    func aTargetIsResolved(_ target: String, _ expected: String?) throws {
        let writer = try ArchiveWriter(creating: path)
        let error = archiveError {
            try writer.add(
                ArchiveRequest(url: "http://a/x/"), response: ArchiveResponse(status: 301, redirectTarget: target))
        }
        #expect((error == nil) == (expected != nil))
        guard expected != nil else { return }
        try writer.commit()
        #expect(try ArchiveReader(path: path).entries().first?.redirectTarget == expected)
        #expect(try ArchiveVerifier(ArchiveReader(path: path)).run().allSatisfy { $0.severity == .warning })
    }

    /// RFC 6454 section 4 knows no userinfo.
    @Test func originsHaveNoUserinfo() throws {
        let urls = ["http://user@a/", "http://a/", "https://b:8443/x", "urn:c"]
        try folder.archive(urls.map { Exchange($0) })
        #expect(try ArchiveReader(path: path).origins() == ["http://a", "https://b:8443"])
    }

    /// Each origin is looked up, among keys that begin with the same 60 KB.
    @Test func originsOfLongNamesExceedALimit() throws {
        let long = String(repeating: "a", count: 60_000)
        try folder.archive((0..<180).map { Exchange("http://\(long)\($0)/") })
        #expect(archiveError { _ = try ArchiveReader(path: path).origins() }?.code == .limitExceeded)
        // Of each of few hosts there are few lookups, however many entries.
        try folder.archive((0..<300).map { Exchange("http://host\($0 % 3)/\($0)") })
        #expect(try ArchiveReader(path: path).origins() == ["http://host0", "http://host1", "http://host2"])
    }

    @Test func nothingIsSeenBeforeTheCommit() throws {
        let writer = try ArchiveWriter(creating: path)
        try Exchange("http://a/", body: [1]).write(to: writer)
        #expect(!isThere("a.webarc") && isThere("a.webarc.partial"))
        try writer.commit()
        #expect(isThere("a.webarc") && !isThere("a.webarc.partial"))
        #expect(try urls(path) == ["http://a/"])
    }

    @Test func aNewArchiveReplacesAnOldOneAtTheCommit() throws {
        try folder.archive([Exchange("http://old/")])
        let writer = try ArchiveWriter(creating: path)
        try Exchange("http://new/").write(to: writer)
        #expect(try urls(path) == ["http://old/"])
        let reader = try ArchiveReader(path: path)
        try writer.commit()
        #expect(try urls(path) == ["http://new/"])
        // A reader that has the file open keeps the former content.
        #expect(try reader.entries().map { try $0.key } == ["http://old/"])
    }

    @Test func aFinishedWriterDoesNothingMore() throws {
        for ends in [{ try $0.commit() }, { $0.cancel() }] as [(ArchiveWriter) throws -> Void] {
            let writer = try ArchiveWriter(creating: path)
            let body = try writer.addBody([1, 2])
            let entry = try writer.add(ArchiveRequest(url: "http://a/"), response: ArchiveResponse(), body: body)
            try ends(writer)
            let bytes = isThere("a.webarc") ? try folder.read("a.webarc") : []
            for (what, work) in [
                ("commit", { try writer.commit() }), ("addBody", { _ = try writer.addBody([3]) }),
                ("beginBody", { _ = try writer.beginBody() }),
                ("add", { try writer.add(ArchiveRequest(url: "http://b/"), response: nil) }),
                ("addAlias", { try writer.addAlias(CanonicalURL("http://c/"), of: entry) }),
                ("setMetadata", { try writer.setMetadata("title", to: "x") }),
                ("setMetadata body", { try writer.setMetadata("icon", to: body) }),
            ] as [(String, () throws -> Void)] {
                #expect(archiveError(work)?.code == .poisoned, "\(what)")
            }
            writer.cancel()
            #expect(try (isThere("a.webarc") ? folder.read("a.webarc") : []) == bytes)
        }
    }

    @Test(arguments: [true, false]) func givingUpLeavesWhatWasThere(byCancelling: Bool) throws {
        try folder.archive([Exchange("http://old/", body: [1, 2, 3])])
        let before = try folder.read("a.webarc")
        // A new archive in its place, larger than the writer's buffer.
        var random = SeededGenerator.printed()
        do {
            let writer = try ArchiveWriter(creating: path)
            _ = try writer.addBody(random.bytes(3 << 20))
            if byCancelling { writer.cancel() }
        }
        #expect(try folder.read("a.webarc") == before)
        #expect(!isThere("a.webarc.partial"))
        // A new commit.
        do {
            let writer = try ArchiveWriter(appendingTo: path)
            _ = try writer.addBody(random.bytes(3 << 20))
            #expect(try ArchiveReader(path: path).tornTail > 1 << 20)
            if byCancelling { writer.cancel() }
        }
        #expect(try folder.read("a.webarc")[96...] == before[96...])
        #expect(!isThere("a.webarc.partial"))
        #expect(try urls(path) == ["http://old/"])
        // For a path without a file.
        do {
            let writer = try ArchiveWriter(creating: folder.path("b"))
            if byCancelling { writer.cancel() }
        }
        #expect(!isThere("b") && !isThere("b.partial"))
    }

    @Test func oneWriterAtATime() throws {
        try folder.archive([Exchange("http://old/")])
        let open: [(ArchiveWriter.Type, FilePath) throws -> ArchiveWriter] = [
            { try $0.init(creating: $1) }, { try $0.init(appendingTo: $1) },
        ]
        for first in open {
            for second in open {
                let writer = try first(ArchiveWriter.self, path)
                let error = archiveError { _ = try second(ArchiveWriter.self, path) }
                #expect(error?.code == .locked)
                #expect(error?.path == path.string)
                // Another archive is another matter, and the refusal does not end the first one's hold.
                try ArchiveWriter(creating: folder.path("other")).commit()
                #expect(archiveError { _ = try second(ArchiveWriter.self, path) }?.code == .locked)
                writer.cancel()
                try second(ArchiveWriter.self, path).cancel()
            }
        }
        #expect(try urls(path) == ["http://old/"])
    }

    /// After its commit a writer holds nothing, even while the object lives.
    @Test func aCommitEndsTheHold() throws {
        let first = try ArchiveWriter(creating: path)
        try first.commit()
        let second = try ArchiveWriter(appendingTo: path)
        try Exchange("http://b/").write(to: second)
        try second.commit()
        let third = try ArchiveWriter(creating: path)
        withExtendedLifetime((first, second, third)) {}
    }

    @Test func otherFilesAreNotReplaced() throws {
        for contents in ["not an archive", "\u{89}PNG", "W", String(repeating: "x", count: 5000)] {
            try folder.write("a.webarc", contents.utf8)
            let error = archiveError { _ = try ArchiveWriter(creating: path) }
            #expect(error?.code == .alreadyExists)
            #expect(error?.path == path.string)
            #expect(try folder.read("a.webarc") == Array(contents.utf8))
            #expect(!isThere("a.webarc.partial"))
        }
        // Nothing is lost with an empty file, and an archive may be replaced however damaged it is.
        try folder.write("a.webarc", [UInt8]())
        try ArchiveWriter(creating: path).commit()
        var damaged = try folder.read("a.webarc")
        damaged[20] ^= 1
        try folder.write("a.webarc", damaged[..<100])
        try ArchiveWriter(creating: path).commit()
        #expect(try urls(path).isEmpty)
        // A folder is neither.
        try FileManager.default.createDirectory(
            atPath: folder.path("d").string, withIntermediateDirectories: false)
        #expect(archiveError { _ = try ArchiveWriter(creating: folder.path("d")) }?.code == .alreadyExists)
    }

    @Test func whatAKilledWriterLeftIsTakenOver() throws {
        try folder.archive([Exchange("http://a/", body: [1, 2, 3])], in: "clean")
        var random = SeededGenerator.printed()
        for length in [0, 10, 100_000] {
            try folder.write("a.webarc.partial", random.bytes(length))
            try folder.archive([Exchange("http://a/", body: [1, 2, 3])])
            #expect(try folder.read("a.webarc") == folder.read("clean"))
            #expect(!isThere("a.webarc.partial"))
        }
    }

    @Test func thePartialFileIsNotFollowedElsewhere() throws {
        try folder.write("precious", [1, 2, 3])
        try FileManager.default.createSymbolicLink(
            atPath: path.string + ".partial", withDestinationPath: folder.path("precious").string)
        #expect(archiveError { _ = try ArchiveWriter(creating: path) }?.code == .io)
        #expect(try folder.read("precious") == [1, 2, 3])
    }

    /// Neither rights nor mounts are needed for a place where no user can write.
    @Test func whereNothingCanBeWritten() throws {
        try folder.write("file", [1])
        for name in ["file/a.webarc", "missing/a.webarc"] {
            for open in [
                { _ = try ArchiveWriter(creating: folder.path(name)) },
                { _ = try ArchiveWriter(appendingTo: folder.path(name)) },
            ] {
                let error = archiveError(open)
                #expect(error?.code == .io && error?.cause is Errno, "\(name)")
            }
        }
        #expect(archiveError { _ = try ArchiveWriter(appendingTo: folder.path("none")) }?.code == .io)
        #expect(!isThere("none") && !isThere("none.partial"))
        #expect(try folder.read("file") == [1])
    }

    @Test func appendingNeedsAnArchive() throws {
        try folder.write("a.webarc", "not an archive at all".utf8)
        #expect(archiveError { _ = try ArchiveWriter(appendingTo: path) }?.code == .notAnArchive)
        #expect(try folder.read("a.webarc") == Array("not an archive at all".utf8))
        #expect(!isThere("a.webarc.partial"))
    }

    @Test func aCommitOfNothingWritesNothing() throws {
        try folder.archive([Exchange("http://a/")])
        let before = try folder.read("a.webarc")
        try ArchiveWriter(appendingTo: path).commit()
        #expect(try folder.read("a.webarc")[96...] == before[96...])
        #expect(try ArchiveReader(path: path).commitCount == 1)
        #expect(!isThere("a.webarc.partial"))
    }
}
