// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension HTTPCaching {
    /// The URLs whose stored answers no longer hold once a request was answered. RFC 9111 section 4.4.
    ///
    /// Those of an unsafe method, or one nobody knows, that did not fail: the URL itself, and what `Location` and
    /// `Content-Location` name at the same origin.
    func invalidated(method: String, url: CanonicalURL, answer: ArchiveAnswer) -> [CanonicalURL] {
        guard !Self.safeMethods.contains(method), (200...399).contains(answer.status) else { return [] }
        var urls = [url]
        for name in ["Location", "Content-Location"] {
            guard let reference = answer.headers[name], let other = try? url.resolving(reference),
                other.hasOrigin(of: url), !urls.contains(other)
            else { continue }
            urls.append(other)
        }
        return urls
    }

    /// The safe methods of the IANA registry.
    private static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH",
    ]
}

extension CanonicalURL {
    /// Whether scheme, host and port are the same (RFC 9110 section 4.3.1).
    fileprivate func hasOrigin(of other: CanonicalURL) -> Bool {
        host != nil && scheme == other.scheme && host == other.host && port == other.port
    }
}
