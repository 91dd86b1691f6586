// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct RedirectTests {
    private func redirect(_ url: String, _ status: Int = 302, to location: String, method: String = "GET")
        -> TestBundle.Exchange
    {
        .init(
            url, method: method, requestBody: method == "GET" ? nil : Array("form".utf8), status: status,
            ["Location": location])
    }

    @Test func aChainOfRedirectsEndsAtTheLastResponseAndItsURL() async throws {
        let bundle = try TestBundle(
            redirect("http://a.example/dir/1", 301, to: "2?q=1"),
            redirect("http://a.example/dir/2?q=1", 308, to: "//b.example/3"),
            .init("http://b.example/3", "end"))
        let result = await bundle.session().load("http://a.example/dir/1#part")
        #expect(result.text == "end")
        #expect(result.response?.url?.absoluteString == "http://b.example/3#part")
    }

    @Test func aRedirectInACircleEnds() async throws {
        let bundle = try TestBundle(redirect("http://a.example/1", to: "/2"), redirect("http://a.example/2", to: "/1"))
        var options = SessionOptions()
        #expect(await bundle.session(options: options).load("http://a.example/1").error?.code == .httpTooManyRedirects)
        options.maximumRedirects = 0
        #expect(await bundle.session(options: options).load("http://a.example/2").error?.code == .httpTooManyRedirects)
    }

    @Test func aRedirectToAMissingURLFailsWithThatURL() async throws {
        let bundle = try TestBundle(redirect("http://a.example/1", to: "/2"))
        let result = await bundle.session().load("http://a.example/1")
        #expect(result.error?.code == .resourceUnavailable)
        #expect(result.error?.failingURL?.path == "/2")
    }

    @Test func aRedirectWithoutALocationIsAResponse() async throws {
        let bundle = try TestBundle(.init("http://a.example/1", status: 302, ["X-A": "1"], "nowhere"))
        let result = await bundle.session().load("http://a.example/1")
        #expect(result.status == 302)
        #expect(result.text == "nowhere")
    }

    @Test(arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
    func theMethodAfterAPOSTIsTheOneOfRFC9110(_ status: Int, _ method: String) async throws {
        let bundle = try TestBundle(
            redirect("http://a.example/form", status, to: "/end", method: "POST"),
            .init("http://a.example/end", "by GET"),
            .init("http://a.example/end", method: "POST", requestBody: Array("form".utf8), "by POST"))
        let result = await bundle.session().load(
            URLRequest("http://a.example/form", method: "POST", body: Data("form".utf8)))
        #expect(result.text == "by \(method)")
    }

    @Test func credentialsDoNotGoAlongToAnotherOrigin() throws {
        let request = URLRequest(
            "https://a.example/", fields: ["Authorization": "Bearer x", "Cookie": "a=1", "X-A": "1"])
        func next(_ location: String) throws -> URLRequest {
            let response = ArchiveResponse(status: 302, headers: ["Location": location])
            return try #require(RedirectedRequest(request, body: .none, response)).request
        }
        #expect(try next("/b").value(forHTTPHeaderField: "Authorization") == "Bearer x")
        #expect(try next("https://A.example:443/b").value(forHTTPHeaderField: "Authorization") == "Bearer x")
        for other in ["http://a.example/", "https://b.example/", "https://a.example:444/"] {
            #expect(try next(other).value(forHTTPHeaderField: "Authorization") == nil)
            #expect(try next(other).value(forHTTPHeaderField: "X-A") == "1")
        }
        #expect(try next("/b").value(forHTTPHeaderField: "Cookie") == nil)
    }

    @Test func aRedirectLeadsToNoOtherSchemeThanThoseOfHTTP() throws {
        let response = ArchiveResponse(status: 302, headers: ["Location": "file:///etc/passwd"])
        #expect(RedirectedRequest(URLRequest("http://a.example/"), body: .none, response) == nil)
    }

    /// RFC 3986 section 5.4. Foundation resolves here, since requests keep the spelling of a server, and ``CanonicalURL`` for all that is stored.
    @Test(arguments: ReferenceExamples.published) func locationsAreResolved(_ reference: String, _ target: String)
        throws
    {
        let response = ArchiveResponse(status: 302, headers: ["Location": reference])
        let next = RedirectedRequest(URLRequest("http://a/b/c/d;p?q"), body: .none, response)
        // Browsers, too, take an empty field for none.
        if target == "g:h" || reference.isEmpty {
            #expect(next == nil)
        } else {
            let url = try #require(next?.request.url).absoluteString
            #expect(try CanonicalURL(url) == CanonicalURL("http://a/b/c/d;p?q").resolving(reference))
            #expect(url.split(separator: "#").dropFirst().last == target.split(separator: "#").dropFirst().last)
        }
    }
}
