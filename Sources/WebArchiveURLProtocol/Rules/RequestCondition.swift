// SPDX-License-Identifier: Apache-2.0

public import WebArchive

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A condition on requests that limits a rule to some of them.
///
/// Conditions are joined with `&&`, `||` and `!`: `.host("*.ads.example") && !.method("POST")`. All but ``where(_:)``
/// look at the request alone, before anything is loaded. A URL that has no canonical form meets only ``any``,
/// ``method(_:)``, ``metered`` and ``where(_:)``.
public struct RequestCondition: Sendable {
    let holds: @Sendable (InspectedRequest) -> Bool

    init(_ holds: @escaping @Sendable (InspectedRequest) -> Bool) { self.holds = holds }

    /// A condition that every request satisfies.
    public static let any = RequestCondition { _ in true }

    /// A condition that holds only while the link is metered, by ``Connectivity/isMetered`` of the session's options.
    public static let metered = RequestCondition(\.isMetered)

    /// Matches exactly this URL, compared in canonical form (specification section 8.1), without regard to a fragment.
    ///
    /// - Parameter text: the URL, with its query if it has one.
    /// - Precondition: the text is an absolute URL.
    public static func url(_ text: String) -> RequestCondition {
        let url = CanonicalURL(rule: text)
        return RequestCondition { $0.url == url }
    }

    /// Matches hosts with one of these names, in any case. A `*.` in front represents any subdomain: `*.example.com` for `a.example.com` and
    /// `a.b.example.com`, but not for `example.com`. Non-ASCII names are written in their ASCII form (`xn--…`), literal IPv6 addresses in
    /// brackets.
    ///
    /// - Parameter names: the names, without ports, which do not count.
    public static func host(_ names: String...) -> RequestCondition {
        let names = names.map { $0.asciiLowercased }
        return RequestCondition { request in
            guard let host = request.host else { return false }
            return names.contains { $0.hasPrefix("*.") ? host.hasSuffix($0.dropFirst()) : host == $0 }
        }
    }

    /// Matches schemes, in any case and without a colon. Requests reach a rule only if ``SessionOptions/schemes`` has theirs.
    public static func scheme(_ names: String...) -> RequestCondition {
        let names = names.map { $0.asciiLowercased }
        return RequestCondition { request in
            request.url.map { names.contains(String(decoding: $0.scheme, as: UTF8.self)) } ?? false
        }
    }

    /// Matches paths, without query, by at least one of these patterns.
    ///
    /// `/api/*` matches entries directly in `/api`, `/api/**` all entries below, `*.png` a last part in any
    /// folder. The path is compared in the form of the canonical URL, percent-encoded and case-sensitive.
    ///
    /// - Precondition: each text is a pattern. One that comes from elsewhere than code is given to ``path(matching:)``.
    public static func path(_ patterns: String...) -> RequestCondition {
        path(
            matching: patterns.map { text in
                do throws(GlobPattern.Failure) {
                    return try GlobPattern(text)
                } catch {
                    preconditionFailure("\(text): \(error)")
                }
            })
    }

    /// Matches paths, without query, by at least one of these patterns; see ``path(_:)``. Without patterns the condition never holds.
    public static func path(matching patterns: [GlobPattern]) -> RequestCondition {
        RequestCondition { request in
            guard let path = request.url?.path else { return false }
            let isDirectory = path.last == UInt8(ascii: "/")
            let inner = path.first == UInt8(ascii: "/") ? path.dropFirst() : path
            let trimmed = Array(inner.last == UInt8(ascii: "/") ? inner.dropLast() : inner)
            return patterns.contains { $0.matches(trimmed, isDirectory: isDirectory) }
        }
    }

    /// Matches extensions of the path's last part, without dot and in any case. A dot at the start of a name begins no extension.
    public static func pathExtension(_ extensions: String...) -> RequestCondition {
        let extensions = extensions.map { $0.asciiLowercased }
        return RequestCondition { request in request.pathExtension.map(extensions.contains) ?? false }
    }

    /// Matches requests whose response is likely to have one of these media types, `image/png` or all of `image/*`.
    ///
    /// The extension of the path determines it, or, if it is unknown, the types that `Accept` prefers (RFC 9110 section 12.5.1);
    /// `*/*` determines nothing.
    ///
    /// - Parameter types: the media types without parameters, in any case.
    public static func mediaType(_ types: String...) -> RequestCondition {
        let types = types.map { $0.asciiLowercased }
        return RequestCondition { request in
            let expected = request.expectedMediaTypes
            return expected.contains { type in types.contains { Self.includes($0, type) } }
        }
    }

    private static func includes(_ range: String, _ type: String) -> Bool {
        range == "*/*" || range == type || range.hasSuffix("/*") && type.hasPrefix(range.dropLast())
    }

    /// Matches methods, which are case-sensitive (RFC 9110 section 9.1).
    ///
    /// - Parameter methods: the methods, usually in upper case.
    public static func method(_ methods: String...) -> RequestCondition {
        RequestCondition { methods.contains($0.method) }
    }

    /// Matches requests for which a closure holds. It is called from any thread, for each request and each hop of a redirect.
    ///
    /// - Parameter holds: a function of the request, after the earlier rules.
    public static func `where`(_ holds: @escaping @Sendable (URLRequest) -> Bool) -> RequestCondition {
        RequestCondition { holds($0.request) }
    }

    /// Combines two conditions; evaluates the second only if the first holds.
    public static func && (left: RequestCondition, right: RequestCondition) -> RequestCondition {
        RequestCondition { left.holds($0) && right.holds($0) }
    }

    /// Combines two conditions, of which one must hold; evaluates the second only if the first does not hold.
    public static func || (left: RequestCondition, right: RequestCondition) -> RequestCondition {
        RequestCondition { left.holds($0) || right.holds($0) }
    }

    /// Negates a condition: also holds for URLs without a canonical form, which the condition cannot evaluate.
    public static prefix func ! (condition: RequestCondition) -> RequestCondition {
        RequestCondition { !condition.holds($0) }
    }
}

extension CanonicalURL {
    /// Creates a URL from the text in an app's code.
    init(rule text: String) {
        guard let url = try? CanonicalURL(text) else { preconditionFailure("\(text) is not an absolute URL") }
        self = url
    }
}
