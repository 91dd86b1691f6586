// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The request that follows a redirect. RFC 9110 section 15.4.
struct RedirectedRequest {
    let request: URLRequest
    let body: RequestBody

    /// Nil if the answer leads nowhere.
    init?(_ request: URLRequest, body: RequestBody, _ answer: ArchiveAnswer) {
        guard ArchiveAnswer.redirectStatuses.contains(answer.status), let url = request.url,
            let target = Self.target(of: answer, at: url)
        else { return nil }
        var next = request
        next.url = target
        let method = request.httpMethod ?? "GET"
        let becomesGet =
            answer.status == 303 ? method != "HEAD" : [301, 302].contains(answer.status) && method == "POST"
        if becomesGet, method != "GET" {
            next.httpMethod = "GET"
            next.httpBody = nil
            for name in ["Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Type"] {
                next.setValue(nil, forHTTPHeaderField: name)
            }
        }
        // Belongs to the URL that was left; the cookies of the next one are set anew.
        next.setValue(nil, forHTTPHeaderField: "Cookie")
        if !Self.haveSameOrigin(target, url) {
            for name in ["Authorization", "Proxy-Authorization"] { next.setValue(nil, forHTTPHeaderField: name) }
        }
        // A stream has been read to its end.
        if next.httpBodyStream != nil { next.httpBody = becomesGet ? nil : body.data }
        self.request = next
        self.body = becomesGet && method != "GET" ? .none : body
    }

    /// With the fragment of the URL that was left, if it has none of its own (section 10.2.2).
    private static func target(of answer: ArchiveAnswer, at url: URL) -> URL? {
        guard let text = answer.headers["Location"] ?? answer.redirectTarget,
            let target = URL(string: text, relativeTo: url)?.absoluteURL,
            ["http", "https"].contains(target.scheme?.lowercased())
        else { return nil }
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
