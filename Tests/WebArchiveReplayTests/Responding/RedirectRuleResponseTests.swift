// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

/// Specification section 8.7, as a server applies it.
@Suite struct RedirectRuleResponseTests {
    private static let origin = "https://site.example"

    /// A site with pages that hold their own paths, and rules.
    private func responder(
        _ rules: String, _ pages: [String] = ["/", "/app.html", "/de/", "/docs/a.html"], country: String? = nil,
        _ fill: (ArchiveWriter) throws -> Void = { _ in }
    ) throws -> ReplayResponder {
        let sample = try ReplaySample(withSite: false) { writer in
            for page in pages { try ReplaySample.add(Self.origin + page, "text/html", Array(page.utf8), writer) }
            try writer.add(
                ArchiveRequest(url: Self.origin + "/_redirects"), response: ArchiveResponse(),
                body: writer.addBody(Array(rules.utf8)), role: .unpackOnly)
            try writer.setMetadata("redirectRules", to: Self.origin + "/_redirects")
            try writer.setMetadata("mainPage", to: Self.origin + "/")
            try writer.setMetadata("x-base-url", to: Self.origin + "/")
            try fill(writer)
        }
        var options = ArchiveMatcher.Options.serving
        options.country = country
        return ReplayResponder(try ReplaySite([ArchiveReader(path: sample.path)], options: options))
    }

    @Test func aSinglePageApplication() throws {
        let responder = try responder("/* /app.html 200\n")
        let page = responder.getPath("/users/7?tab=2")
        #expect(page.status == 200 && page.field(.contentType) == "text/html")
        #expect(try page.text == "/app.html")
        #expect(try responder.getPath("/docs/a.html").text == "/docs/a.html")
        #expect(responder.getPath("/users/7", method: .head).status == 200)
        #expect(responder.getPath("/users/7", method: .post).status != 200)
    }

    @Test(arguments: [
        ("/old/*  /docs/:splat 302", "/old/a.html", 302, "/docs/a.html"),
        ("/old/:name /docs/:name.html", "/old/a?x=1", 301, "/docs/a.html?x=1"),
        ("/store id=:id /docs/:id.html 307", "/store?id=a", 307, "/docs/a.html?id=a"),
        ("/out https://elsewhere.example/x 308", "/out", 308, "https://elsewhere.example/x"),
        ("/own https://site.example/docs/ 303", "/own", 303, "/docs/"),
        ("https://site.example/h /docs/ 302", "/h", 302, "/docs/"),
        ("/docs/a.html /de/ 301!", "/docs/a.html", 301, "/de/"),
    ])
    func redirects(_ rule: String, _ path: String, _ status: Int, _ location: String) throws {
        let response = try responder(rule).getPath(path)
        #expect(response.status == status)
        #expect(response.field(.location) == location)
        #expect(response.mustBeRevalidated)
    }

