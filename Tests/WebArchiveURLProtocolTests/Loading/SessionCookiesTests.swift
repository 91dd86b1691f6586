// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cookies that a session keeps of a response, and those that it sends.
@Suite struct SessionCookiesTests {
    private let configuration = URLSessionConfiguration.ephemeral

    /// The field `Cookie` of a request to one URL after the response of another.
    private func sent(to url: String, after field: String, from origin: String) throws -> String? {
        let cookies = SessionCookies(configuration)
        cookies.store(["Set-Cookie": field], from: URLRequest(url: try #require(URL(string: origin))))
        var request = URLRequest(url: try #require(URL(string: url)))
        cookies.set(on: &request)
        return request.value(forHTTPHeaderField: "Cookie")
    }

    @Test(
        arguments: [
            ("Domain=com", "https://shop.com/", "https://other.com/"),
            ("Domain=.co.uk", "https://a.co.uk/", "https://b.co.uk/"),
            ("Domain=CO.UK", "https://a.co.uk/", "https://a.co.uk/"),
            ("Domain=github.io", "https://me.github.io/", "https://you.github.io/"),
            ("Domain=amazonaws.com", "https://me.s3.amazonaws.com/", "https://you.s3.amazonaws.com/"),
            ("Domain=2.7", "http://192.0.2.7/", "http://10.9.2.7/"),
        ])
    func noCookieOfAPublicSuffixIsKept(_ attribute: String, _ origin: String, _ other: String) throws {
        #expect(try sent(to: other, after: "a=1; \(attribute); Path=/", from: origin) == nil)
    }

    @Test func aCookieOfAPublicSuffixIsTheHostsOwnWhereThatIsItsName() throws {
        let field = "a=1; Domain=github.io; Path=/"
        #expect(try sent(to: "https://github.io/", after: field, from: "https://github.io/") == "a=1")
        #expect(try sent(to: "https://me.github.io/", after: field, from: "https://github.io/") == nil)
    }

    @Test(
        arguments: [
            ("Domain=shop.co.uk", "https://www.shop.co.uk/", "https://api.shop.co.uk/"),
            ("Path=/", "http://localhost:8080/", "http://localhost:8080/"),
            ("Path=/", "http://127.0.0.1/", "http://127.0.0.1/"),
        ])
    func aCookieOfASiteIsSentToTheSite(_ attribute: String, _ origin: String, _ other: String) throws {
        #expect(try sent(to: other, after: "a=1; \(attribute); Path=/", from: origin) == "a=1")
    }
}
