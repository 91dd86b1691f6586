// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request for the network, and what is to be done with its response.
struct NetworkFetch: Sendable {
    var request: URLRequest
    /// The same as the recorder sees it.
    var forwarded: ForwardedRequest
    /// Fields that ask whether the stored exchange that would be replaced still holds.
    var conditions: HeaderFields = []
    var fallback = PolicyDecision.Fallback()
    /// Whether nobody waits for the response, which is loaded to be recorded only.
    var isInBackground = false

    /// The same for the background, without the request's own conditions and ranges.
    var ofWhole: NetworkFetch {
        var fetch = self
        fetch.isInBackground = true
        for name in ["Range"] + Preconditions.Field.allCases.map(\.rawValue) {
            fetch.request.setValue(nil, forHTTPHeaderField: name)
            fetch.forwarded.request.headers.removeAll(named: name)
        }
        return fetch
    }

    /// Returns the exchange that stands in for a failure.
    func fallback(for failure: StaleOnError) -> StoredExchange? {
        fallback.failures.contains(failure) ? fallback.stored : nil
    }

    /// The request as it is sent.
    var wireRequest: URLRequest {
        var request = request
        for field in conditions { request.setValue(field.value, forHTTPHeaderField: field.name) }
        if let data = forwarded.body {
            request.httpBodyStream = nil
            request.httpBody = data
        }
        // libcurl knows schemes in lower case only.
        if let url = request.url, let scheme = url.scheme, scheme != scheme.asciiLowercased,
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        {
            components.scheme = scheme.asciiLowercased
            request.url = components.url ?? url
        }
        return request
    }
}
