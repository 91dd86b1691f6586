// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("pack and symbolic links")
struct LinkTests {
    private func site() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("secret.txt", "secret".utf8)
        try folder.write("site/index.html", "<p>".utf8)
        for (name, target) in [("o", "../secret.txt"), ("gone", "nothing")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("site/\(name)").string, withDestinationPath: target)
        }
        return folder
    }

    @Test(
        arguments: [
            ([], 0, ["linkOutside", "brokenLink"]), (["--exclude", "o"], 0, ["brokenLink"]),
            (["--exclude", "o", "--exclude", "gone", "--strict-links"], 0, []),
            (["--allow-outside-links"], 0, ["brokenLink"]),
            (["--strict-links"], 64, []), (["--strict-links", "--allow-outside-links"], 64, []),
            (["--strict-links", "--exclude", "gone", "--allow-outside-links"], 0, []),
        ] as [([String], Int32, Set<String>)])
    func optionsDecideAboutLinks(_ options: [String], _ status: Int32, _ codes: Set<String>) throws {
        let folder = try site()
        let result = try WebarcTool.run(["pack", "site", "-o", "s.webarc", "--json"] + options, in: folder.url)
        #expect(result.status == status, "\(result.errorText)")
        let warnings = try result.objects.first?["warnings"] as? [[String: Any]] ?? []
        #expect(Set(warnings.compactMap { $0["code"] as? String }) == codes)
    }

    /// A folder on the way of a link may be one that can only be passed through.
    @Test func aLinkThroughAFolderThatCannotBeListed() throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "<p>".utf8)
        try folder.write("site/p/q/z.html", "z".utf8)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("site/qq").string, withDestinationPath: "p/q")
        let closed = folder.path("site/p").string
        try #require(chmod(closed, 0o311) == 0)
        defer { chmod(closed, 0o755) }
        let result = try WebarcTool.run("pack", "site", "-o", "s.webarc", "--exclude", "p", in: folder.url)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try WebarcTool.run("cat", "s.webarc", "/qq/z.html", in: folder.url).text == "z")
    }

    /// In a folder where everybody may leave links, in the middle of the path of what is written.
    @Test(.enabled(if: geteuid() == 0, "only root can give a link away"), arguments: [false, true])
    func aLinkOfAnotherUserAsRoot(isOwn: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "<p>".utf8)
        try folder.write("private/.keep", [])
        try folder.write("shared/.keep", [])
        try #require(chown(folder.path("shared").string, 60_002, 60_002) == 0)
        try #require(chmod(folder.path("shared").string, 0o1777) == 0)
        let link = folder.path("shared/link").string
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.path("private").string)
        if !isOwn { try #require(lchown(link, 60_001, 60_001) == 0) }
        try #require(WebarcTool.run("pack", "site", "-o", "s.webarc", in: folder.url).status == 0)
        for arguments in [
            ["unpack", "s.webarc", "-C", "shared/link/unpacked"], ["unpack", "s.webarc", "-C", "shared/link"],
            ["pack", "site", "-o", "shared/link/packed.webarc"],
            ["compact", "s.webarc", "-o", "shared/link/compacted.webarc"],
            ["index", "--plist", "s.webarc", "-o", "shared/link/index.plist"], ["key", "create", "shared/link/k.key"],
        ] {
            let result = try WebarcTool.run(arguments, in: folder.url)
            #expect(result.status == (isOwn ? 0 : 74), "\(arguments): \(result.errorText)")
            #expect(isOwn || result.errorText.contains("another user"), "\(result.errorText)")
        }
        if !isOwn {
            // Clients choose the text of its lines.
            let result = try WebarcTool.run(
                "serve", "s.webarc", "--port", "0", "--access-log", "shared/link/log", in: folder.url)
            #expect(result.status == 74 && result.errorText.contains("another user"), "\(result.errorText)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("private").string)
        #expect(names.count == (isOwn ? 8 : 1), "\(names)")
    }

    @Test func everyLinkThatIsRefusedIsNamed() throws {
        let folder = try site()
        let result = try WebarcTool.run("pack", "site", "-o", "s.webarc", "--strict-links", in: folder.url)
        for name in ["site/o: ", "site/gone: ", "--allow-outside-links"] {
            #expect(result.errorText.contains(name), "\(result.errorText)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("s.webarc").string))
    }
}
