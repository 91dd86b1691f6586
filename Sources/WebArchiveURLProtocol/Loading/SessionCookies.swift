// SPDX-License-Identifier: Apache-2.0

import Foundation
import WebArchive

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cookies of a session. `URLSession` neither stores nor sends cookies for responses from a `URLProtocol`, so this type does.
struct SessionCookies: Sendable {
    private let storage: HTTPCookieStorage?

    /// The maximum number of fields of one response.
    private static let maximumCount = 180
    /// The maximum length of a field's value, in bytes: one field may have the cookies of a whole response.
    private static let maximumLength = 64 << 10

    /// - Parameter configuration: the app's configuration.
    init(_ configuration: URLSessionConfiguration) {
        let takesCookies = configuration.httpShouldSetCookies && configuration.httpCookieAcceptPolicy != .never
        storage = takesCookies ? configuration.httpCookieStorage : nil
    }

    /// Stores the cookies of a response.
    func store(_ fields: HeaderFields, from request: URLRequest) {
        guard let storage, request.httpShouldHandleCookies, let url = request.url else { return }
        for field in fields.lazy.filter({ $0.isNamed("Set-Cookie") }).prefix(Self.maximumCount) {
            // Foundation's parser ends the process over some texts that are not ASCII.
            guard field.valueBytes.allSatisfy({ (0x20...0x7E).contains($0) }),
                field.valueBytes.count <= Self.maximumLength
            else { continue }
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field.value], for: url)
            storage.setCookies(
                cookies.compactMap { Self.permitted($0, from: url) }, for: url,
                mainDocumentURL: request.mainDocumentURL)
        }
    }

    /// Returns the cookie in its permitted form: one for a public suffix would go to sites of other owners (RFC 6265 section 5.3, step 5).
    private static func permitted(_ cookie: HTTPCookie, from url: URL) -> HTTPCookie? {
        let (domain, host) = (cookie.domain.asciiLowercased, url.host?.asciiLowercased)
        // Of the host alone.
        guard domain != host else { return cookie }
        let name = domain.drop { $0 == "." }
        guard host.map({ reachesOthers(String(name.last == "." ? name.dropLast() : name), from: $0) }) ?? true else {
            return cookie
        }
        guard String(name) == host, var properties = cookie.properties else { return nil }
        properties[.domain] = host
        return HTTPCookie(properties: properties)
    }

    /// Returns whether a domain is, or is above, a public suffix that the host is below; or is a part of an address (section 5.1.3).
    private static func reachesOthers(_ domain: String, from host: String) -> Bool {
        if host.contains(":") || host.split(separator: ".").last.map({ $0.allSatisfy(\.isNumber) }) == true {
            return true
        }
        var name = host[...]
        while name.utf8.count >= domain.utf8.count {
            if PublicSuffixes.standard.contains(String(name)) { return true }
            guard let dot = name.firstIndex(of: ".") else { break }
            name = name[name.index(after: dot)...]
        }
        return false
    }

    /// Sets the field `Cookie` of a request that the session has not seen.
    func set(on request: inout URLRequest) {
        guard let storage, request.httpShouldHandleCookies, let url = request.url else { return }
        for (name, value) in HTTPCookie.requestHeaderFields(with: storage.cookies(for: url) ?? []) {
            request.setValue(value, forHTTPHeaderField: name)
        }
    }
}
