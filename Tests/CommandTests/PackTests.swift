// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite("pack and unpack")
struct PackTests {
    private func site() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", "<p>Hello".utf8)
        try folder.write("site/docs/a.html", "<p>A".utf8)
        try folder.write("site/docs/a.html.map", "{}".utf8)
        try folder.write("site/img/x y.png", SampleArchive.image)
        return folder
    }

    @Test func packAndUnpack() throws {
        let folder = try site()
        let packed = try WebarcTool.run(
            "pack", "site", "-o", "s.webarc", "--base-url", "https://example.org/", "--title", "My site",
            "--main-page", "docs/a.html", "--language", "en", "--creator", "me", "--description", "d",
            "--date", "2025-01-31", in: folder.url)
        #expect(packed.status == 0 && packed.text.isEmpty && packed.errorText.isEmpty, "\(packed.errorText)")
        let metadata = try ArchiveReader(path: folder.path("s.webarc")).metadata()
        #expect(metadata["title"] == "My site" && metadata["date"] == "2025-01-31" && metadata["creator"] == "me")
        #expect(metadata["mainPage"] == "https://example.org/docs/a.html" && metadata["language"] == "en")
        let unpacked = try WebarcTool.run("unpack", "s.webarc", "-C", "new/out", in: folder.url)
        #expect(unpacked.status == 0 && unpacked.text.isEmpty && unpacked.errorText.isEmpty, "\(unpacked.errorText)")
        #expect(try ExternalTool.run(["diff", "-r", "site", "new/out"], in: folder.url).status == 0)
        let again = try WebarcTool.run("unpack", "s.webarc", "-C", "new/out", in: folder.url)
        #expect(again.status == 73 && again.errorText.contains("--force"))
        #expect(try WebarcTool.run("unpack", "s.webarc", "-C", "new/out", "--force", in: folder.url).status == 0)
    }

    /// An archive of some hundred bytes would have each URL begin with 64 KB.
    @Test func aLongBaseURLOfAnArchiveIsNotRepeated() throws {
        let folder = try site()
        func archive(_ length: Int) throws {
            try? FileManager.default.removeItem(atPath: folder.path("s.webarc").string)
            let writer = try ArchiveWriter(creating: folder.path("s.webarc"))
            let base = "http://a.test/"
            let long = base + String(repeating: "x", count: length - base.utf8.count - 1) + "/"
            try writer.setMetadata("x-base-url", to: long)
            try writer.commit()
        }
        try archive(60_000)
        let before = try folder.read("s.webarc")
        let refused = try WebarcTool.run("pack", "site", "-o", "s.webarc", "--append", in: folder.url)
        #expect(refused.status == 64 && refused.errorText.contains("give one with --base-url"), "\(refused.errorText)")
        #expect(try folder.read("s.webarc") == before)
        let given = try WebarcTool.run(
            "pack", "site", "-o", "s.webarc", "--append", "--base-url", "http://a.test/", in: folder.url)
        #expect(given.status == 0, "\(given.errorText)")
        try archive(2048)
        let usual = try WebarcTool.run("pack", "site", "-o", "s.webarc", "--append", in: folder.url)
        #expect(usual.status == 0, "\(usual.errorText)")
    }

    @Test func patternsChooseFiles() throws {
        let folder = try site()
        let packed = try WebarcTool.run(
            "pack", "site", "-o", "s.webarc", "--base-url", "https://example.org/", "--exclude", "*.map", "--exclude",
            "/img",
            in: folder.url)
        #expect(packed.status == 0, "\(packed.errorText)")
        let listed = try WebarcTool.run("ls", "s.webarc", in: folder.url).lines
        #expect(listed.contains("https://example.org/docs/a.html"))
        #expect(!listed.contains { $0.hasSuffix(".map") || $0.contains("img") })
        let prefix = "https://example.org/docs/"
        #expect(try WebarcTool.run("unpack", "s.webarc", "-C", "o", "--url", prefix, in: folder.url).status == 0)
        #expect(FileManager.default.fileExists(atPath: folder.path("o/docs/a.html").string))
        #expect(!FileManager.default.fileExists(atPath: folder.path("o/index.html").string))
    }

    /// A shell that reads the proposed option runs nothing of a name, and the option leaves out that file alone.
    @Test(arguments: [".env.'; echo x >&2; '", ".env.[a]*?\\", ".env.$(echo x >&2)`id`", ".env.''"])
    func aPrivateFileIsLeftOutByTheProposedOption(_ name: String) throws {
        let folder = try TemporaryFolder()
        for name in [name, ".env.a", "index.html"] { try folder.write("site/\(name)", "a".utf8) }
        func pack(_ options: [String]) throws -> [String] {
            let command = "exec \"$0\" pack site -o s.webarc \(options.joined(separator: " "))"
            let packed = try ExternalTool.run(["sh", "-c", command, WebarcTool.path], in: folder.url)
            #expect(packed.status == 0, "\(packed.errorText)")
            return packed.errorText.split(separator: "\n").map(String.init)
        }
        let warnings = try pack([])
        #expect(warnings.count == 2)
        let warning = try #require(warnings.first { !$0.contains("/.env.a:") })
        let option = try #require(warning.split(separator: "; --exclude ", maxSplits: 1).last)
        #expect(option.hasSuffix(" excludes it"))
        let left = try pack(["--exclude", String(option.dropLast(" excludes it".count))])
        #expect(left.count == 1 && left[0].contains("/.env.a:"), "\(left)")
    }

    @Test func jsonForPrograms() throws {
        let folder = try site()
        let packed = try WebarcTool.run("pack", "site", "-o", "s.webarc", "--json", in: folder.url)
        #expect(try packed.objects.first?["files"] as? Int == 4)
        let unpacked = try WebarcTool.run("unpack", "s.webarc", "-C", "out", "--json", in: folder.url)
        #expect(try unpacked.objects.first?["files"] as? Int == 4)
    }

    @Test func sameTimeGivesTheSameBytes() throws {
        let folder = try site()
        func pack(_ name: String, _ arguments: [String], _ environment: [String: String] = [:]) throws -> [UInt8] {
            let result = try WebarcTool.run(
                ["pack", "site", "-o", name] + arguments, in: folder.url, environment: environment)
            #expect(result.status == 0, "\(result.errorText)")
            return try folder.read(name)
        }
        let epoch = try pack("a.webarc", [], ["SOURCE_DATE_EPOCH": "1735689600"])
        #expect(try pack("b.webarc", ["--time", "2025-01-01T00:00:00Z", "--threads", "3"]) == epoch)
        #expect(try pack("c.webarc", ["--time", "@1735689600"], ["SOURCE_DATE_EPOCH": "5"]) == epoch)
        #expect(try pack("d.webarc", ["--time", "2025-01-01T01:00:00.000+01:00", "--threads", "1"]) == epoch)
        #expect(try pack("e.webarc", ["--time", "@0"]) != epoch)
    }

    @Test func appendingKeepsEntries() throws {
        let folder = try site()
        #expect(try WebarcTool.run("pack", "site", "-o", "s.webarc", in: folder.url).status == 0)
        try folder.write("more/new.html", "<p>New".utf8)
        let result = try WebarcTool.run("pack", "more", "-o", "s.webarc", "--append", in: folder.url)
        #expect(result.status == 0, "\(result.errorText)")
        let listed = try WebarcTool.run("ls", "s.webarc", in: folder.url).lines
        #expect(listed.contains("http://localhost/new.html") && listed.contains("http://localhost/docs/a.html"))
        #expect(try WebarcTool.run("compact", "s.webarc", in: folder.url).status == 0)
        #expect(try WebarcTool.run("ls", "s.webarc", in: folder.url).lines == listed)
        #expect(try WebarcTool.run("verify", "s.webarc", in: folder.url).status == 0)
    }

    @Test func moreThanTheLimitGives1() throws {
        let sample = try SampleArchive()
        let result = try WebarcTool.run(
            "unpack", sample.file, "-C", sample.folder.path("out").string, "--max-size", "1K")
        #expect(result.status == 1 && result.errorText.contains("--max-size"), "\(result.errorText)")
        #expect(!FileManager.default.fileExists(atPath: sample.folder.path("out/index.html").string))
    }

    @Test func damagedBodyIsLeftOut() throws {
        let sample = try SampleArchive()
        let file = try sample.damagedInBlock()
        let result = try WebarcTool.run("unpack", file, "-C", sample.folder.path("out").string)
        #expect(result.status == 1)
        #expect(result.errorText.contains("index.html") && result.errorText.contains("(byte 96)"))
        #expect(result.errorLines.allSatisfy { $0.hasPrefix("webarc: ") })
        #expect(try sample.folder.read("out/img/a.png") == SampleArchive.image)
        #expect(!FileManager.default.fileExists(atPath: sample.folder.path("out/index.html").string))
    }

    @Test func missingSourceAndForeignTarget() throws {
        let folder = try site()
        let missing = try WebarcTool.run("pack", "nowhere", "-o", "s.webarc", in: folder.url)
        #expect(missing.status == 74 && missing.errorLines.count == 1, "\(missing.errorText)")
        try folder.write("notes.txt", "mine".utf8)
        let taken = try WebarcTool.run("pack", "site", "-o", "notes.txt", in: folder.url)
        #expect(taken.status == 73 && taken.errorLines.count == 1, "\(taken.errorText)")
        let nowhere = try WebarcTool.run("pack", "site", "-o", "no/where/s.webarc", in: folder.url)
        #expect(nowhere.status == 74 && nowhere.errorLines.count == 1, "\(nowhere.errorText)")
        #expect(nowhere.errorText == "webarc: no: the folder does not exist\n")
        #expect(try ExternalTool.run(["sh", "-c", "ls | grep partial"], in: folder.url).output.isEmpty)
    }
}
