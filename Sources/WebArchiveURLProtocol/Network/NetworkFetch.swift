// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request for the network, and the use of its response.
struct NetworkFetch: Sendable {
    var request: URLRequest
    /// The request in the form for the recorder.
    var forwarded: ForwardedRequest
    /// The conditional fields that validate the stored exchange which would be replaced.
    var conditions: HeaderFields = []
    var fallback = PolicyDecision.Fallback()
    /// Whether no caller waits for the response, which is loaded only for recording.
    var isInBackground = false

    /// The same fetch in the background, without the request's own conditions and ranges.
    var ofWhole: NetworkFetch {
        var fetch = self
        fetch.isInBackground = true
        for name in ["Range"] + Preconditions.Field.allCases.map(\.rawValue) {
            fetch.request.setValue(nil, forHTTPHeaderField: name)
            fetch.forwarded.request.headers.removeAll(named: name)
        }
        return fetch
    }

    /// Returns the exchange that is served after a failure.
    func fallback(for failure: StaleOnError) -> StoredExchange? {
        fallback.failures.contains(failure) ? fallback.stored : nil
    }

    /// The request in the form for sending.
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
