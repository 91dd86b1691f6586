// SPDX-License-Identifier: Apache-2.0

import WebArchive

extension HTTPCaching {
    /// Returns the URLs whose stored responses a response to a request invalidates. RFC 9111 section 4.4.
    ///
    /// Those of a successful request with an unsafe or unknown method: the URL itself, and the URLs that `Location` and
    /// `Content-Location` name at the same origin.
    func invalidated(method: String, url: CanonicalURL, response: ArchiveResponse) -> [CanonicalURL] {
        guard !ArchiveRequest.safeMethods.contains(method), (200...399).contains(response.status) else { return [] }
        var urls = [url]
        for name in ["Location", "Content-Location"] {
            guard let reference = response.headers[name], let other = try? url.resolving(reference),
                other.hasOrigin(of: url), !urls.contains(other)
            else { continue }
            urls.append(other)
        }
        return urls
    }
}

extension ArchiveRequest {
    /// The safe methods of the IANA registry (RFC 9110 section 9.2.1).
    static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH",
    ]
}
