// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite struct FilePathURLTests {
    @Test(arguments: [
        ("file:///srv/a.webarc", "/srv/a.webarc"), ("file:/srv/a.webarc", "/srv/a.webarc"),
        ("file://localhost/srv/a.webarc", "/srv/a.webarc"), ("FILE:///srv/a.webarc", "/srv/a.webarc"),
        ("file:///a%20b%2520%C3%A4%23%3F", "/a b%20ä#?"), ("file:///a%2520", "/a%20"), ("file:///", "/"),
    ])
    func aFileURLIsAPath(url: String, path: String) throws {
        #expect(try FilePath(fileURL: #require(URL(string: url))).string == path)
    }

    @Test func aRelativeURLGivesAnAbsolutePath() throws {
        let base = try #require(URL(string: "file:///srv/archives/"))
        let url = try #require(URL(string: "../a.webarc", relativeTo: base))
        #expect(try FilePath(fileURL: url).lexicallyNormalized().string == "/srv/a.webarc")
        let here = FileManager.default.currentDirectoryPath
        #expect(try FilePath(fileURL: URL(fileURLWithPath: "a.webarc")).string == here + "/a.webarc")
    }

    /// A path would end at a NUL, and lead into a folder at a slash.
    @Test(arguments: [
        "https://site.example/a.webarc", "a.webarc", "file://server/srv/a.webarc", "file:///srv/a%00.webarc",
        "file:///srv/a%2fb.webarc", "file:///srv/%FF.webarc", "data:,file:///srv/a.webarc",
    ])
    func otherURLsAreRefused(url: String) throws {
        let url = try #require(URL(string: url))
        let error = try #require(throws: ArchiveError.self) { try FilePath(fileURL: url) }
        #expect(error.code == .invalidArgument && error.message.contains(url.absoluteString))
    }

    /// A known type need not be named, and neither need its module.
    @Test func allThatTakesAPathTakesAURL() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("ä b.webarc")
        let writer = try ArchiveWriter(creating: .init(fileURL: url))
        try writer.add(ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse())
        try writer.commit()
        let merged = folder.url.appendingPathComponent("merged.webarc")
        try ArchiveMerger([ArchiveReader(path: .init(fileURL: url))], into: .init(fileURL: merged)).run()
        #expect(try ArchiveReader(path: merged.path).entryCount == 1)
    }
}
