// SPDX-License-Identifier: Apache-2.0

package import WebArchive

extension CanonicalURL {
    /// The path and query, as a reference that stays at the origin where it is used (RFC 3986 section 4.2): a path that begins with `//` would
    /// be read as a host, so `/.` precedes it.
    ///
    /// The fragment, which a canonical URL does not have, is not a part of it.
    package var originForm: String {
        let text = String(decoding: bytes[root.endIndex...], as: UTF8.self)
        return text.hasPrefix("//") ? "/." + text : text
    }
}
