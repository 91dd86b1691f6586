// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveURLProtocol

@Suite struct ArchivesAtURLsTests {
    @Test func fileURLsArePaths() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("a b%20c.webarc")
        let request = ArchiveRequest(url: "https://site.example/")
        try ArchiveWriter(creating: url).add(request).commit()
        try ArchiveWriter(appendingTo: url).add(request).commit()
        #expect(try ArchiveReader(url: url).commitCount == 2)
        #expect(try ArchiveReader(path: url.path).entryCount == 2)
    }

    /// A path as text and the URL of the file name the same archive.
    @Test func aRecordingArchiveIsNamedAsOthersAre() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("a b.webarc")
        try ArchiveWriter(creating: url).add(ArchiveRequest(url: "https://site.example/")).commit()
        let name: String = url.path
        let archives = try [RecordingArchive(path: name), RecordingArchive(url: url)]
        #expect(archives.map(\.path) == [FilePath(name), FilePath(name)])
        #expect(archives.allSatisfy { $0.reader?.entryCount == 1 })
    }

    @Test func otherURLsAreNone() throws {
        let url = try #require(URL(string: "https://site.example/a.webarc"))
        #expect(failure { _ = try ArchiveReader(url: url) }?.code == .invalidArgument)
        #expect(failure { _ = try ArchiveWriter(creating: url) }?.code == .invalidArgument)
        #expect(failure { _ = try RecordingArchive(url: url) }?.code == .invalidArgument)
    }
}

extension ArchiveWriter {
    fileprivate func add(_ request: ArchiveRequest) throws -> ArchiveWriter {
        try add(request, response: ArchiveResponse())
        return self
    }
}
