// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Examples are from Cloudflare Pages, "Redirects", and Netlify, "Redirect options".
@Suite struct RedirectRulesTests {
    private func one(_ line: String) throws -> RedirectRule {
        try #require(RedirectRules(parsing: line).rules.first)
    }

    /// The first line that is skipped, and its fault.
    private func failure(_ text: String) throws -> RuleFileError? {
        let rules = try RedirectRules(parsing: text)
        return rules.warnings.first.flatMap { warning in
            warning.fault.map { RuleFileError(line: warning.line, problem: $0) }
        }
    }

    @Test func theExampleOfCloudflaresDocumentationComesOut() throws {
        let rules = try RedirectRules(
            parsing: """
                /home301 / 301
                /home302 / 302
                /querystrings /?query=string 301
                /twitch https://twitch.tv
                /trailing /trailing/ 301
                /notrailing/ /nottrailing 301
                /page/ /page2/#fragment 301
                /blog/* https://blog.my.domain/:splat
                /products/:code/:name /products?code=:code&name=:name
                """)
        #expect(rules.rules.map(\.status) == [301, 302, 301, 301, 301, 301, 301, 301, 301])
        #expect(rules.rules.map(\.isStatic) == [true, true, true, true, true, true, true, false, false])
        #expect(rules.rules.map(\.line) == Array(1...9))
        #expect(rules.match(path: "/querystrings", query: "a=b")?.target == "/?query=string")
        #expect(rules.match(path: "/page/", query: "a=b")?.target == "/page2/?a=b#fragment")
        #expect(rules.match(path: "/pages") == nil)
        #expect(rules.match(path: "/blog/2020/x")?.target == "https://blog.my.domain/2020/x")
        #expect(rules.match(path: "/products/1/shoe")?.target == "/products?code=1&name=shoe")
        #expect(rules.match(path: "/twitch")?.target == "https://twitch.tv")
    }

