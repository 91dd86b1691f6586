// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cookies of a session, which the loading system does not look after for a protocol's answers.
struct SessionCookies: Sendable {
    private let storage: HTTPCookieStorage?

    /// - Parameter configuration: as the app made it.
    init(_ configuration: URLSessionConfiguration) {
        let takesCookies = configuration.httpShouldSetCookies && configuration.httpCookieAcceptPolicy != .never
        storage = takesCookies ? configuration.httpCookieStorage : nil
    }

    /// Keeps what an answer sets.
    func store(_ fields: HeaderFields, from request: URLRequest) {
        guard let storage, request.httpShouldHandleCookies, let url = request.url, let value = fields["Set-Cookie"]
        else {
            return
        }
        let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
        storage.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
    }

    /// Sets the field `Cookie` of a request that the session has not seen.
    func set(on request: inout URLRequest) {
        guard let storage, request.httpShouldHandleCookies, let url = request.url else { return }
        for (name, value) in HTTPCookie.requestHeaderFields(with: storage.cookies(for: url) ?? []) {
            request.setValue(value, forHTTPHeaderField: name)
        }
    }
}
