// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// Tests of section 8.7 with both readers: random rule files and requests.
@Suite struct RedirectRuleConformanceTests {
    private static let pages = ["/", "/index.html", "/a", "/b/c.html", "/d/index.html", "/é", "/a=b", "/nl/"]
    private static let sources = [
        "/", "/a", "/a/", "/*", "/b/*", "/:x", "/:x/:y", "/:x/*", "/d", "/*/c", "/é", "/%c3%a9",
        "http://site.example/*",
        "https://:any.example/q", "/x?y", "nothing", "/:a/:a", "/a*c*", "/-:one-:two", "/A", "/z#part",
    ]
    private static let targets = [
        "/", "/index.html", "/b/:splat", "/:x", "/:x/:y.html", "https://other.example/:splat", "/d", "/none", "//x",
        "/é", "/b/c.html?own=1#end", ":x", "/:q-:any", "/\\evil", "", "/:splat", "/:x/", "/a",
    ]
    private static let endings = [
        "", "200", "301", "302!", "200!", "404", "404!", "410", "999", "3xx", "302 Language=de", "302! Country=at,DE",
        "200 Cookie=seen", "302 Role=admin", "302! Language=en,de Country=at", "# comment",
    ]
    private static let parameters = ["", "", "", "q=:q", "q=1", "q=:q r=2", "=x"]
    private static let paths = [
        "/", "/a", "/a/", "/b/c.html", "/b/x", "/d", "/d/", "/x/y", "/x/c", "/%C3%A9", "/%c3%a9/", "/abcc", "/-1-2",
        "/A", "//a",
        "/z", "/nl", "/a%3Db", "/none.html", "/x/../a", "/q", "/a=b",
    ]

    private struct Question: Encodable {
        let url: String
        let method: String
        let headers: [String: String]
        let country: String?
    }

    private struct Answer: Codable, Equatable {
        var status: Int
        var location: String?
        var line: Int?
        var body: String?
    }

    @Test(arguments: 0..<12) func bothReadersAgree(_ round: Int) throws {
        var random = SeededGenerator()
        let note: Comment = "seed \(random.seed)"
        let rules = (0..<Int.random(in: 1...14, using: &random)).map { _ in
            [Self.sources, Self.parameters, Self.targets, Self.endings].map { $0.randomElement(using: &random) ?? "" }
                .joined(separator: Bool.random(using: &random) ? " " : "\t")
        }
        let folder = try TemporaryFolder()
        let path = folder.path("a.webarc")
        try write(rules.joined(separator: Bool.random(using: &random) ? "\n" : "\r\n"), to: path)
        let questions = (0..<120).map { _ in
            let query = ["", "", "?q=1", "?q=a+b&r=2", "?", "?x"].randomElement(using: &random) ?? ""
            let scheme = ["https", "http"].randomElement(using: &random) ?? ""
            return Question(
                url: "\(scheme)://site.example\(Self.paths.randomElement(using: &random) ?? "/")\(query)",
                method: ["GET", "HEAD", "GET", "POST"].randomElement(using: &random) ?? "GET",
                headers: [
                    ["Accept-Language": "de-AT,en;q=0.5"], ["Accept-Language": "en"], [:],
                    ["Cookie": "seen=1; nf_lang=de"],
                    ["Cookie": "nf_country=AT"],
                ].randomElement(using: &random) ?? [:],
                country: ["AT", "us", nil].randomElement(using: &random) ?? nil)
        }
        let others = try second(questions, file: folder.url.appendingPathComponent("a.webarc").path)
        try #require(others.count == questions.count, note)
        var found = 0
        for (question, other) in zip(questions, others) {
            let own = try first(question, archive: ArchiveReader(path: path))
            if own?.line != nil { found += 1 }
            #expect(own == other, "\(question) \(rules) seed \(random.seed)")
        }
        // Nearly every file has a rule that some of the requests match.
        if rules.contains(where: { $0.hasPrefix("/* / ") }) { #expect(found > 0, note) }
    }

    @Test func aRuleFileWithoutAnAuthorityHasNoRulesAndABodyMayBeAnyBytes() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.webarc")
        let writer = try ArchiveWriter(creating: path)
        try writer.add(
            ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse(),
            body: writer.addBody([0xFF, 0xFE]))
        try writer.setMetadata("redirectRules", to: "mailto:x")
        try writer.commit()
        let question = Question(url: "https://site.example/", method: "GET", headers: [:], country: nil)
        let others = try second([question], file: path.string)
        #expect(others == [Answer(status: 200, location: nil, line: nil, body: "\u{FFFD}\u{FFFD}")])
        #expect(try first(question, archive: ArchiveReader(path: path)) == others.first)
    }

    private func write(_ rules: String, to path: FilePath) throws {
        let writer = try ArchiveWriter(creating: path)
        for page in Self.pages {
            try writer.add(
                ArchiveRequest(url: "https://site.example\(page)"), response: ArchiveResponse(),
                body: writer.addBody(Array(page.utf8)))
        }
        try writer.add(
            ArchiveRequest(url: "https://site.example/_redirects"), response: ArchiveResponse(),
            body: writer.addBody(Array(rules.utf8)), role: .unpackOnly)
        try writer.setMetadata("redirectRules", to: "https://site.example/_redirects")
        try writer.commit()
    }

    private func first(_ question: Question, archive: ArchiveReader) throws -> Answer? {
        var options = ArchiveMatcher.Options.serving
        options.country = question.country
        let headers = HeaderFields(question.headers.map { HeaderField(name: $0.key, value: $0.value) })
        let request = MatchRequest(url: try CanonicalURL(question.url), method: question.method, headers: headers)
        let result = try SiteMatcher([ArchiveMatcher(archive, options: options)]).match(request, within: .forRequest())
        switch result.response {
        case .redirect(let status, let location):
            return Answer(status: status, location: location, line: result.rule?.line, body: nil)
        case .entry(let match, let status):
            let body = try match.entry.body.map { String(decoding: try $0.bytes(), as: UTF8.self) }
            return Answer(status: status ?? 200, location: nil, line: result.rule?.line, body: body)
        case nil: return nil
        }
    }

    private func second(_ questions: [Question], file: String) throws -> [Answer?] {
        let script = Vectors.root.appendingPathComponent("Spec/reference/webarc_reader.py").path
        let lines = try questions.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        let result = try Python.run([script, "answer", file], input: Data(lines.joined(separator: "\n").utf8))
        try #require(result.status == 0, "\(result.errorText)")
        return try result.text.split(separator: "\n").map { line in
            try JSONDecoder().decode(Answer?.self, from: Data(line.utf8))
        }
    }
}