    @Test func netlifysExamplesOfSplatsAndPlaceholdersComeOut() throws {
        #expect(
            try one("/news/*  /blog/:splat").target(forPath: "/news/2004/01/10/my-story") == "/blog/2004/01/10/my-story"
        )
        let dates = try one("/news/:month/:date/:year/:slug  /blog/:year/:month/:date/:slug")
        #expect(dates.target(forPath: "/news/02/12/2004/my-story") == "/blog/2004/02/12/my-story")
        #expect(dates.target(forPath: "/news/02/12/2004") == nil)
        #expect(
            try one("/news/:year/:month /blog-:year-:month.html").target(forPath: "/news/04/01") == "/blog-04-01.html")
        #expect(try one("/news/*  /blog/:splat").target(forPath: "/news") == "/blog/")
        #expect(try one("/a-:x.:y /:y/:x").target(forPath: "/a-b.c.d") == "/d/b.c")
    }

    /// Rules are looked up by their paths; the first that matches is the one that a walk from rule to rule finds.
    @Test func theFirstMatchingRuleCounts() throws {
        var random = SeededGenerator.printed()
        let names = ["a", "b", "a/", "b/", ":x", ":x/", "*", "a/*", ":x/b", "a/b"]
        for _ in 0..<100 {
            let lines = (0..<Int.random(in: 1...30, using: &random)).map { number in
                let name = names.randomElement(using: &random) ?? ""
                let mark = Bool.random(using: &random) ? "!" : ""
                return "/\(name) /to\(number)-:x 301\(mark)"
            }
            let rules = try RedirectRules(parsing: lines.joined(separator: "\n"))
            for path in ["/", "/a", "/a/", "/b", "/b/", "/a/b", "/a/b/", "/c", "/c/d"] {
                for isForced in [false, true] {
                    let expected = rules.rules.first { rule in
                        (rule.isForced || !isForced) && rule.target(forPath: path) != nil
                    }
                    #expect(rules.match(path: path, isForced: isForced)?.rule == expected, "\(path) of \(lines)")
                }
            }
        }
    }

    @Test func queryParametersMustMatchExactly() throws {
        let rule = try one("/store id=:id  /blog/:id  301")
        #expect(rule.queryParameters == [.init(name: "id", value: .placeholder("id"))])
        #expect(!rule.isStatic && rule.staticPath == nil)
        #expect(rule.target(forPath: "/store", query: "id=my-blog-post") == "/blog/my-blog-post?id=my-blog-post")
        #expect(rule.target(forPath: "/store", query: "id=a+b?c") == "/blog/a%20b%3Fc?id=a+b?c")
        #expect(rule.target(forPath: "/store", query: "id=1&x=2") == nil)
        #expect(rule.target(forPath: "/store", query: "x=2") == nil)
        #expect(rule.target(forPath: "/store") == nil)
        let two = try one("/articles id=:id tag=:tag /posts/:tag/:id?x 301")
        #expect(two.target(forPath: "/articles", query: "tag=t&id=i") == "/posts/t/i?x")
        #expect(try one("/a page=1 /b").target(forPath: "/a", query: "page=2") == nil)
        #expect(try one("/a page=1 /b 200").target(forPath: "/a", query: "page=1") == "/b")
    }

    @Test func statusesForceAndDefaults() throws {
        #expect(try one("/a /b").status == 301)
        let app = try one("/app/* /app/index.html 200!")
        #expect(app.isForced && app.effect == .rewrite && app.status == 200)
        #expect(app.target(forPath: "/app/x", query: "q=1") == "/app/index.html")
        let missing = try one("/ecommerce    /store-closed  404")
        #expect(missing.effect == .error && !missing.isForced && missing.isStatic)
        let alone = try one("/private/* 404")
        #expect(alone.status == 404 && alone.target(forPath: "/private/x") == "/private/x")
    }

    @Test func rulesThatNeedAServerAreSkippedWithAWarning() throws {
        let rules = try RedirectRules(
            parsing: """
                /  /anz     302  Country=au,nz
                /  /china   302  Country=cn,hk,tw Language=zh
                /admin/*  200!  Role=admin
                /api/*  https://api.example.com/:splat  200
                /x /y Cookie=is_legacy
                /go https://example.com 302 # comment
                /signed /y Sign=KEY
                """)
        #expect(rules.warnings.map(\.line) == [3, 4, 7])
        #expect(Set(rules.warnings.map(\.code)) == [.ruleSkipped])
        #expect(rules.rules.map(\.line) == [1, 2, 5, 6])
        #expect(rules.rules[0].conditions == [.country(["au", "nz"])])
        #expect(rules.rules[1].conditions == [.country(["cn", "hk", "tw"]), .language(["zh"])])
        #expect(rules.rules.map(\.isStatic) == [false, false, false, true])
    }

    /// Netlify, "Redirect options", Redirect by country or language, and by cookie presence.
    @Test(
        arguments: [
            ("Country=au,nz", "NZ", "", "", true), ("Country=au,nz", "de", "", "", false),
            ("Country=au", nil, "", "", false), ("Country=AU", "de", "", "nf_country=au", true),
            ("Language=de", nil, "de-AT, en;q=0.5", "", true), ("Language=de-at", nil, "de-AT", "", true),
            ("Language=de-ch", nil, "de-AT", "", false), ("Language=en", nil, "de-AT, en;q=0.5", "", false),
            ("Language=en", nil, "de;q=0.3, en;q=0.5", "", true), ("Language=fr", nil, "de", "a=b; nf_lang=fr", true),
            ("Language=de", nil, "", "", false), ("Language=de", nil, "de;q=0", "", false),
            ("Cookie=is_beta,x", nil, "", "y=1; is_beta=", true), ("Cookie=is_beta", nil, "", "is_beta2=1", false),
            ("Country=de Language=en", "de", "de", "", false), ("Country=de Language=en", "de", "en", "", true),
        ] as [(String, String?, String, String, Bool)])
    func conditionsAreOnTheClient(
        _ condition: String, _ country: String?, _ language: String, _ cookie: String, _ holds: Bool
    ) throws {
        let rule = try one("/a /b 302 \(condition)")
        let client = RuleClient(["Accept-Language": language, "Cookie": cookie], country: country)
        #expect(rule.target(forPath: "/a", client: client) == (holds ? "/b" : nil))
        #expect(client.isAskedAbout)
        #expect(rule.target(forPath: "/a") == nil)
        let other = RuleClient([:], country: nil)
        #expect(rule.target(forPath: "/other", client: other) == nil && !other.isAskedAbout)
    }

    @Test func theFirstRuleThatMatchesCountsAndAHostWhereOneIsNamed() throws {
        let rules = try RedirectRules(
            parsing: """
                # comment
                http://blog.yoursite.com/* https://www.yoursite.com/blog/:splat 301!
                /a /first
                /a /second
                /* /index.html 200
                """)
        #expect(rules.match(path: "/a")?.target == "/first")
        #expect(rules.match(path: "/a/", query: "x")?.target == "/first?x")
        #expect(rules.match(path: "/b", host: "blog.yoursite.com")?.target == "https://www.yoursite.com/blog/b")
        #expect(rules.match(path: "/b")?.target == "/index.html")
        #expect(rules.rules[0].isForced && !rules.rules[0].isStatic)
        #expect(rules.rules[1].staticPath == "/a")
        #expect(rules.match(path: "b") == nil)
        #expect(rules.match(path: "") == nil)
    }

    @Test func aPathCannotBecomeAnotherHost() throws {
        let rule = try one("/go/* /:splat")
        #expect(rule.target(forPath: "/go//evil.example/x") == "/evil.example/x")
        #expect(rule.target(forPath: "/go/\\evil.example") == "/evil.example")
        #expect(rule.target(forPath: "/go/\t/evil.example") == "/%09/evil.example")
        #expect(rule.target(forPath: "/go/a\r\nb") == "/a%0D%0Ab")
    }

    @Test func aSourcesFragmentIsIgnoredWithAWarning() throws {
        let rules = try RedirectRules(parsing: "/a#top /b")
        #expect(rules.rules.first?.staticPath == "/a")
        #expect(rules.warnings.map(\.line) == [1])
    }

    @Test(arguments: [
        ("/a", 1, RuleFileError.Problem.missingTarget),
        ("/a # /b", 1, .missingTarget),
        ("# x\n/a b", 2, .targetStart),
        ("/a b /c", 1, .queryParameter),
        ("/a id=:id", 1, .targetStart),
        ("/a id=:id 301", 1, .targetStart),
        ("/a javascript:x", 1, .targetStart),
        ("/a //evil.example", 1, .targetStart),
        ("a /b", 1, .patternStart),
        ("/a /b 3O1", 1, .status),
        ("/a /b 304", 1, .status),
        ("/a /b 99999999999999999999", 1, .status),
        ("/a /b 301 x", 1, .condition),
        ("/a /b 301 =x", 1, .condition),
        ("/a?id=1 /b", 1, .queryInPattern),
        ("/:a/:a /b", 1, .repeatedPlaceholder),
        ("http://a:8080/ /b", 1, .port),
        ("/a 199", 1, .status),
    ])
    func aMalformedLineIsSkipped(text: String, line: Int, problem: RuleFileError.Problem) throws {
        #expect(try failure(text) == RuleFileError(line: line, problem: problem))
    }

    /// The hosts skip what they do not understand, each line by itself.
    @Test func linesAroundOneThatIsSkippedCount() throws {
        let rules = try RedirectRules(parsing: "/a /b\nnothing\n/c \u{1}/d\n/e /f 3O1\n/g /h\n")
        #expect(rules.rules.map(\.line) == [1, 5])
        #expect(rules.warnings.map(\.line) == [2, 3, 4])
        #expect(rules.warnings.map(\.fault) == [.patternStart, .controlCharacter, .status])
    }

    /// A file of bad lines has an archive of some kilobytes cost gigabytes otherwise.
    @Test func theNumberOfReportedFaultsIsLimited() throws {
        let rules = try RedirectRules(parsing: String(repeating: "a\n", count: 5_000))
        #expect(rules.warnings.count == RuleFileLines.maximumFaultCount)
        let controls = try RedirectRules(parsing: String(repeating: "\u{1}\n", count: 5_000))
        #expect(controls.warnings.count == RuleFileLines.maximumFaultCount)
        let patterns = String(repeating: "/" + String(repeating: "*/", count: 50) + " /x\n", count: 100)
        #expect(try RedirectRules(parsing: patterns, partLimit: 1000).rules.count == 10)
    }

    @Test func inputOverALimitIsLeftOut() throws {
        let error = try failure(String(repeating: "/ 404\n", count: 100_001))
        #expect(error == RuleFileError(line: 100_001, problem: .tooManyRules(limit: 100_000)))
        #expect(throws: RuleFileError(line: 0, problem: .fileTooLarge(limit: 4 << 20))) {
            try RedirectRules(parsing: String(repeating: "#", count: (4 << 20) + 1))
        }
        // A path counts as it is when encoded: three bytes for each blank.
        let rule = try one("/* /x")
        let blanks = String(repeating: " ", count: (16_384 - 1) / 3)
        #expect(rule.target(forPath: "/" + blanks) == "/x")
        #expect(rule.target(forPath: "/" + blanks + " ") == nil)
    }

    @Test(.timeLimit(.minutes(5))) func hostileInputEndsInTime() throws {
        let rule = try one("/" + (0..<64).map { ":a\($0)-" }.joined() + "b /" + String(repeating: ":a0", count: 4000))
        let path = "/" + String(repeating: "-", count: 3_000)
        let query = String(repeating: "a=b&", count: 4000)
        #expect(rule.target(forPath: path, query: query) == nil)
        // It matches, and the first capture is put in 4,000 times.
        #expect(rule.target(forPath: path + "b", query: query) == nil)
        #expect(try one("/a x=:x /b").target(forPath: "/a", query: query) == nil)
        #expect(
            try RedirectRules(parsing: String(repeating: "/a/* /b/:splat\n", count: 20_000)).match(path: "/c") == nil)
    }

    @Test func randomTextNeverTraps() {
        var generator = SeededGenerator.printed()
        let pieces = [
            "/", "*", ":a", ":", "!", "=", "#", " ", "\n", "http://", "200", "301!", "a", "?", "\u{0}", "é", "%",
        ]
        for _ in 0..<3000 {
            let text = (0..<12).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            _ = try? RedirectRules(parsing: text).match(path: text, query: text, host: text)
            _ = try? RedirectRules(parsing: "/" + text + " /" + text).match(path: "/" + text, query: text, host: text)
        }
    }
}
