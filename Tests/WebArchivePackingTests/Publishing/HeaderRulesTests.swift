// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchivePacking

/// Examples are from Cloudflare Pages, "Headers", and Netlify, "Custom headers".
@Suite struct HeaderRulesTests {
    private func lines(_ text: String, _ path: String, host: String? = nil) throws -> [String] {
        try HeaderRules(parsing: text).fields(forPath: path, host: host).map {
            "\($0.name): \($0.value)"
        }
    }

    /// The first line that is skipped, as a warning.
    private func skipped(_ text: String) throws -> PackingWarning? {
        try HeaderRules(parsing: text).warnings.first
    }

    private func skipping(_ line: Int, _ problem: RuleFileError.Problem) -> PackingWarning {
        PackingWarning(RuleFileWarning(skipping: RuleFileError(line: line, problem: problem)), path: "_headers")
    }

    private let example = """
        # This is a comment
        /secure/page
          X-Frame-Options: DENY
          X-Content-Type-Options: nosniff
          Referrer-Policy: no-referrer

        /static/*
          Access-Control-Allow-Origin: *
          X-Robots-Tag: nosnippet

        https://myproject.pages.dev/*
          X-Robots-Tag: noindex
        """

    @Test func theTableOfCloudflaresDocumentationComesOut() throws {
        let secure = ["X-Frame-Options: DENY", "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer"]
        #expect(try lines(example, "/secure/page", host: "custom.domain") == secure)
        #expect(
            try lines(example, "/static/image.jpg", host: "custom.domain")
                == ["Access-Control-Allow-Origin: *", "X-Robots-Tag: nosnippet"])
        #expect(try lines(example, "/home", host: "myproject.pages.dev") == ["X-Robots-Tag: noindex"])
        #expect(
            try lines(example, "/secure/page", host: "MyProject.pages.dev:8443") == secure + ["X-Robots-Tag: noindex"])
        #expect(
            try lines(example, "/static/styles.css", host: "myproject.pages.dev")
                == ["Access-Control-Allow-Origin: *", "X-Robots-Tag: nosnippet, noindex"])
        #expect(try lines(example, "/home").isEmpty)
    }

    @Test func fieldsBeyondTheLimitOfAResponseAreLeftOutAndCounted() throws {
        let path = "/" + String(repeating: "p", count: 3000)
        let text = "/*\n" + String(repeating: "  Set-Cookie: a=:splat:splat:splat:splat\n", count: 300)
        let rules = try HeaderRules(parsing: text)
        var fields: [(name: String, value: String)] = []
        let outcome = rules.apply(to: &fields, path: path, host: nil)
        #expect(fields.count > 10 && fields.count + outcome.leftOutCount == 300)
        #expect(outcome.filledLength <= HeaderRules.responseLimit)
        #expect(outcome.filledLength == fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count })
        fields = []
        #expect(rules.apply(to: &fields, path: "/p", host: nil).leftOutCount == 0)
        let plain = try HeaderRules(parsing: "/*\n  X-A: b\n")
        #expect(plain.apply(to: &fields, path: path, host: nil).filledLength == 0)
    }

    @Test(arguments: ["  X-%: b\n", "  ! X-%\n"]) func fieldsUseTheEffortUp(line: String) throws {
        let lines = (0..<4_000).map { line.replacing("%", with: String($0)) }
        let rules = try HeaderRules(parsing: "/*\n" + lines.joined())
        let effort = RuleEffort(steps: 1_000_000)
        var rounds = 0
        while !effort.isExceeded, rounds < 100 {
            var fields: [(name: String, value: String)] = []
            rules.apply(to: &fields, path: "/", effort: effort)
            rounds += 1
        }
        #expect(rounds < 10)
    }

    @Test func aRemovalTakesAwayWhatAWiderRuleSet() throws {
        let text = "/*\n  Content-Security-Policy: default-src 'self';\n\n/*.jpg\n  ! Content-Security-Policy\n"
        #expect(try lines(text, "/a/b.jpg").isEmpty)
        #expect(try lines(text, "/a/b.png") == ["Content-Security-Policy: default-src 'self';"])
    }

    @Test func rulesOverrideJoinAndRemoveOnAResponsesList() throws {
        let rules = try HeaderRules(
            parsing: """
                /*
                  cache-control: max-age=0
                  ! ETag
                /*
                  Cache-Control: no-cache
                  Set-Cookie: a=1
                  Set-Cookie: b=2
                """)
        var fields: [(name: String, value: String)] = [
            ("Cache-Control", "public"), ("Content-Type", "text/html"), ("etag", "x"), ("CACHE-CONTROL", "old"),
        ]
        rules.apply(to: &fields, path: "/")
        #expect(
            fields.map { "\($0.name)=\($0.value)" } == [
                "cache-control=max-age=0, no-cache", "Content-Type=text/html", "Set-Cookie=a=1", "Set-Cookie=b=2",
            ])
    }

    @Test func aHeaderOfSeveralLinesIsJoinedAsOnNetlify() throws {
        let text = """
            /*
              cache-control: max-age=0
              cache-control: no-cache
              cache-control: no-store
              cache-control: must-revalidate
            """
        #expect(try lines(text, "/x") == ["cache-control: max-age=0, no-cache, no-store, must-revalidate"])
    }

    @Test func placeholdersAreFilledInAndCannotEndALine() throws {
        #expect(
            try lines("/movies/:title\n x-movie-name: You are watching \":title\"", "/movies/alien")
                == ["x-movie-name: You are watching \"alien\""])
        let cors = "https://:project.pages.dev/*\n  Access-Control-Allow-Origin: https://staging.:project.pages.dev/"
        #expect(
            try lines(cors, "/x", host: "mine.pages.dev")
                == ["Access-Control-Allow-Origin: https://staging.mine.pages.dev/"])
        #expect(try lines("https://:Sub.Example.com/*\n X: :Sub", "/", host: "a.example.COM") == ["X: a"])
        #expect(try lines(cors, "/x", host: "a.mine.pages.dev").isEmpty)
        #expect(try lines("/*\n X: :splat :other", "/a\r\nSet-Cookie: x") == ["X: a%0D%0ASet-Cookie:%20x :other"])
        #expect(try lines("/:a/*\n X: :ab-:splat", "/:splat/q") == ["X: :splatb-q"])
    }

    @Test func trailingSlashesAndSeveralSplatsMatchAsOnNetlify() throws {
        #expect(try lines("/foo/*\n X: y", "/foo") == ["X: y"])
        #expect(try lines("/foo\n X: y", "/foo/") == ["X: y"])
        #expect(try lines("/t/*/t/*\n X: :splat", "/t/1/t/2") == ["X: 1"])
    }

    @Test func lineEndsMarksAndBlanksDoNotMatter() throws {
        #expect(try lines("\u{FEFF}/a\r\n\t X-A :  1  \r\n\r\nX-B: 2\r", "/a") == ["X-A: 1", "X-B: 2"])
        #expect(try lines("/caf\u{E9}\n X: y", "/caf%c3%a9") == ["X: y"])
    }

    @Test func transferHeadersAndPasswordsAreLeftOutWithAWarning() throws {
        let rules = try HeaderRules(parsing: "/*\n  Basic-Auth: me:secret\n  Content-Length: 3\n  X: y")
        #expect(rules.fields(forPath: "/") == [HeaderRuleField(name: "X", value: "y")])
        #expect(rules.warnings.map(\.line) == [2, 3])
        #expect(!rules.warnings.contains { $0.message.contains("secret") })
    }

    @Test(arguments: [
        ("/a\n X\n", 2, RuleFileError.Problem.notAHeader),
        (" X: y", 1, .headerWithoutPattern),
        ("/a\n : y", 2, .headerName),
        ("/a\n\n X Y: y", 3, .headerName),
        ("/a\n !: y", 2, .notAHeader),
        ("/a\n ! X: y", 2, .notAHeader),
        ("/a\n X:", 2, .headerValue),
        ("/a\n X: a\u{0}b", 2, .controlCharacter),
        ("/a\n X: a\rb", 2, .controlCharacter),
        ("http://a/\n X: y", 1, .patternStart),
        ("https:///x\n X: y", 1, .patternStart),
        ("https://a:80/\n X: y", 1, .port),
        ("/a?b\n X: y", 1, .queryInPattern),
        ("/:a/:a\n X: y", 1, .repeatedPlaceholder),
    ])
    func aMalformedLineIsSkipped(text: String, line: Int, problem: RuleFileError.Problem) throws {
        #expect(try skipped(text) == skipping(line, problem))
        #expect(try HeaderRules(parsing: text).fields(forPath: "/a").isEmpty)
    }

    /// The hosts skip what they do not understand; below a pattern that they do not understand, all fields.
    @Test func linesAroundOneThatIsSkippedCount() throws {
        let rules = try HeaderRules(parsing: "/a\n A: 1\nnothing\n B: 2\n/a?b\n C: 3\n/a\n D: 4\n")
        #expect(rules.warnings == [skipping(3, .notAHeader), skipping(5, .queryInPattern)])
        #expect(rules.fields(forPath: "/a").map(\.name) == ["A", "B", "D"])
    }

    @Test func inputOverALimitIsLeftOut() throws {
        #expect(try skipped("/" + String(repeating: "a", count: 2048)) == skipping(1, .patternTooComplex))
        #expect(try skipped("/" + String(repeating: "*", count: 65)) == skipping(1, .patternTooComplex))
        let long = try skipped("/a\n X: " + String(repeating: "a", count: 16384))
        #expect(long == skipping(2, .lineTooLong(limit: 16384)))
        let many = try skipped(String(repeating: "/a\n", count: 10_001))
        #expect(many == skipping(10_001, .tooManyRules(limit: 10_000)))
        #expect(throws: RuleFileError(line: 0, problem: .fileTooLarge(limit: 4 << 20))) {
            try HeaderRules(parsing: String(repeating: "#", count: (4 << 20) + 1))
        }
    }

    @Test(.timeLimit(.minutes(5))) func hostilePatternsTakeLinearTime() throws {
        let pattern = "/" + String(repeating: "*a", count: 60) + "b"
        let path = "/" + String(repeating: "a", count: 3_000)
        let parts = "/" + (0..<30).map { ":p\($0)-" }.joined() + "*/" + (30..<60).map { ":p\($0)-" }.joined() + "z"
        let dashes = "/" + String(repeating: "-", count: 1_500)
        let rules = try HeaderRules(parsing: "\(pattern)\n X: y\n\(parts)\n X: z")
        #expect(rules.fields(forPath: path).isEmpty)
        #expect(rules.fields(forPath: dashes + dashes).isEmpty)
        #expect(rules.fields(forPath: path + path).isEmpty)
    }

    @Test func aValueDoesNotGrowWithoutBound() throws {
        let rules = try HeaderRules(parsing: "/*\n X: " + String(repeating: ":splat", count: 1000))
        #expect(rules.fields(forPath: "/" + String(repeating: "a", count: 10_000)).isEmpty)
        #expect(rules.fields(forPath: "/ab").first?.value.utf8.count == 2000)
        // Joined ones neither: four values and what stands between them, but not the fifth.
        let long = "X: " + String(repeating: "a", count: 16_000) + "\n"
        let joined = try HeaderRules(parsing: "/a\n" + String(repeating: long, count: 5))
        #expect(joined.fields(forPath: "/a").first?.value.utf8.count == 4 * 16_000 + 3 * 2)
    }

    @Test func randomTextNeverTraps() {
        var generator = SeededGenerator.printed()
        let pieces = [
            "/", "*", ":a", ":", "!", "=", "#", " ", "\n", "http://", "200", "301!", "a", "?", "\u{0}", "é", "%",
        ]
        for _ in 0..<3000 {
            let text = (0..<12).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            _ = try? HeaderRules(parsing: "/" + text + "\nX: " + text).fields(forPath: "/" + text, host: text)
            _ = try? ContentTypeValue(parsing: "a/b;" + text).description
            if let glob = try? GlobPattern(text) { _ = glob.covers(Array(text.utf8), isDirectory: true) }
            _ = CharsetDetection.charset(of: Array(text.utf8).span.bytes, mediaType: "text/html", isComplete: true)
        }
    }
}
