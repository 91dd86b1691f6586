// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The value of a `Location` field when an archive's origin is served at the server's own `/`. A target in the archive's origin becomes
/// a path; any other target does not change.
struct RedirectLocation {
    /// The value for sending, a path with query and fragment, or the stored text.
    let text: String

    /// Resolves a location against the URL of its response. A text that is not a reference stays as it is.
    ///
    /// - Parameters:
    ///   - location: the stored value, a URL or a relative reference (RFC 9110 section 10.2.2).
    ///   - url: the canonical URL of the response.
    ///   - origin: the origin that is served at `/`, as the root of a canonical URL.
    init(_ location: String, from url: CanonicalURL, origin: ArraySlice<UInt8>) {
        guard let target = try? url.resolving(location), target.root == origin else {
            text = location
            return
        }
        let fragment = location.firstIndex(of: "#").map { location[$0...] } ?? ""
        text = target.originForm + fragment
    }
}
