// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The value of a `Location` field where one origin is shown at `/` of another: a target in that origin keeps its path only, any other stays.
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
