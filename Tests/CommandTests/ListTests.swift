// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("ls")
struct ListTests {
    @Test func oneURLALine() throws {
        let sample = try SampleArchive()
        let result = try WebarcTool.run("ls", sample.file)
        let names = ["", "_headers", "copy.html", "empty/", "form", "img/a.png", "index.html", "loop", "old", "older"]
        #expect(result.lines == names.map { SampleArchive.base + $0 })
    }

    @Test func prefixesStopAnywhere() throws {
        let sample = try SampleArchive()
        for (prefix, count) in [
            ("https://exam", 10), ("HTTPS://EXAMPLE.org", 10), ("https://example.org/old", 2),
            ("https://example.org/img/", 1), ("https://example.org:443/%69mg/", 1), ("https://example.com", 0),
        ] {
            let result = try WebarcTool.run("ls", sample.file, "--url", prefix)
            #expect(result.status == 0 && result.lines.count == count, "\(prefix)")
        }
    }

    @Test func onlyArchiveOfTheFolder() throws {
        let sample = try SampleArchive()
        let listed = try WebarcTool.run("ls", in: sample.folder.url)
        #expect(try listed.text == WebarcTool.run("ls", sample.file).text)
        try sample.folder.write("second.webarc", [])
        #expect(try WebarcTool.run("ls", in: sample.folder.url).status == 64)
        let empty = try TemporaryFolder()
        #expect(try WebarcTool.run("ls", in: empty.url).status == 64)
    }

    @Test func longList() throws {
        let sample = try SampleArchive()
        let lines = try WebarcTool.run("ls", sample.file, "--long").lines
        func fields(_ end: String) -> [String] {
            lines.first { $0.hasSuffix(end) }?.split(separator: " ").map(String.init) ?? []
        }
        let url = SampleArchive.base
        #expect(
            fields("/img/a.png")
                == ["-", "2025-01-01T00:00:00Z", "200", "GET", "5000", "image/png", "\(url)img/a.png"])
        #expect(fields("-> \(url)older") == ["-", "-", "301", "GET", "-", "-", "\(url)old", "->", "\(url)older"])
        #expect(fields("/form").prefix(4) == ["-", "-", "404", "POST"])
        #expect(fields("/_headers").first == "u")
        #expect(fields("org/").first == "a")
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
    }

    @Test func jsonIsThatOfTheReferenceReader() throws {
        let sample = try SampleArchive(commits: 3)
        let result = try WebarcTool.run("ls", sample.file, "--json")
        let reader = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Spec/reference/webarc_reader.py").standardized.path
        let reference = try ExternalTool.run(["python3", reader, "list", "--json", sample.file])
        #expect(reference.status == 0, "\(reference.errorText)")
        let script = """
            import json, sys
            def lines(path):
                all = [json.loads(line) for line in open(path)]
                for one in all: one.pop("commit", None)
                return sorted(json.dumps(one) for one in all)
            ours, theirs = lines(sys.argv[1]), lines(sys.argv[2])
            for a, b in zip(ours, theirs):
                if a != b: print(a, b, sep="\\n")
            sys.exit(ours != theirs)
            """
        let ours = try sample.folder.write("ours.json", result.output).string
        let theirs = try sample.folder.write("theirs.json", reference.output).string
        let comparison = try ExternalTool.run(["python3", "-c", script, ours, theirs])
        #expect(comparison.status == 0, "\(comparison.text)\(comparison.errorText)")
    }

    @Test func unfinishedCommitIsToldAbout() throws {
        let sample = try SampleArchive(commits: 2)
        let whole = try WebarcTool.run("ls", sample.file)
        let file = try sample.damaged { $0.removeLast(40) }
        let result = try WebarcTool.run("ls", file)
        // Only a slot leads to a whole commit, and it is that of the commit before the last.
        #expect(result.status == 0 && result.lines.count < whole.lines.count)
        #expect(result.errorLines.count == 1 && result.errorText.contains("warning"))
    }
}
