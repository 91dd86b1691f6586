// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import WebArchive
@testable import WebArchivePacking

/// The handling of links, unusual names, and files that change.
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

    /// Links that no packer follows: the warning of each, by the end of its path.
    private func writeLinks() throws -> [String: PackingWarning.Code] {
        try test.folder.write("secret/page.html", "secret".utf8)
        try test.write("index.html", "a")
        try link("leak.txt", to: "../secret/page.html")
        try link("leak", to: "../secret")
        try link("gone", to: "nothing")
        try link("loop", to: ".")
        try link("self", to: "self")
        return [
            "leak.txt": .linkOutside, "leak": .linkOutside, "gone": .brokenLink, "loop": .linkInCircle,
            "self": .linkInCircle,
        ]
    }

    private func names(_ warnings: [PackingWarning]) -> [String: PackingWarning.Code] {
        Dictionary(warnings.map { ($0.path.components(separatedBy: "site/").last ?? "", $0.code) }) { first, _ in first
        }
    }

    @Test func linksOutToNothingAndInACircleAreSkippedWithAWarning() throws {
        let links = try writeLinks()
        let warnings = try test.pack().warnings
        #expect(names(warnings) == links && warnings.count == links.count)
        #expect(warnings.first { $0.code == .brokenLink }?.message == "broken symbolic link (to nothing); skipped")
        #expect(try test.unpack().files == 1)
    }

    @Test func allSkippedLinksAreOneErrorOnRequest() throws {
        let links = try writeLinks()
        let error = try #require(test.packingError { $0.requiresAllLinks = true })
        #expect(error.code == .invalidArgument && error.recovery == .allowOutsideLinks)
        #expect(names(try #require(error.cause as? SkippedLinks).warnings) == links)
        #expect(!FileManager.default.fileExists(atPath: test.archive.string))
        let inner = try #require(test.packingError { ($0.requiresAllLinks, $0.allowsOutsideLinks) = (true, true) })
        #expect((inner.cause as? SkippedLinks)?.warnings.count == 3 && inner.recovery == .leaveOut)
    }

    @Test func linksThatLeadOutAreFollowedOnRequest() throws {
        _ = try writeLinks()
        let warnings = try test.pack { $0.allowsOutsideLinks = true }.warnings
        #expect(!warnings.contains { $0.code == .linkOutside } && warnings.count == 3)
        #expect(try test.text("http://localhost/leak.txt") == "secret")
        #expect(try test.text("http://localhost/leak/page.html") == "secret")
    }

    /// A pattern counts before the link is looked at, and one for folders by what the link leads to.
    @Test func patternsLeaveLinksOutWithoutAWord() throws {
        _ = try writeLinks()
        let exclude = ["leak.txt", "leak/", "gone", "/loop", "self"]
        #expect(try test.pack { ($0.exclude, $0.requiresAllLinks) = (exclude, true) }.warnings == [])
        // A file that is not selected is not missed; a folder may contain one that is.
        let warnings = try test.pack { $0.include = ["index.html"] }.warnings
        #expect(Set(names(warnings).keys) == ["leak", "loop"])
    }

    @Test(arguments: [false, true]) func theArchiveNeverPacksItself(_ appends: Bool) throws {
        try test.write("index.html", "a")
        try link("again", to: "index.html")
        try FileManager.default.createSymbolicLink(
            atPath: test.folder.path("other").string, withDestinationPath: "site")
        try test.write("site.webarc.partial", "left by a writer that was killed")
        for (number, name) in ["site/site.webarc", "other/site.webarc", "site/../site/site.webarc"].enumerated() {
            var options = ArchivePacker.Options()
            options.appends = appends && number > 0
            let archive = test.folder.path(name)
            let summary = try ArchivePacker([test.site], into: archive, options: options).run()
            #expect(summary.files == 2 && summary.warnings == [], "\(name)")
            try test.write("site.webarc.partial", "left by a writer that was killed")
        }
        try FileManager.default.linkItem(
            atPath: test.folder.path("site/site.webarc").string, toPath: test.folder.path("site/b.webarc").string)
        let summary = try ArchivePacker([test.site], into: test.folder.path("site/site.webarc")).run()
        #expect(summary.files == 2 && summary.warnings.map(\.code) == [.archiveItself])
    }

    /// Files that lie beside a site, and that hardly anyone means to ship.
    @Test(arguments: [".git/config", ".svn/entries", ".env", "api/.env.production", "keys/id_ed25519", ".htpasswd"])
    func whatIsHardlyMeantIsTold(_ name: String) throws {
        for (number, file) in ["index.html", name, "docs/.well-known/a.txt", ".env.example", "id_card.html"]
            .enumerated()
        {
            try test.write(file, "\(number)")
        }
        let told = try test.pack().warnings
        #expect(told.map(\.code) == [.privateFile])
        #expect(try test.text("http://localhost/\(name)") == "1")
        let exclude = ["**/" + name.split(separator: "/").first { $0.hasPrefix(".") || $0.hasPrefix("id_") }!]
        #expect(try test.pack { $0.exclude = exclude }.warnings == [])
    }

    #if os(Linux)
        @Test(arguments: [".env.'; echo x", ".env.[a]*?\\", ".env.$(echo x)", ".env.\u{202E}é\n"])
        func theProposedPatternLeavesOutThatFileAlone(_ name: String) throws {
            for file in [name, ".env.a", "index.html"] { try test.write(file, "a") }
            let told = try #require(test.pack().warnings.first { $0.path.hasSuffix("/\(name)") })
            let pattern = try #require(told.pattern)
            #expect(pattern.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            let warnings = try test.pack { $0.exclude = [pattern] }.warnings
            #expect(warnings.map(\.path) == ["\(test.site)/.env.a"])
        }
    #endif

    @Test func anArchiveAsItsOwnSourceIsAnError() throws {
        try test.write("a.html", "a")
        try test.pack()
        let before = try test.folder.read("site.webarc")
        let error = archiveError { _ = try ArchivePacker([test.archive], into: test.archive).run() }
        #expect(error?.code == .invalidArgument && error?.path == test.archive.string)
        #expect(try test.folder.read("site.webarc") == before)
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
        #expect(error.path?.contains(try Regex("/site/d[0-9]+(/[xy]){2,}$")) == true)
        #expect(error.recovery == .leaveOut)
    }

    /// Deeper folders could be listed for minutes: a pipe there, in a folder that comes first, is not noticed any more.
    @Test func manyLinksToOneFolderAreAnError() throws {
        for number in 0..<700 { try test.write("all/\(number).html", "") }
        for number in 0..<700 { try link("l\(number)", to: "all") }
        try test.write("a/b/page.html", "")
        #expect(mkfifo(test.folder.path("site/a/b/pipe").string, 0o600) == 0)
        let error = try #require(test.packingError())
        #expect(error.code == .limitExceeded && error.path?.contains("site/l") == true)
    }

    /// A folder that is one too many is not looked at: it is not missed if it is not there.
    @Test func aFolderIsCountedBeforeItIsOpened() throws {
        try test.write("page.html", "page")
        let root = try SourceRoot(Array(test.site.string.utf8), source: 0)
        let number = try #require(FileStatus(of: test.site)?.number)
        let folder = SourceFolder(root: root, path: Array("none".utf8), ancestry: FolderAncestry(number), linkCount: 2)
        let filter = try SourceFilter(ArchivePacker.Options())
        #expect(archiveError { _ = try folder.listing(filter, from: ParentFolder()) }?.code == .io)
        while !root.linkLimits.isExceeded { try? root.linkLimits.countFolder("") }
        let error = try #require(archiveError { _ = try folder.listing(filter, from: ParentFolder()) })
        #expect(error.code == .limitExceeded && error.path == "\(test.site)/none")
    }

    /// Few names behind links may make long paths, if their folder is deep.
    @Test func pathsBehindLinksHaveALengthTogether() throws {
        try test.write("d/page.html", "page")
        let root = try SourceRoot(Array(test.site.string.utf8), source: 0)
        let number = try #require(FileStatus(of: test.folder.path("site/d"))?.number)
        let folder = SourceFolder(root: root, path: Array("d".utf8), ancestry: FolderAncestry(number), linkCount: 1)
        let filter = try SourceFilter(ArchivePacker.Options())
        try root.linkLimits.countName((64 << 20) - 2 * "d/page.html".utf8.count, "")
        for _ in 0..<2 { #expect(try folder.listing(filter, from: ParentFolder())?.stamps.count == 1) }
        let error = try #require(archiveError { _ = try folder.listing(filter, from: ParentFolder()) })
        #expect(error.code == .limitExceeded && error.recovery == .leaveOut && error.path == "\(test.site)/d")
        #expect(error.message.contains("64 MiB of paths"))
    }

    /// Between its listing and the reading of what is in it, a folder becomes a link.
    @Test func aFolderWhosePlaceIsTakenIsAnError() throws {
        try test.write("a/page.html", "page")
        try test.folder.write("elsewhere/secret.html", "secret".utf8)
        let root = try SourceRoot(Array(test.folder.path("site").string.utf8), source: 0)
        let filter = try SourceFilter(ArchivePacker.Options())
        let site = SourceFolder(
            root: root, path: [],
            ancestry: FolderAncestry(try #require(FileStatus(of: test.folder.path("site"))?.number)))
        let inner = try #require(try site.listing(filter, from: ParentFolder())?.folders.first?.folder)
        try FileManager.default.moveItem(
            atPath: test.folder.path("site/a").string, toPath: test.folder.path("b").string)
        try link("a", to: "../elsewhere")
        #expect(archiveError { _ = try inner.listing(filter, from: ParentFolder()) }?.code == .changed)
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

    @Test(.enabled(if: LargeTests.areEnabled, "minutes long: Tools/test --large"))
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
