// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct RuleSetTests {
    private let url = "https://api.example/items"

    private func apply(
        _ rules: [RequestRule], to url: String? = nil, method: String = "GET", isMetered: Bool = false
    ) throws -> RuleOutcome {
        var request = URLRequest(url: try #require(URL(string: url ?? self.url)))
        request.httpMethod = method
        return RuleSet(rules).apply(to: request, isMetered: isMetered)
    }

    private func proceeded(_ rules: [RequestRule], to url: String? = nil) throws -> (URLRequest, NetworkConditioning) {
        guard case .proceed(let request, let shaping) = try apply(rules, to: url) else {
            throw Unexpected("the request did not go on")
        }
        return (request, shaping)
    }

    private func response(_ outcome: RuleOutcome) -> LocalResponse? {
        if case .respond(let response, _) = outcome { response } else { nil }
    }

    private func text(_ outcome: RuleOutcome) -> String? {
        guard case .data(let data) = response(outcome)?.body else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    private func file(_ outcome: RuleOutcome) -> FilePath? {
        if case .file(let path) = response(outcome)?.body { path } else { nil }
    }

    @Test func withoutAMatchingRuleARequestContinuesUnchanged() throws {
        for rules: [RequestRule] in [[], [.block(.cancelled, when: .host("other.example"))]] {
            let (request, shaping) = try proceeded(rules)
            #expect(request.url?.absoluteString == url)
            #expect(shaping.isNone)
        }
    }

    @Test func headerFieldsAreSetAndRemovedInOrder() throws {
        let (request, _) = try proceeded([
            .setHeader("X-A", "1"), .setHeader("X-B", "2"), .setHeader("x-a", "3"), .removeHeader("X-B"),
            .setHeader("X-C", "4", when: .method("POST")),
        ])
        #expect(request.value(forHTTPHeaderField: "X-A") == "3")
        #expect(request.value(forHTTPHeaderField: "X-B") == nil)
        #expect(request.value(forHTTPHeaderField: "X-C") == nil)
    }

    @Test func aRuleSeesWhatThoseBeforeItHaveMadeOfTheRequest() throws {
        let (request, _) = try proceeded([
            .setHeader("X-Late", "no", when: .host("mirror.example")),
            .redirect(to: "https://mirror.example/items", when: .host("api.example")),
            .setHeader("X-Late", "yes", when: .host("mirror.example")),
            .sign { request in
                var request = request
                let signed = "\(request.url?.host ?? "") \(request.value(forHTTPHeaderField: "X-Late") ?? "")"
                request.setValue(signed, forHTTPHeaderField: "Signature")
                return request
            },
        ])
        #expect(request.url?.absoluteString == "https://mirror.example/items")
        #expect(request.value(forHTTPHeaderField: "Signature") == "mirror.example yes")
    }

    @Test func aRedirectKeepsMethodAndFieldsAndMayBeComputed() throws {
        var request = URLRequest(url: try #require(URL(string: "https://api.example/v1/a?b=c")))
        request.httpMethod = "PUT"
        request.setValue("x", forHTTPHeaderField: "Authorization")
        let rule = RequestRule.redirect(when: .path("/v1/**")) { url in
            url.path == "/v1/a" ? URL(string: "https://api.example/v2/a") : nil
        }
        guard case .proceed(let next, _) = RuleSet([rule]).apply(to: request, isMetered: false) else {
            throw Unexpected("the request did not go on")
        }
        #expect(next.url?.path == "/v2/a" && next.httpMethod == "PUT")
        #expect(next.value(forHTTPHeaderField: "Authorization") == "x")
        #expect(try proceeded([rule], to: "https://api.example/v1/b").0.url?.path == "/v1/b")
    }

    @Test func aBlockedRequestFailsWithTheErrorAndTheURL() throws {
        let rules: [RequestRule] = [
            .block(.dataNotAllowed, when: .metered && .mediaType("video/*")),
            .block(.notConnectedToInternet, when: .host("ads.example")),
        ]
        guard case .block(let error) = try apply(rules, to: "https://ads.example/x") else {
            throw Unexpected("not blocked")
        }
        #expect(error.code == .notConnectedToInternet)
        #expect(error.failingURL?.absoluteString == "https://ads.example/x")
        guard case .block(let metered) = try apply(rules, to: "https://a.example/x.mp4", isMetered: true) else {
            throw Unexpected("not blocked")
        }
        #expect(metered.code == .dataNotAllowed)
        #expect(try proceeded(rules, to: "https://a.example/x.mp4").1.isNone)
    }

    @Test func theFirstRuleThatRespondsOrBlocksEndsTheList() throws {
        #expect(try text(apply([.respond(with: .text("a"), when: .any), .block(.cancelled, when: .any)])) == "a")
        #expect(
            try text(apply([.respond(with: .text("a"), when: .any), .respond(with: .text("b"), when: .any)])) == "a")
        #expect(try text(apply([.respond(when: .any) { _ in nil }, .respond(with: .text("b"), when: .any)])) == "b")
        guard case .block = try apply([.block(.cancelled, when: .any), .respond(with: .text("a"), when: .any)]) else {
            throw Unexpected("not blocked")
        }
    }

    @Test func aClosureRespondsToItsRequests() throws {
        let rule = RequestRule.respond(when: .path("/items/*")) { request in
            .text(request.url?.lastPathComponent ?? "")
        }
        #expect(try text(apply([rule], to: "https://api.example/items/7")) == "7")
    }

    @Test func filesAndDataAreServedWithTheirMediaType() throws {
        let page = try apply([.respond(withFile: "/srv/page.html", when: .any)])
        #expect(file(page) == "/srv/page.html")
        #expect(response(page)?.headers["Content-Type"] == "text/html")
        let data = try apply([.respond(withData: Data("x".utf8), mediaType: "text/x", when: .any)])
        #expect(response(data)?.headers["content-type"] == "text/x")
        #expect(try response(apply([.respond(withData: Data(), when: .any)]))?.headers.isEmpty == true)
    }

    @Test func aMapOfURLsToFilesWinsOverAllElse() throws {
        let rules: [RequestRule] = [
            .delay(.seconds(9)),
            .block(.cancelled, when: .url("https://api.example/items")),
            .redirect(to: "https://api.example/moved", when: .url("https://api.example/old")),
            .respond(with: .text("other"), when: .any),
            .substitute(["https://API.example/items": "/srv/items.json", "https://api.example/moved": "/srv/moved"]),
        ]
        let outcome = try apply(rules)
        #expect(file(outcome) == "/srv/items.json")
        if case .respond(_, let shaping) = outcome { #expect(shaping.isNone) }
        #expect(try file(apply(rules, to: "https://api.example/old")) == "/srv/moved")
        #expect(try text(apply(rules, to: "https://api.example/items?page=2")) == "other")
        #expect(try file(apply(rules, method: "HEAD")) == "/srv/items.json")
        guard case .block = try apply(rules, method: "POST") else { throw Unexpected("not blocked") }
    }

    @Test func deliveryIsShapedByAllRulesThatFit() throws {
        let rules: [RequestRule] = [
            .delay(.seconds(1)), .delay(.seconds(2)), .delay(.seconds(-9)),
            .throttle(bytesPerSecond: 2000), .throttle(bytesPerSecond: 1000), .throttle(bytesPerSecond: 3000),
            .cutOff(afterBytes: 10), .cutOff(afterBytes: 5), .cutOff(afterBytes: 20),
            .corrupt(seed: 1), .corrupt(seed: 2), .corrupt(seed: 3, when: .method("POST")),
        ]
        let expected = NetworkConditioning(
            delay: .seconds(3), bytesPerSecond: 1000, cutOff: 5, corruption: Corruption(seed: 2))
        #expect(try proceeded(rules).1 == expected)
        guard
            case .respond(_, let shaping) = try apply(
                rules + [.respond(with: .text("a").after(.seconds(4)), when: .any)])
        else { throw Unexpected("no response") }
        #expect(shaping.delay == .seconds(7) && shaping.cutOff == 5)
        let odd = try proceeded([.throttle(bytesPerSecond: -1), .cutOff(afterBytes: -1)]).1
        #expect(odd.bytesPerSecond == 1 && odd.cutOff == 0)
    }

    @Test func fieldsAreStrippedFromStoredRecords() throws {
        let rules: [StoredFieldRule] = [
            .strip("x-both"), .strip("X-Request", from: .requests), .strip("X-Answer", "X-More", from: .responses),
            .strip("X-Elsewhere", when: .host("other.example")),
        ]
        let names = ["X-Both", "X-Request", "X-Answer", "X-More", "X-Elsewhere", "X-Both"]
        let fields = HeaderFields(names.map { HeaderField(name: $0, value: "1") })
        var request = ArchiveRequest(url: url, headers: fields)
        var response = ArchiveResponse(headers: fields)
        rules.strip(&request, &response, of: URLRequest(url: try #require(URL(string: url))))
        #expect(request.headers.map(\.name) == ["X-Answer", "X-More", "X-Elsewhere"])
        #expect(response.headers.map(\.name) == ["X-Request", "X-Elsewhere"])
    }
}
