// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive
@testable import WebArchivePacking

/// What becomes of links, odd names, and files that do not stay as they are.
@Suite struct SourceWalkerTests {
    let test = PackingTest()

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: test.folder.path("site/\(name)").string, withDestinationPath: target)
    }

    @Test func aLinkInsideTheFolderIsFollowed() throws {
        try test.write("a/page.html", "page")
        try link("b", to: "a")
        try link("c.html", to: "a/page.html")
        try test.pack()
        #expect(try test.text("http://localhost/b/page.html") == "page")
        #expect(try test.text("http://localhost/c.html") == "page")
        try test.unpack()
        #expect(try test.difference() == "")
    }

    @Test func aLinkThatLeavesTheFolderIsAnErrorThatNamesIt() throws {
        try test.folder.write("secret.txt", "secret".utf8)
        try test.write("a.html", "a")
        try link("leak.txt", to: "../secret.txt")
        let error = try #require(test.packingError())
        #expect(error.code == .invalidArgument)
        #expect(error.path?.hasSuffix("site/leak.txt") == true)
        #expect(error.recovery == .allowOutsideLinks)
        try test.pack { $0.allowsOutsideLinks = true }
        #expect(try test.text("http://localhost/leak.txt") == "secret")
    }

    @Test(arguments: [("loop", "."), ("self", "self"), ("gone", "nothing")])
    func aLinkInACircleOrToNothingIsAnErrorThatNamesIt(_ name: String, _ target: String) throws {
        try test.write("a.html", "a")
        try link(name, to: target)
        let error = try #require(test.packingError())
        #expect(error.path?.contains("site/\(name)") == true)
        #expect(error.description.contains("circle") || error.description.contains("nowhere"))
        #expect(!FileManager.default.fileExists(atPath: test.archive.string))
    }

    /// Thirty folders with two links each to the next one have a thousand million paths.
    @Test func linksThatDoubleTheWaysAreAnErrorThatNamesAFolder() throws {
        for number in 0..<30 {
            try test.write("d\(number)/page.html", "\(number)")
            for name in ["x", "y"] { try link("d\(number)/\(name)", to: "../d\(number + 1)") }
        }
        try test.write("d30/page.html", "30")
        let error = try #require(test.packingError())
        #expect(error.code == .limitExceeded)
        #expect(error.path?.contains("site/d0/") == true)
        #expect(error.recovery == .leaveOut)
    }

    @Test func manyLinksToOneFolderAreAnError() throws {
        for number in 0..<700 { try test.write("all/\(number).html", "") }
        for number in 0..<700 { try link("l\(number)", to: "all") }
        let error = try #require(test.packingError())
        #expect(error.code == .limitExceeded && error.path?.contains("site/l") == true)
    }

    /// Between its listing and the reading of what is in it, a folder becomes a link.
    @Test func aFolderWhosePlaceIsTakenIsAnError() throws {
        try test.write("a/page.html", "page")
        try test.folder.write("elsewhere/secret.html", "secret".utf8)
        let root = try SourceRoot(Array(test.folder.path("site").string.utf8), source: 0)
        let filter = try SourceFilter(ArchivePacker.Options())
        let site = SourceFolder(
            root: root, path: [], identities: [try #require(FileStatus(of: test.folder.path("site"))?.number)])
        let inner = try #require(try site.listing(filter)?.folders.first?.folder)
        try FileManager.default.moveItem(
            atPath: test.folder.path("site/a").string, toPath: test.folder.path("b").string)
        try link("a", to: "../elsewhere")
        #expect(archiveError { _ = try inner.listing(filter) }?.code == .changed)
    }

    /// Not a byte of it is read: that of a dictionary would be in the archive.
    @Test func aFileWhoseFolderIsTakenIsNotOpened() throws {
        try test.write("a/page.html", "page")
        try test.folder.write("elsewhere/page.html", "PAGE".utf8)
        var walker = try SourceWalker(ArchivePacker.Options())
        try walker.walk(test.site)
        let tree = SourceTree(walker)
        #expect(throws: Never.self) { _ = try tree.open(0) }
        try FileManager.default.moveItem(
            atPath: test.folder.path("site/a").string, toPath: test.folder.path("b").string)
        try link("a", to: "../elsewhere")
        #expect(archiveError { _ = try tree.open(0) }?.code == .changed)
    }

    @Test func aNamedPipeIsAnErrorThatNamesIt() throws {
        try test.write("a.html", "a")
        #expect(mkfifo(test.folder.path("site/pipe").string, 0o600) == 0)
        let error = try #require(test.packingError())
        #expect(error.path?.hasSuffix("site/pipe") == true)
        try test.pack { $0.exclude = ["pipe"] }
    }

    @Test func aMissingSourceIsAnErrorThatNamesIt() throws {
        let error = try #require(test.packingError())
        #expect(error.code == .io)
        #expect(error.path == test.site.string)
    }

    #if os(Linux)
        @Test func namesNeedNotBeUTF8NorDifferInMoreThanCase() throws {
            // Foundation cannot write such names, so the shell does.
            let script =
                #"mkdir -p site && cd site && printf x > "$(printf 'caf\351.html')" && printf 1 > A.txt && printf 2 > a.txt && printf 3 > '50% off?#.txt' && printf 4 > '%41.txt' && printf 5 > ' lead' && mkdir "$(printf '\377dir')" && printf 6 > "$(printf '\377dir')/index.html""#
            let made = try ExternalTool.run(["sh", "-c", script], in: test.folder.url)
            try #require(made.status == 0, "\(made.errorText)")
            try test.pack()
            #expect(try test.text("http://localhost/caf%E9.html") == "x")
            #expect(try test.text("http://localhost/A.txt") == "1")
            #expect(try test.text("http://localhost/a.txt") == "2")
            #expect(try test.text("http://localhost/50%25%20off%3F%23.txt") == "3")
            #expect(try test.text("http://localhost/%FFdir/") == "6")
            #expect(try test.unpack().failures.isEmpty)
            #expect(try test.difference() == "")
        }
    #endif

    @Test func emptyAndSparseFilesComeBack() throws {
        try test.write("empty.html", "")
        try test.write("hole.bin", "")
        #expect(truncate(test.folder.path("site/hole.bin").string, 9_000_000) == 0)
        let summary = try test.pack()
        #expect(summary.archiveLength < 100_000)
        try test.unpack()
        #expect(try test.difference() == "")
        #expect(try test.reader().entry(for: "http://localhost/empty.html")?.body?.length == 0)
    }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["WEBARC_TEST_LARGE"] != nil, "minutes long: set WEBARC_TEST_LARGE"))
    func aFileOfMoreThanFourGibibytesComesBack() throws {
        try test.write("large.bin", "start")
        #expect(truncate(test.folder.path("site/large.bin").string, (1 << 32) + 12_345) == 0)
        try test.pack()
        let body = try #require(try test.reader().entry(for: "http://localhost/large.bin")?.body)
        #expect(body.length == (1 << 32) + 12_345)
        #expect(try body.bytes(in: 0..<5) == Array("start".utf8))
        #expect(try body.bytes(in: (1 << 32)..<(1 << 32) + 12_345) == Array(repeating: 0, count: 12_345))
        #expect(ArchiveVerifier(try test.reader(), threads: 2).run().isEmpty)
        try test.unpack()
        #expect(try test.difference() == "")
    }

    /// Files large enough that the first one is recorded, and reported, before the last one is read.
    private func packWhile(_ disturb: @escaping @Sendable (String) -> Void) throws -> ArchiveError? {
        for name in ["a", "b", "c", "d"] { try test.write("\(name).bin", Array(repeating: 1, count: 3_000_000)) }
        let last = test.folder.path("site/d.bin").string
        var options = ArchivePacker.Options()
        options.threads = 1
        do {
            _ = try ArchivePacker([test.site], into: test.archive, options: options).run { _ in disturb(last) }
            return nil
        } catch {
            return error
        }
    }

    @Test func aFileThatVanishesIsAnErrorThatNamesIt() throws {
        let error = try #require(try packWhile { unlink($0) })
        #expect(error.code == .changed)
        #expect(error.path?.hasSuffix("site/d.bin") == true)
        #expect(error.message.contains("vanished"))
        #expect(!FileManager.default.fileExists(atPath: test.archive.string))
    }

    @Test(arguments: [2_999_999, 3_000_001])
    func aFileThatChangesIsAnErrorThatNamesIt(_ length: Int) throws {
        let error = try #require(try packWhile { truncate($0, off_t(length)) })
        #expect(error.code == .changed)
        #expect(error.path?.hasSuffix("site/d.bin") == true)
        #expect(!FileManager.default.fileExists(atPath: test.archive.string))
    }
}
