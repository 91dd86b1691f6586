// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import WebArchive

@Suite struct RulePatternTests {
    /// The matcher against the regular expressions that Cloudflare's rules engine makes of patterns.
    @Test func patternsMatchAndCaptureAsRegularExpressionsDo() throws {
        var generator = SeededGenerator.printed()
        var matched = 0
        for round in 0..<4000 {
            var pattern = "/"
            var regex = "^/"
            var names: [String] = []
            for index in 0..<Int.random(in: 1...7, using: &generator) {
                switch Int.random(in: 0..<6, using: &generator) {
                case 0 where !names.contains("splat"):
                    pattern += "*"
                    regex += "(.*)"
                    names.append("splat")
                case 1, 2:
                    // A separator keeps two names apart.
                    pattern += ":n\(index)"
                    regex += "([^/]+)"
                    names.append("n\(index)")
                    fallthrough
                default:
                    let literal = ["/", "a", "-", "aa", "/a"].randomElement(using: &generator) ?? ""
                    pattern += pattern.last?.isNumber == true && literal.first == "a" ? "-" : literal
                    regex += regex.hasSuffix("+)") && literal.first == "a" ? "-" : literal
                }
            }
            let compiled = try RulePattern(Array(pattern.utf8)[...], schemes: [])
            let expression = try NSRegularExpression(pattern: regex + "$")
            for _ in 0..<8 {
                let path =
                    "/"
                    + (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                        ["/", "a", "-", "b"].randomElement(using: &generator) ?? ""
                    }.joined()
                let request = try #require(RuleRequest(path: path, host: nil))
                let found = compiled.match(request)?.map { String(decoding: $0.value, as: UTF8.self) }
                // The path with its trailing slash removed or added is matched second.
                let paths = path == "/" ? [path] : [path, path.hasSuffix("/") ? String(path.dropLast()) : path + "/"]
                let expected = paths.lazy.compactMap { path in
                    expression.firstMatch(in: path, range: NSRange(location: 0, length: path.utf16.count)).map {
                        match in
                        (0..<names.count).map { (path as NSString).substring(with: match.range(at: $0 + 1)) }
                    }
                }.first
                if expected != nil { matched += 1 }
                #expect(found == expected, "seed \(generator.seed) round \(round): \(pattern) with \(path)")
            }
        }
        #expect(matched > 500)
    }

    @Test(arguments: ["/*a*a*a*a*b", "/*a*:x*:y*a", "/*" + String(repeating: "a", count: 40) + "b*a"])
    func patternsThatNearlyMatchEndWhenTheEffortIsUsedUp(pattern: String) throws {
        let effort = RuleEffort(steps: 100_000)
        let rule = try RulePattern(Array(pattern.utf8)[...], schemes: [])
        let path = "/" + String(repeating: "a", count: 400)
        var rounds = 0
        while !effort.isExceeded, rounds <= 100_000 {
            let request = try #require(RuleRequest(path: path, host: nil, effort: effort))
            _ = rule.match(request)
            rounds += 1
        }
        #expect(effort.isExceeded)
        let any = try RulePattern(Array("/*".utf8)[...], schemes: [])
        let request = try #require(RuleRequest(path: path, host: nil, effort: effort))
        #expect(any.match(request) == nil)
    }

    @Test func targetsThatAreFilledInUseTheEffortUp() throws {
        let target = "/t/" + String(repeating: ":splat", count: 200)
        let rules = try RedirectRules(parsing: String(repeating: "/a* \(target) 301!\n", count: 10))
        let effort = RuleEffort(steps: 1_000_000)
        // Longer than a target can be, so that the next rule is tried.
        let path = "/a" + String(repeating: "b", count: 400)
        var rounds = 0
        while !effort.isExceeded, rounds < 1000 {
            #expect(rules.match(path: path, isForced: true, effort: effort) == nil)
            rounds += 1
        }
        #expect((2..<100).contains(rounds))
    }

    /// Each name in a text is compared with all that were captured.
    @Test(arguments: ["other", "splat"]) func namesInAValueUseTheEffortUp(captured: String) throws {
        let captures: RuleCaptures = (0..<64).map { _ in (Array(captured.utf8), [0x61]) }
        let template = RuleTemplate(text: Array(String(repeating: ":z", count: 8_000).utf8))
        let effort = RuleEffort(steps: 1_000_000)
        var rounds = 0
        while !effort.isExceeded, rounds < 100 {
            #expect(template.filled(with: captures, effort)?.count == 16_000)
            rounds += 1
        }
        #expect(rounds < 10)
    }

    @Test func matchesCloudflaresTestCases() throws {
        func captures(_ pattern: String, _ path: String, _ host: String? = nil) throws -> [String]? {
            let compiled = try RulePattern(Array(pattern.utf8)[...], schemes: ["https://"])
            let request = try #require(RuleRequest(path: path, host: host))
            return compiled.match(request)?.map {
                "\(String(decoding: $0.name, as: UTF8.self))=\(String(decoding: $0.value, as: UTF8.self))"
            }
        }
        #expect(try captures("/some%20page", "/some page") == [])
        #expect(try captures("/$~.%20/!+-/[bo|%7Bo%7D]...()", "/$~. /!+-/[bo|{o}]...()") == [])
        #expect(try captures("https://custom.domain/test", "/test", "custom.domain") == [])
        #expect(try captures("https://custom.domain/test", "/test", "other.domain") == nil)
        #expect(try captures("//fake.host/actually-a-path", "//fake.host/actually-a-path", "example.com") == [])
        #expect(try captures("/foo/*", "/foo/test/") == ["splat=test/"])
        #expect(try captures("/foo/*", "/foo/") == ["splat="])
        #expect(try captures("/foo/*", "/foo") == ["splat="])
        #expect(
            try captures("https://:subdomain.pages.:tld/*", "/magic", "my.pages.dev")
                == ["subdomain=my", "tld=dev", "splat=magic"])
        #expect(try captures("https://:subdomain.pages.:tld/*", "/magic", "next.my.pages.dev") == nil)
        #expect(try captures("https://next.:subdomain.pages.:tld/*", "/", "next.my.pages.dev")?.count == 3)
    }
}
