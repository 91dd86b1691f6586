// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The request that follows a redirect. RFC 9110 section 15.4.
struct RedirectedRequest {
    let request: URLRequest
    let body: RequestBody

    private static let credentials: Set<String> = ["authorization", "proxy-authorization"]

    /// The fields that state the content and form of a request, and not its sender.
    private static let publicFields: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-encoding",
        "content-language", "content-length", "content-type", "dnt", "expect", "if-match", "if-modified-since",
        "if-none-match", "if-range", "if-unmodified-since", "pragma", "prefer", "priority", "range", "save-data",
        "sec-gpc",
        "upgrade-insecure-requests", "user-agent",
    ]

    /// Creates the request; nil if the response has no target.
    ///
    /// - Parameter keepsOwnFields: the setting of ``SessionOptions/keepsFieldsAcrossOrigins``.
    init?(_ request: URLRequest, body: RequestBody, _ response: ArchiveResponse, keepsOwnFields: Bool = true) {
        guard ArchiveResponse.redirectStatuses.contains(response.status), let url = request.url,
            let target = Self.target(of: response, at: url)
        else { return nil }
        var next = request
        next.url = target
        let method = request.httpMethod ?? "GET"
        let becomesGet =
            response.status == 303 ? method != "HEAD" : [301, 302].contains(response.status) && method == "POST"
        if becomesGet, method != "GET" {
            next.httpMethod = "GET"
            next.httpBody = nil
            for name in ["Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Type"] {
                next.setValue(nil, forHTTPHeaderField: name)
            }
        }
        // Belongs to the URL that was left; the cookies of the next one are set again.
        next.setValue(nil, forHTTPHeaderField: "Cookie")
        if !Self.haveSameOrigin(target, url) {
            for name in (next.allHTTPHeaderFields ?? [:]).keys
            where Self.credentials.contains(name.asciiLowercased)
                || !keepsOwnFields && !Self.publicFields.contains(name.asciiLowercased)
            {
                next.setValue(nil, forHTTPHeaderField: name)
            }
        }
        // A stream has been read to its end.
        if next.httpBodyStream != nil { next.httpBody = becomesGet ? nil : body.data }
        self.request = next
        self.body = becomesGet && method != "GET" ? .none : body
    }

    /// Returns the target, with the fragment of the previous URL if it has none of its own (section 10.2.2).
    private static func target(of response: ArchiveResponse, at url: URL) -> URL? {
        guard let text = response.headers["Location"] ?? response.redirectTarget,
            let target = URL(string: text, relativeTo: url)?.absoluteURL,
            ["http", "https"].contains(target.scheme?.asciiLowercased)
        else { return nil }
        return withFragment(of: url, withoutUserinfo(target))
    }

    /// Returns a URL without userinfo: a server must not set credentials for a different place, and none may become part of an archive's keys.
    private static func withoutUserinfo(_ target: URL) -> URL {
        guard target.user != nil || target.password != nil,
            var components = URLComponents(url: target, resolvingAgainstBaseURL: true)
        else { return target }
        (components.user, components.password) = (nil, nil)
        return components.url ?? target
    }

    private static func withFragment(of url: URL, _ target: URL) -> URL {
        guard target.fragment == nil, let fragment = url.fragment(percentEncoded: true),
            var components = URLComponents(url: target, resolvingAgainstBaseURL: true)
        else { return target }
        components.percentEncodedFragment = fragment
        return components.url ?? target
    }

    private static func haveSameOrigin(_ target: URL, _ url: URL) -> Bool {
        guard let target = try? CanonicalURL(parsing: target.absoluteString),
            let url = try? CanonicalURL(parsing: url.absoluteString)
        else { return false }
        return target.hasOrigin(of: url)
    }
}
