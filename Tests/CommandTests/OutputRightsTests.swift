// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The users who may read what is made from archives that not all may read.
@Suite struct OutputRightsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("site/index.html", Array("<title>Private</title>".utf8))
        try folder.write("other/more.html", Array("<title>More</title>".utf8))
        try webarc("key", "create", "k.key")
        for name in ["site", "other"] {
            try webarc(
                "pack", name, "-o", "\(name).webarc", "--base-url", "https://\(name).test/", "--sign", "k.key",
                "--series", "s")
        }
        try webarc("split", "site.webarc", "--size", "2K")
    }

    @discardableResult
    private func webarc(_ arguments: String..., mask: Int = 0o022) throws -> ExternalTool.Result {
        let shell = "umask \(String(mask, radix: 8)); exec \"$0\" \"$@\""
        let result = try ExternalTool.run(["sh", "-c", shell, WebarcTool.path] + arguments, in: folder.url)
        try #require(result.status == 0, "\(arguments): \(result.errorText)")
        return result
    }

    private func permit(_ mode: Int, _ names: String...) throws {
        for name in names { try #require(chmod(folder.path(name).string, mode_t(mode)) == 0) }
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name).string)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    /// Makes files in all ways from `site.webarc`, and gives their modes.
    private func modes(mask: Int = 0o022) throws -> [String: Int] {
        try webarc("compact", "site.webarc", "-o", "compacted.webarc", mask: mask)
        try webarc("extract", "site.webarc", "-o", "extracted.webarc", "--include", "/**", mask: mask)
        try webarc("merge", "other.webarc", "site.webarc", "-o", "merged.webarc", mask: mask)
        try webarc("join", "site.webarc.001", "-o", "joined.webarc", mask: mask)
        try webarc("heal", "site.webarc", "--from", "other.webarc", "-o", "healed.webarc", mask: mask)
        try webarc("diff", "site.webarc", "other.webarc", "-o", "site.webarcpatch", mask: mask)
        try webarc("patch", "site.webarc", "site.webarcpatch", "-o", "patched.webarc", mask: mask)
        try webarc("pack", "other", "-o", "like.webarc", "--like", "site.webarc", mask: mask)
        try webarc("index", "--plist", "site.webarc", "-o", "index.plist", mask: mask)
        try FileManager.default.createDirectory(
            atPath: folder.path("parts").string, withIntermediateDirectories: true)
        try webarc("split", "site.webarc", "--size", "2K", "-o", "parts", mask: mask)
        let names = [
            "compacted.webarc", "extracted.webarc", "merged.webarc", "joined.webarc", "healed.webarc", "index.plist",
            "site.webarcpatch", "patched.webarc", "like.webarc",
            "parts/site.webarc.001", "parts/site.webarc.002",
        ]
        return Dictionary(uniqueKeysWithValues: try names.map { ($0, try mode($0)) })
    }

    private func permitSite(_ mode: Int) throws {
        let parts = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .filter { $0.hasPrefix("site.webarc") }
        for name in parts { try permit(mode, name) }
    }

    @Test(arguments: [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644), (0o400, 0o600), (0o604, 0o604)])
    func whoMayNotReadTheArchive(_ mode: (source: Int, result: Int)) throws {
        try permitSite(mode.source)
        for (name, found) in try modes() {
            #expect(found == mode.result, "\(name): \(String(found, radix: 8))")
        }
    }

    @Test func theMaskCountsAsWell() throws {
        try permitSite(0o664)
        for (name, found) in try modes(mask: 0o027) { #expect(found == 0o640, "\(name): \(String(found, radix: 8))") }
    }

    /// The strictest of several files decides: an archive of a merge, and a part.
    @Test func oneOfSeveral() throws {
        try permit(0o600, "other.webarc", "site.webarc.002")
        try webarc("merge", "other.webarc", "site.webarc", "-o", "merged.webarc")
        try webarc("merge", "site.webarc", "other.webarc", "-o", "merged2.webarc")
        try webarc("join", "site.webarc.001", "-o", "joined.webarc")
        try webarc("heal", "site.webarc", "--from", "other.webarc", "-o", "healed.webarc")
        for name in ["merged.webarc", "merged2.webarc", "joined.webarc", "healed.webarc"] {
            #expect(try mode(name) == 0o600, "\(name)")
        }
    }

    /// Members of another group are other users.
    @Test(.enabled(if: geteuid() == 0, "only root can give a file to any group"))
    func theGroupOfTheArchiveAsRoot() throws {
        try permitSite(0o640)
        try #require(chown(folder.path("site.webarc").string, 0, 60_001) == 0)
        try webarc("compact", "site.webarc", "-o", "compacted.webarc")
        #expect(try mode("compacted.webarc") == 0o600)
    }

    /// The file of another user at the name of the output is no permission to read it.
    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func aFileOfAnotherUserAtTheNameAsRoot() throws {
        try permitSite(0o600)
        for name in ["compacted.webarc", "index.plist"] {
            try folder.write(name, name == "index.plist" ? [1] : folder.read("other.webarc"))
            try permit(0o644, name)
            try #require(chown(folder.path(name).string, 60_001, 60_001) == 0)
        }
        try webarc("compact", "site.webarc", "-o", "compacted.webarc")
        try webarc("index", "--plist", "site.webarc", "-o", "index.plist")
        for name in ["compacted.webarc", "index.plist"] { #expect(try mode(name) == 0o600, "\(name)") }
    }

    /// Members of one group work on each other's archives.
    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func aColleaguesFileAsRoot() throws {
        try permitSite(0o640)
        try folder.write("compacted.webarc", folder.read("other.webarc"))
        try permit(0o640, "compacted.webarc")
        try #require(chown(folder.path("compacted.webarc").string, 60_001, getegid()) == 0)
        try webarc("compact", "site.webarc", "-o", "compacted.webarc")
        #expect(try mode("compacted.webarc") == 0o640)
    }

    /// A web server of another user sends them.
    @Test func aReleaseFolderIsForAll() throws {
        try permitSite(0o600)
        try webarc("release", "public/new", "site.webarc", "--sign", "k.key", "--force", mask: 0o077)
        try webarc(
            "pack", "other", "-o", "site.webarc", "--base-url", "https://site.test/", "--sign", "k.key", "--series",
            "s", "--sequence", "9000000000", mask: 0o077)
        try permit(0o600, "site.webarc")
        try webarc("release", "public/new", "site.webarc", "--sign", "k.key", "--force", mask: 0o077)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("public/new").string)
        #expect(names.count == 4, "\(names)")
        for name in names { #expect(try mode("public/new/\(name)") == 0o644, "\(name)") }
        for name in ["public", "public/new"] { #expect(try mode(name) == 0o755, "\(name)") }
    }

    /// An existing file keeps its own rights.
    @Test func whatIsReplaced() throws {
        try permitSite(0o600)
        try webarc("compact", "other.webarc", "-o", "compacted.webarc")
        try permit(0o644, "compacted.webarc")
        try webarc("compact", "site.webarc", "-o", "compacted.webarc")
        #expect(try mode("compacted.webarc") == 0o644)
    }

    /// A file at standard input restricts as one with a name does.
    @Test func fileAtStandardInput() throws {
        try webarc("export", "site.webarc", "-o", "private.warc")
        for mode in [0o600, 0o644] {
            try permit(mode, "private.warc")
            let shell = "umask 022; exec \"$0\" import - -o imported-\(mode).webarc < private.warc"
            let result = try ExternalTool.run(["sh", "-c", shell, WebarcTool.path], in: folder.url)
            try #require(result.status == 0, "\(result.errorText)")
            #expect(try self.mode("imported-\(mode).webarc") == mode)
        }
    }
}
