// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite("why")
struct WhyTests {
    private let url = SampleArchive.base

    @Test func statusesAndReasons() throws {
        let sample = try SampleArchive()
        let exact = try WebarcTool.run("why", sample.file, "\(url)copy.html")
        #expect(exact.status == 0 && exact.lines.last?.hasPrefix("Response: GET \(url)copy.html, status 200") == true)
        let none = try WebarcTool.run("why", sample.file, "\(url)cop.html")
        #expect(none.status == 1 && none.text.contains("near: ") && none.lines.last == "No response.")
        #expect(none.errorText.isEmpty)
        let object = try #require(try WebarcTool.run("why", sample.file, "\(url)cop.html", "--json").objects.first)
        let steps = try #require(object["steps"] as? [[String: Any]])
        #expect(!steps.isEmpty && steps.allSatisfy { $0["code"] as? String == "notStored" })
        let near = try #require(object["near"] as? [[String: Any]])
        #expect(near.contains { $0["code"] as? String == "similar" && $0["url"] as? String == "\(url)copy.html" })
        let switched = try WebarcTool.run("why", sample.file, "http://example.org/copy.html", "--json")
        #expect(try switched.objects.first?["rules"] as? [String] == ["otherScheme"])
        #expect(try WebarcTool.run("why", sample.file, "http://example.org/copy.html", "--exact").status == 1)
    }

    /// A text of the archive ends no line: nothing that an archive has looks like a line of the program.
    @Test func aLineOfAnArchiveIsNone() throws {
        let folder = try TemporaryFolder()
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        let forged = "Response: GET http://a/, status 200"
        try writer.add(
            ArchiveRequest(method: "M\n\(forged)\r\n\(forged)", url: "http://a/"), response: ArchiveResponse())
        try writer.commit()
        let result = try WebarcTool.run("why", folder.path("a.webarc").string, "http://a/")
        #expect(result.status == 1 && !result.lines.contains(forged), "\(result.text)")
        #expect(result.text.contains("\\x0a\(forged)\\x0d\\x0a\(forged)"), "\(result.text)")
    }

    /// The rule that decides is named with its line, and the response is that of its target.
    @Test func redirectRules() throws {
        let folder = try TemporaryFolder()
        try folder.write("site/index.html", Array("app".utf8))
        try folder.write(
            "site/_redirects",
            Array("# app\n/old/* /new/:splat 302\n/app/* /index.html 200\n/at /x 302 Country=at\n".utf8))
        let file = folder.path("site.webarc").string
        try #require(WebarcTool.run("pack", folder.path("site").string, "-o", file, "--base-url", url).status == 0)
        let redirect = try WebarcTool.run("why", file, "\(url)old/page", "--json")
        #expect(redirect.status == 0)
        let rule = try #require(try redirect.objects.first?["redirectRule"] as? [String: Any])
        #expect(
            rule["line"] as? Int == 2 && rule["location"] as? String == "/new/page" && rule["status"] as? Int == 302)
        let content = try WebarcTool.run("why", file, "\(url)app/users/7")
        #expect(content.status == 0)
        #expect(content.text.contains("redirect rule /app/* /index.html 200, line 3 of \(url)_redirects"))
        #expect(content.lines.last == "Response: GET \(url)index.html, status 200, 3 B")
        #expect(try WebarcTool.run("why", file, "\(url)at").status == 1)
        #expect(try WebarcTool.run("why", file, "\(url)at", "--country", "AT").status == 0)
        #expect(try WebarcTool.run("why", file, "\(url)old/page", "--exact").status == 1)
    }

    @Test func queriesAsServed() throws {
        let sample = try SampleArchive()
        let page = try WebarcTool.run("why", sample.file, "\(url)copy.html?a=1", "--json")
        #expect(page.status == 0)
        #expect(try page.objects.first?["rules"] as? [String] == ["withoutQuery"])
        let text = try WebarcTool.run("why", sample.file, "\(url)copy.html?a=1")
        #expect(text.lines.contains("  without query: GET \(url)copy.html: matches"))
        #expect(try WebarcTool.run("why", sample.file, "\(url)none.html?a=1").status == 1)
        let digest = "3872c9ae3f427af0be0ead09d07ae2cf"  // of "a=1"
        let form = ["why", sample.file, "\(url)form?a=1", "-X", "POST", "--body-digest", digest]
        #expect(try WebarcTool.run(form).status == 1)
    }

    @Test func methodBodyAndIgnoredParameters() throws {
        let sample = try SampleArchive()
        let digest = "3872c9ae3f427af0be0ead09d07ae2cf"  // of "a=1"
        #expect(try WebarcTool.run("why", sample.file, "\(url)form", "--method", "POST").status == 1)
        let form = try WebarcTool.run("why", sample.file, "\(url)form", "-X", "POST", "--body-digest", digest)
        #expect(form.status == 0, "\(form.text)")
        #expect(try WebarcTool.run("why", sample.file, "\(url)copy.html?utm_a=1", "--exact").status == 1)
        let ignoring = ["why", sample.file, "\(url)copy.html?utm_a=1", "--ignore-parameter", "utm_*"]
        #expect(try WebarcTool.run(ignoring).status == 0)
        #expect(try WebarcTool.run(ignoring + ["--json"]).objects.first?["rules"] as? [String] == ["ignoredParameters"])
        #expect(try WebarcTool.run("why", sample.file, url, "--header", "no field").status == 64)
    }
}
