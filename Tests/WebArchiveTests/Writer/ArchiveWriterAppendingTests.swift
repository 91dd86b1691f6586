// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

/// A writer's knowledge of the commits before its own.
@Suite struct ArchiveWriterAppendingTests {
    private let folder: TemporaryFolder
    private let path: FilePath

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.webarc")
        let writer = try ArchiveWriter(creating: path)
        let body = try writer.addBody([1, 2, 3])
        try writer.add(
            ArchiveRequest(url: "http://a/x"), response: ArchiveResponse(headers: ["A": "old"]), body: body,
            time: ArchiveTime(seconds: 1))
        let entry = try writer.add(
            ArchiveRequest(url: "http://a/x"), response: ArchiveResponse(headers: ["A": "b"]), body: body,
            time: ArchiveTime(seconds: 2))
        try writer.addAlias(CanonicalURL("http://a/"), of: entry)
        try writer.add(
            ArchiveRequest(url: "http://a/y"), response: ArchiveResponse(status: 301, headers: ["Location": "/z"]))
        try writer.commit()
    }

    /// Responses that are all alike take no room in the index of a commit: what a reader allows of such rows must not end an archive.
    @Test func manyAlikeInSeveralCommits() throws {
        let path = folder.path("alike.webarc")
        for commit in 0..<2 {
            let writer = try commit == 0 ? ArchiveWriter(creating: path) : ArchiveWriter(appendingTo: path)
            let body = try writer.addBody([])
            for number in 0..<40_000 {
                try writer.add(
                    ArchiveRequest(url: "http://a/\(commit)/\(number)"), response: ArchiveResponse(), body: body)
            }
            try writer.commit()
        }
        #expect(try ArchiveReader(path: path).entryCount == 80_000)
    }

    @Test func unchangedEntries() throws {
        let writer = try ArchiveWriter(appendingTo: path)
        let (same, other) = try (writer.addBody([1, 2, 3]), writer.addBody([4]))
        let url = try CanonicalURL("http://a/x")
        let response = ArchiveResponse(headers: ["A": "b"])
        func isUnchanged(
            _ url: CanonicalURL, _ response: ArchiveResponse?, _ body: ArchiveWriter.BodyReference?,
            _ role: ArchiveEntry.Role = .exchange
        ) throws -> Bool {
            try writer.builder.unchangedEntry(url, response: response, body: body, role: role) != nil
        }
        #expect(try isUnchanged(url, response, same))
        #expect(try !isUnchanged(url, response, other))
        #expect(try !isUnchanged(url, response, nil))
        #expect(try !isUnchanged(url, ArchiveResponse(headers: ["A": "old"]), same), "only the newest counts")
        #expect(try !isUnchanged(url, nil, same))
        #expect(try !isUnchanged(url, response, same, .alias))
        #expect(try !isUnchanged(CanonicalURL("http://a/none"), response, same))
        writer.cancel()
        let fresh = try ArchiveWriter(creating: folder.path("b"))
        #expect(try fresh.builder.unchangedEntry(url, response: response, body: nil, role: .exchange) == nil)
        #expect(try fresh.builder.existingMetadata().isEmpty)
    }

    @Test func aliasesOfEarlierEntries() throws {
        let writer = try ArchiveWriter(appendingTo: path)
        let body = try writer.addBody([1, 2, 3])
        let earlier = try #require(
            try writer.builder.unchangedEntry(
                CanonicalURL("http://a/x"), response: ArchiveResponse(headers: ["A": "b"]), body: body, role: .exchange)
        )
        #expect(try writer.builder.hasAlias(CanonicalURL("http://a/"), of: earlier))
        #expect(try !writer.builder.hasAlias(CanonicalURL("http://a/y"), of: earlier))
        #expect(try !writer.builder.hasAlias(CanonicalURL("http://a/none"), of: earlier))
        let redirect = try #require(
            try writer.builder.unchangedEntry(
                CanonicalURL("http://a/y"),
                response: ArchiveResponse(status: 301, headers: ["Location": "/z"], redirectTarget: "http://a/z"),
                body: nil,
                role: .exchange))
        let own = try writer.add(ArchiveRequest(url: "http://a/own"), response: ArchiveResponse())
        #expect(try !writer.builder.hasAlias(CanonicalURL("http://a/"), of: own))
        try writer.addAlias(CanonicalURL("http://a/second"), of: earlier)
        _ = try writer.builder.addAlias(CanonicalURL("http://a/404"), of: earlier, status: 404)
        try writer.addAlias(CanonicalURL("http://a/away"), of: redirect)
        try writer.commit()

        let reader = try ArchiveReader(path: path)
        let original = try #require(try reader.entry(for: "http://a/x"))
        let second = try #require(try reader.entry(for: "http://a/second"))
        #expect(try second.sharesResponse(with: original) && second.role == .alias)
        #expect(try second.body?.bytes() == [1, 2, 3] && second.time == ArchiveTime(seconds: 2))
        let missing = try #require(try reader.entry(for: "http://a/404"))
        #expect(try missing.response?.status == 404 && missing.body?.bytes() == [1, 2, 3])
        #expect(try reader.entry(for: "http://a/away")?.response?.redirectTarget == "http://a/z")
        #expect(reader.bodyCount == 1)
    }

    @Test func allCommitsThatThereCanBe() throws {
        // Empty commits, put together from the specification's sections 3 and 4.
        var bytes = ArchiveHeader().encoded()
        var previous: UInt64 = 0
        func append(_ number: UInt32) {
            let footer = CommitFooter(
                offset: UInt64(bytes.count), previousFooter: previous, commitNumber: number, sectionCount: 0,
                commitStart: UInt64(bytes.count), sectionTableChecksum: 0)
            previous = UInt64(bytes.count)
            bytes += footer.encoded()
        }
        for number in 0..<1023 as Range<UInt32> { append(number) }
        try folder.write("most", bytes)
        let writer = try ArchiveWriter(appendingTo: folder.path("most"))
        try Exchange("http://a/").write(to: writer)
        try writer.commit()
        let reader = try ArchiveReader(path: folder.path("most"))
        #expect(reader.commitCount == 1024)
        #expect(try reader.entry(for: "http://a/") != nil)
        let error = archiveError { _ = try ArchiveWriter(appendingTo: folder.path("most")) }
        #expect(error?.code == .limitExceeded)
    }

    /// A writer locks the file, and not only its name.
    @Test(arguments: [true, false]) func twoNamesOfOneArchive(isSymbolic: Bool) throws {
        let folder = try TemporaryFolder()
        let (path, other) = (folder.path("a.webarc"), folder.path("b.webarc"))
        try folder.archive([Exchange("http://a/1", body: [1])])
        if isSymbolic {
            try FileManager.default.createSymbolicLink(atPath: other.string, withDestinationPath: "a.webarc")
        } else {
            try FileManager.default.linkItem(atPath: path.string, toPath: other.string)
        }
        let writer = try ArchiveWriter(appendingTo: path)
        #expect(archiveError { _ = try ArchiveWriter(appendingTo: other) }?.code == .locked)
        #expect(archiveError { _ = try ArchiveWriter(creating: other) }?.code == .locked)
        #expect(archiveError { _ = try ArchiveCompactor(other).run() }?.code == .locked)
        writer.cancel()
        try ArchiveWriter(appendingTo: other).cancel()
    }

    /// A crash or a copy may leave bytes behind a commit that is whole.
    @Test(arguments: [1, 63, 64, 1000, 1 << 20, (1 << 20) + 40]) func bytesBehindTheLastCommit(count: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.webarc")
        try folder.archive([Exchange("http://a/1", body: [1])])
        try folder.archive([Exchange("http://a/2", body: [2])], appending: true)
        let whole = try folder.read("a.webarc")
        let bytes = whole + [UInt8](repeating: 0, count: count)
        try folder.write("a.webarc", bytes)
        #expect(try ArchiveReader(path: path).commitCount == 2)
        try folder.archive([Exchange("http://a/3", body: [3])], appending: true)
        let reader = try ArchiveReader(path: path)
        #expect(reader.commitCount == 3)
        #expect(try reader.entry(for: "http://a/2")?.body?.bytes() == [2])
    }
}