    /// A redirect that the packer made, for a rule or a folder, stands for the URL with any query.
    @Test(arguments: [
        ("/plain?x=1", "/de/?x=1"), ("/plain", "/de/"), ("/own?x=1", "/de/?own=2"), ("/part?x=1&y", "/de/?x=1&y#top"),
        ("/recorded?x=1", "/de/"),
    ])
    func queriesOfRedirectsThatArePacked(_ path: String, _ location: String) throws {
        let responder = try responder("") { writer in
            for (name, target, role) in [
                ("plain", "/de/", .alias), ("own", "/de/?own=2", .alias), ("part", "/de/#top", .alias),
                ("recorded", "/de/", .exchange),
            ] as [(String, String, ArchiveEntry.Role)] {
                try writer.add(
                    ArchiveRequest(url: "\(Self.origin)/\(name)"),
                    response: ArchiveResponse(
                        status: 301, headers: ["Location": target], redirectTarget: Self.origin + target), role: role)
            }
        }
        // The second one comes from the cache.
        for _ in 0..<2 { #expect(responder.getPath(path).field(.location) == location) }
    }

    /// The address of a rewrite stays, though the folder is named without its slash.
    @Test func aRewriteToAFolder() throws {
        let responder = try responder("/s/* /sub 200\n", ["/", "/sub/"]) { writer in
            try writer.add(
                ArchiveRequest(url: Self.origin + "/sub"),
                response: ArchiveResponse(
                    status: 301, headers: ["Location": "/sub/"], redirectTarget: Self.origin + "/sub/"), role: .alias)
        }
        let response = responder.getPath("/s/page")
        #expect(try response.status == 200 && response.text == "/sub/")
        #expect(responder.getPath("/sub").status == 301)
    }

    /// The first rule that matches counts; a file counts before rules without "!".
    @Test(arguments: [
        ("/docs/a.html /de/ 302", 200), ("/* /app.html 200\n/docs/a.html /de/ 302!", 302),
        ("/x /app.html 200\n/x /de/ 302!", 200), ("/x /de/ 302!\n/x /app.html 200", 302),
        ("/*/a.html /app.html 200\n/x /de/ 302", 302),
    ])
    func order(_ rules: String, _ status: Int) throws {
        let path = rules.contains("/x ") ? "/x" : "/docs/a.html"
        #expect(try responder(rules).getPath(path).status == status)
    }

    @Test func contentWithAnErrorsStatus() throws {
        let response = try responder("/gone/* /app.html 410\n").getPath("/gone/x", [.range: "bytes=0-1"])
        #expect(response.status == 410)
        #expect(try response.text == "/app.html")
        #expect(response.field(.eTag) == nil && response.field(.acceptRanges) == nil)
    }

    @Test func conditionsVary() throws {
        let responder = try responder("/ /de/ 302! Language=de\n/at/* /de/ 302 Country=at\n", country: "AT")
        let german = responder.getPath("/", [.acceptLanguage: "de-AT"])
        #expect(german.status == 302 && german.field(.location) == "/de/")
        let other = responder.getPath("/", [.acceptLanguage: "en"])
        #expect(try other.status == 200 && other.text == "/")
        for response in [german, other] { #expect(response.field(.vary) == "Accept-Language, Cookie") }
        #expect(responder.getPath("/docs/a.html").field(.vary) == nil)
        let missing = responder.getPath("/at/x", [.cookie: "nf_country=de"])
        #expect(missing.isMissing && missing.field(.vary) == "Accept-Language, Cookie")
        #expect(responder.getPath("/at/x").status == 302)
    }

    /// A response that was given before does not hide a rule.
    @Test func cachedResponses() throws {
        let responder = try responder("/ /de/ 302! Language=de\n")
        for _ in 0..<2 {
            #expect(responder.getPath("/").status == 200)
            #expect(responder.getPath("/", [.acceptLanguage: "de"]).status == 302)
        }
    }

    /// The target of a rule is not matched with rules again, and no path leads out of the site.
    @Test func nothingGoesRound() throws {
        let responder = try responder("/a /b 200\n/b /a 200\n/go/* /:splat 302\n")
        #expect(responder.getPath("/a").status == 404)
        #expect(responder.getPath("/go//evil.example/").field(.location) == "/evil.example/")
    }

    @Test func rulesOfAnotherOriginDoNotCount() throws {
        let responder = try responder("/* /app.html 200\n")
        #expect(responder.get("https://other.example/x").isMissing)
        #expect(try responder.get("http://site.example/x").text == "/app.html")
        #expect(responder.get("https://site.example:8443/x").isMissing)
    }

    /// An archive cannot have each request take seconds.
    @Test func rulesThatTakeLongAreAnError() throws {
        let rule = "/*" + String(repeating: "a", count: 40) + "b*a /app.html 200\n"
        let responder = try responder(String(repeating: rule, count: 500))
        let path = "/" + String(repeating: "a", count: 8_000)
        let request = ReplayRequest(Self.origin + path)
        #expect(responder.respondQuickly(to: request) == nil)
        #expect(responder.respond(to: request).failure?.code == .limitExceeded)
        #expect(try responder.getPath("/docs/a.html").text == "/docs/a.html")
    }

    /// The query of a request is taken apart once, not for each rule.
    @Test(arguments: ["/* q=1 /app.html 200!\n", "/zz q=:q /app.html 200 Cookie=x\n"])
    func rulesWithParameters(_ rule: String) throws {
        let responder = try responder(String(repeating: rule, count: 10_000))
        for query in [String(repeating: "a", count: 15_000), "q=" + String(repeating: "%41", count: 5_000)] {
            let response = responder.getPath("/zz?" + query)
            #expect(response.isMissing || response.failure?.code == .limitExceeded)
        }
        #expect(try responder.getPath("/docs/a.html").text == "/docs/a.html")
    }

    /// A file that is named again and again counts once.
    @Test func ruleFilesCountOnce() throws {
        let name = Self.origin + "/_redirects"
        let responder = try responder("/app/* /app.html 200\n") { writer in
            try writer.setMetadata("redirectRules", to: Array(repeating: name, count: 16).joined(separator: " "))
        }
        #expect(try responder.getPath("/app/x").text == "/app.html")
        #expect(SiteRules(responder.site.layers[0]).fileCount == 1)
    }

    /// A damaged rule file is reported where a rule could have matched, and hides no page.
    @Test(arguments: [[0xFF, 0xFE], Array(repeating: UInt8(ascii: "#"), count: (1 << 20) + 1)])
    func ruleFilesThatCannotBeRead(_ bytes: [UInt8]) throws {
        let responder = try responder("") { writer in
            try writer.add(
                ArchiveRequest(url: Self.origin + "/more/_redirects"), response: ArchiveResponse(),
                body: writer.addBody(bytes), role: .unpackOnly)
            try writer.setMetadata("redirectRules", to: Self.origin + "/more/_redirects")
        }
        #expect(try responder.getPath("/docs/a.html").text == "/docs/a.html")
        #expect(responder.getPath("/none").failure != nil)
    }

    // MARK: - Pages for what is missing

    @Test(arguments: [
        ("/none", "/404.html"), ("/docs/none", "/docs/404.html"), ("/docs/x/y/z", "/docs/404.html"), ("/de/", nil),
        ("/docs", nil),
    ])
    func theNearestNotFoundPage(_ path: String, _ page: String?) throws {
        let responder = try responder("", ["/de/", "/404.html", "/docs/404.html", "/docs/"])
        let response = responder.getPath(path)
        guard let page else { return #expect(!response.isMissing) }
        #expect(response.status == 404 && response.isMissing)
        #expect(try response.text == page)
        #expect(response.field(.eTag) == nil)
    }

    /// A page in the place of a script only has the browser complain about its type.
    @Test(arguments: ["script", "style", "image", "font", "empty"])
    func partsOfPagesGetNoPage(_ destination: String) throws {
        let responder = try responder("", ["/", "/404.html"])
        let response = responder.getPath("/none.js", [.fetchDestination: destination])
        #expect(response.status == 404 && response.isMissing)
        #expect(response.field(.contentType) == "text/plain; charset=utf-8")
        #expect(responder.get(Self.origin + "/none.js", [.fetchDestination: destination]).status == 504)
        #expect(try responder.getPath("/none", [.fetchDestination: "document"]).text == "/404.html")
    }
}
