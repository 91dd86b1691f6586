// SPDX-License-Identifier: Apache-2.0

/// A rule of a `_redirects` file.
///
/// Origin: Netlify, "Redirects and rewrites", "Redirect options" and "Rewrites and proxies";
/// Cloudflare Pages, "Redirects".
package struct RedirectRule: Sendable, Hashable {
    /// A query parameter that a request must have, such as `id=:id`.
    package struct QueryParameter: Sendable, Hashable {
        /// A condition on the value of a parameter.
        package enum Requirement: Sendable, Hashable {
            /// Any value, to which the target refers by this placeholder.
            case placeholder(String)
            /// Exactly this value.
            case literal(String)
        }

        /// The parameter's name.
        package let name: String
        /// The parameter's value.
        package let value: Requirement
    }

    /// The effect of a rule on a request.
    package enum Effect: Sendable, Hashable {
        /// Sends the client to the target: status 301, 302, 303, 307 or 308.
        case redirect
        /// Serves the target's content under the requested URL: status 200.
        case rewrite
        /// Serves the target's content with an error status: 400 to 599.
        case error
    }

    /// The number of the rule's line, counted from 1.
    package let line: Int
    /// The URL pattern of the requests it matches, as written.
    package let source: String
    /// The query parameters a request must have; if there are any, it may have no others.
    package let queryParameters: [QueryParameter]
    /// The target as written, with unfilled placeholders. A rule without target (`/private/* 404`)
    /// has its source with `:splat` for `*`.
    package let target: String
    /// The status code.
    package let status: Int
    /// Whether the rule takes precedence over a file at the requested path (`!`).
    package let isForced: Bool
    /// The conditions on the client, all of which must hold.
    package let conditions: [RuleCondition]

    /// The parsed source.
    let compiled: RulePattern

    /// The effect of the rule on a request.
    package var effect: Effect {
        switch status {
        case 200: .rewrite
        case 300..<400: .redirect
        default: .error
        }
    }

    /// Whether the rule is equivalent to exactly one redirect record: its source has no placeholders, no
    /// splats, no query parameters, no conditions and no host.
    ///
    /// The rule also matches the path with its trailing slash taken away or put on.
    package var isStatic: Bool { compiled.isLiteralPath && queryParameters.isEmpty && conditions.isEmpty }

    /// The percent-encoded path that a static rule matches, or nil for other rules.
    package var staticPath: String? {
        guard isStatic, let path = compiled.literalPath else { return nil }
        return String(untrusted: path)
    }

    /// Whether the target is a path on the site itself.
    package var hasLocalTarget: Bool { target.utf8.first == UInt8(ascii: "/") }

    /// Matches a request and fills in the target.
    ///
    /// A redirect and a rewrite to a different host pass on the request's query unless the target has one
    /// of its own. A local rewrite and an error do not, since they name content. A target that is a
    /// path stays one: text put into it cannot turn it into `//host`.
    ///
    /// - Parameters:
    ///   - path: the path of the request's URL, starting with `/`. Bytes that a URL cannot hold are
    ///     taken as if percent-encoded. At most 16,384 bytes.
    ///   - query: the query without `?`, or nil. At most 16,384 bytes.
    ///   - host: the host of the request's URL, or nil: a rule with a host does not match then.
    ///   - client: the client, or nil: a rule with conditions does not match then.
    /// - Returns: The target, percent-encoded, of at most 65,536 bytes; nil if the rule does not match.
    package func target(
        forPath path: String, query: String? = nil, host: String? = nil, client: RuleClient? = nil
    ) -> String? {
        RuleRequest(path: path, query: query, host: host, client: client).flatMap { target(for: $0) }
    }
}
