// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("verify")
struct VerifyTests {
    @Test func wholeArchive() throws {
        let sample = try SampleArchive(commits: 2)
        let result = try WebarcTool.run("verify", sample.file)
        // A redirect to itself is worth a warning, and no damage.
        #expect(result.status == 0 && result.lines.count == 2, "\(result.text)")
        #expect(
            result.text.contains("warning: ") && result.text.contains("/loop")
                && result.text.contains(": intact, 1 warning"))
        #expect(try WebarcTool.run("verify", sample.file, "--quiet").lines == [result.lines[0]])
        let object = try #require(try WebarcTool.run("verify", sample.file, "--json").objects.first)
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(object["intact"] as? Bool == true && findings.map { $0["severity"] as? String } == ["warning"])
        #expect(findings.map { $0["code"] as? String } == ["redirectLoop"])
    }

    @Test func damagedBlockIsFoundWithItsURLs() throws {
        let sample = try SampleArchive()
        let file = try sample.damagedInBlock()
        let result = try WebarcTool.run("verify", file)
        #expect(
            result.status == 1 && result.text.contains("(byte 96)") && result.text.contains(": \(SampleArchive.base)"))
        #expect(result.errorText.isEmpty)
        let object = try #require(try WebarcTool.run("verify", file, "--json").objects.first)
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(object["intact"] as? Bool == false)
        let finding = try #require(findings.first { $0["severity"] as? String == "error" })
        #expect(finding["code"] as? String == "damaged" && finding["offset"] as? Int == 96)
        let urls = try #require(finding["affectedURLs"] as? [String])
        #expect(urls.contains(SampleArchive.base) && urls.count == finding["affectedURLCount"] as? Int)
        #expect(try WebarcTool.run("verify", file, "--quick").status == 0)
    }

    /// One changed byte: verify lists what unpack cannot write.
    @Test func everyURLThatDamageAffectsIsListed() throws {
        let folder = try TemporaryFolder()
        for number in 0..<60 {
            let text = String(repeating: "<p>Paragraph \(number) of a page.\n", count: 40 + number)
            try folder.write("site/page\(number).html", text.utf8)
        }
        try folder.write("site/index.html", "<p>".utf8)
        let file = folder.path("s.webarc").string
        try #require(try WebarcTool.run("pack", "site", "-o", file, in: folder.url).status == 0)
        var bytes = try folder.read("s.webarc")
        bytes[120] ^= 0x10
        try folder.write("s.webarc", bytes)
        let failures = try WebarcTool.run("unpack", file, "-C", folder.path("out").string, "--json").objects.first?[
            "failures"]
        let lost = Set(try #require(failures as? [[String: Any]]).compactMap { $0["url"] as? String })
        try #require(lost.count > 25)
        let lines = try WebarcTool.run("verify", file).lines
        #expect(lost.isSubset(of: lines.map { $0.drop { $0 == " " } }.map(String.init)))
        #expect(lines.last?.contains("URLs affected") == true)
        let findings = try WebarcTool.run("verify", file, "--json").objects.first?["findings"] as? [[String: Any]] ?? []
        #expect(lost.isSubset(of: findings.flatMap { $0["affectedURLs"] as? [String] ?? [] }))
    }

    @Test func aTerminalSeesTheFirstURLsAndTheirNumber() throws {
        let folder = try TemporaryFolder()
        for number in 0..<60 { try folder.write("site/page\(number).html", "<p>Page \(number)".utf8) }
        try folder.write("site/index.html", "<p>".utf8)
        try #require(try WebarcTool.run("pack", "site", "-o", "s.webarc", in: folder.url).status == 0)
        var bytes = try folder.read("s.webarc")
        bytes[120] ^= 0x10
        try folder.write("s.webarc", bytes)
        let onTerminal = ["python3", "-c", "import pty, sys; pty.spawn(sys.argv[1:])", WebarcTool.path]
        let shown = try ExternalTool.run(onTerminal + ["verify", "s.webarc"], in: folder.url).text
        #expect(shown.components(separatedBy: "  http://localhost/").count - 1 == 20, "\(shown)")
        #expect(shown.contains(" more; a pipe or --json gets them"))
    }

    @Test func withoutTheBodies() throws {
        let sample = try SampleArchive()
        let file = try sample.damagedInBlock()
        let quick = try WebarcTool.run("verify", file, "--quick")
        let verdict = try #require(quick.lines.last)
        #expect(verdict.hasPrefix("\(file): index intact, 1 warning") && verdict.hasSuffix("; bodies not checked"))
        #expect(try WebarcTool.run("verify", sample.file).lines.last?.contains("not checked") == false)
        let object = try #require(try WebarcTool.run("verify", file, "--quick", "--json").objects.first)
        #expect(object["intact"] as? Bool == true)
    }

    @Test func highestStatusOfSeveralArchivesCounts() throws {
        let sample = try SampleArchive()
        let damaged = try sample.damagedInBlock()
        let foreign = try sample.folder.write("foreign", Array("text".utf8)).string
        let result = try WebarcTool.run("verify", damaged, sample.file, foreign)
        #expect(result.status == 2)
        #expect(result.text.contains("sample.webarc: intact") && result.text.contains("damaged.webarc: damaged"))
        #expect(result.errorLines.count == 1 && result.errorText.contains("foreign"))
        let objects = try WebarcTool.run("verify", damaged, sample.file, foreign, "--json").objects
        #expect(objects.map { $0["intact"] as? Bool } == [false, true, false])
        #expect(objects.last?["code"] as? String == "notAnArchive")
    }

    @Test func tornTailIsAWarning() throws {
        let sample = try SampleArchive(commits: 2)
        let file = try sample.damaged { $0 += [1, 2, 3] }
        let result = try WebarcTool.run("verify", file)
        #expect(result.status == 0 && result.text.contains("warning"), "\(result.text)")
        let object = try #require(try WebarcTool.run("verify", file, "--json").objects.first)
        let findings = try #require(object["findings"] as? [[String: Any]])
        #expect(findings.map { $0["code"] as? String } == ["tornTail", "redirectLoop"])
    }

    /// A commit that was whole once is no unfinished one, though the commits before it can be read.
    @Test(arguments: [-64, -30, -1]) func damageInTheLastCommitIsAnError(place: Int) throws {
        let sample = try SampleArchive(commits: 2)
        let file = try sample.damaged { $0[$0.count + place] ^= 1 }
        let result = try WebarcTool.run("verify", file)
        #expect(result.status == 1, "\(result.text)")
        #expect(result.text.contains("the last commit is damaged or truncated"), "\(result.text)")
        let list = try WebarcTool.run("ls", file)
        #expect(list.status == 0 && list.errorText.contains("is damaged or truncated"), "\(list.errorText)")
    }
}
