// SPDX-License-Identifier: Apache-2.0

/// A static host's interpretation of `_headers` and `_redirects`.
///
/// The two hosts agree on the form of both files and differ in details of matching. The differences
/// that change the outcome for a packed site are the members of this type.
///
/// Origin: Netlify, "Redirects and rewrites" and "Custom headers"; Cloudflare Pages,
/// "Redirects" and "Headers".
package enum HostingDialect: Sendable, Hashable, CaseIterable {
    /// Netlify: status 301 unless a rule names one; a rule matches with and without a trailing slash.
    case netlify

    /// Cloudflare Pages: status 302 unless a rule names one; paths match byte for byte, and a pattern
    /// holds one `*` at most.
    case cloudflarePages

    /// The default status of a redirect rule.
    package var defaultRedirectStatus: Int {
        switch self {
        case .netlify: 301
        case .cloudflarePages: 302
        }
    }

    /// Whether `/a` and `/a/` match the same rules, which also makes `/a/*` match `/a`.
    ///
    /// Netlify normalises the slash before the rules are tried ("Redirect options", trailing slash).
    package var ignoresTrailingSlash: Bool { self == .netlify }

    /// Whether a pattern may hold more than one `*`; `:splat` is then the match of the first one.
    package var allowsSeveralSplats: Bool { self == .netlify }
}
