// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The value of a `Location` field when an archive's origin is served at the server's own `/`. A target in the archive's origin becomes
/// a path; any other target does not change.
struct RedirectLocation {
    let text: String

    init(_ location: String, from url: CanonicalURL, origin: ArraySlice<UInt8>) {
        guard let target = try? url.resolving(location), target.root == origin else {
            text = location
            return
        }
        let fragment = location.firstIndex(of: "#").map { location[$0...] } ?? ""
        text = target.originForm + fragment
    }
}
