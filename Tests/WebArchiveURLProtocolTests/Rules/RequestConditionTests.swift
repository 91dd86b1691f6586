// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WebArchive

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct RequestConditionTests {
    private func holds(
        _ condition: RequestCondition, _ url: String, method: String = "GET", accept: String? = nil,
        isMetered: Bool = false
    ) throws -> Bool {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        if let accept { request.setValue(accept, forHTTPHeaderField: "Accept") }
        return condition.holds(InspectedRequest(request, isMetered: isMetered))
    }

    @Test func aURLIsComparedInCanonicalForm() throws {
        let condition = RequestCondition.url("https://example.com/a?b=1")
        #expect(try holds(condition, "HTTPS://Example.com:443/x/../a?b=1#there"))
        for other in [
            "https://example.com/a", "https://example.com/a?b=2", "http://example.com/a?b=1",
            "https://example.com/A?b=1",
        ] { #expect(try !holds(condition, other), "\(other)") }
    }

    @Test func hostsByNameAndSubdomains() throws {
        let condition = RequestCondition.host("Ads.example", "*.cdn.example", "[::1]")
        for url in [
            "https://ads.example/", "http://ADS.example:8080/", "https://a.cdn.example/", "https://a.b.cdn.example/",
            "http://[::1]/",
        ] {
            #expect(try holds(condition, url), "\(url)")
        }
        for url in [
            "https://x.ads.example/", "https://cdn.example/", "https://notcdn.example/",
            "https://b.example/ads.example", "data:,ads.example",
        ] {
            #expect(try !holds(condition, url), "\(url)")
        }
    }

    @Test(
        arguments: [
            ("/api/*", "/api/items", true), ("/api/*", "/api/items?x=/y", true), ("/api/*", "/api/items/1", false),
            ("/api/*", "/api", false), ("/api/**", "/api/items/1", true), ("*.png", "/a/b/c.png", true),
            ("*.png", "/a.png/b", false), ("/items", "/items", true), ("/items", "/items/3", false),
            ("/a%20b", "/a%20b", true), ("/folder/", "/folder/", true), ("/folder/", "/folder", false),
            ("/Items", "/items", false),
        ]) func pathsByPattern(pattern: String, path: String, isMatch: Bool)
        throws
    {
        #expect(try holds(.path(pattern), "https://example.com\(path)") == isMatch, "\(path)")
    }

    @Test func extensionsMethodsAndSchemes() throws {
        #expect(try holds(.pathExtension("PNG", "jpg"), "https://a.example/x.y.png?q"))
        #expect(try holds(.pathExtension("png"), "https://a.example/x.PNG"))
        for none in ["https://a.example/png", "https://a.example/.png", "https://a.example/a.png/", "https://a.png/"] {
            #expect(try !holds(.pathExtension("png"), none), "\(none)")
        }
        #expect(try holds(.method("PUT", "POST"), "https://a.example/", method: "POST"))
        #expect(try !holds(.method("GET"), "https://a.example/", method: "HEAD"))
        #expect(try holds(.scheme("HTTP"), "http://a.example/"))
        #expect(try !holds(.scheme("http"), "https://a.example/"))
    }

    @Test func mediaTypesByExtensionElseByPreference() throws {
        let images = RequestCondition.mediaType("image/*")
        #expect(try holds(images, "https://a.example/a.webp"))
        #expect(try !holds(images, "https://a.example/a.css", accept: "image/png"))
        #expect(try holds(images, "https://a.example/a", accept: "image/avif,image/webp,image/*,*/*;q=0.8"))
        #expect(try !holds(images, "https://a.example/a", accept: "text/html, image/png;q=0.9"))
        #expect(try holds(images, "https://a.example/a", accept: "text/html;q=0.5, IMAGE/png ; Q=0.9"))
        #expect(try !holds(images, "https://a.example/a", accept: "image/png;q=0"))
        #expect(try !holds(images, "https://a.example/a", accept: "*/*"))
        #expect(try !holds(images, "https://a.example/a"))
        #expect(try holds(.mediaType("text/css"), "https://a.example/a.css"))
        #expect(try !holds(.mediaType("text/cs"), "https://a.example/a.css"))
        #expect(try !holds(.mediaType("imag/*"), "https://a.example/a.webp"))
    }

    @Test func conditionsAreJoined() throws {
        let yes = RequestCondition.any
        let no = !RequestCondition.any
        let url = "https://a.example/"
        #expect(try holds(yes && yes, url) && !holds(yes && no, url) && !holds(no && yes, url))
        #expect(try holds(yes || no, url) && holds(no || yes, url) && !holds(no || no, url))
        #expect(try holds(.metered && .host("a.example"), url, isMetered: true))
        #expect(try !holds(.metered && .host("a.example"), url))
        #expect(try holds(.where { $0.httpMethod == "LOCK" }, url, method: "LOCK"))
    }

    @Test func aRequestWithoutAURLMeetsOnlyWhatNeedsNone() {
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        request.url = nil
        let asked = InspectedRequest(request, isMetered: true)
        #expect(RequestCondition.any.holds(asked) && RequestCondition.metered.holds(asked))
        #expect(!RequestCondition.host("a").holds(asked) && !RequestCondition.path("**").holds(asked))
        #expect(!RequestCondition.mediaType("*/*").holds(asked) && !RequestCondition.scheme("http").holds(asked))
    }
}
