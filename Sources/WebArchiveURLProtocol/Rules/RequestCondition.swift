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

    /// Every request.
    public static let any = RequestCondition { _ in true }

    /// Holds only while the link is metered, as ``Connectivity/isMetered`` of the session's options tells.
    public static let metered = RequestCondition(\.isMetered)

    /// This URL and no other, compared in canonical form (specification section 8.1), without regard to a fragment.
    ///
    /// - Parameter text: with its query, if the URL has one.
    /// - Precondition: the text is an absolute URL.
    public static func url(_ text: String) -> RequestCondition {
        let url = CanonicalURL(rule: text)
        return RequestCondition { $0.url == url }
    }

    /// Hosts with one of these names, in any case. A `*.` in front represents any subdomain: `*.example.com` for `a.example.com` and
    /// `a.b.example.com`, but not for `example.com`. Non-ASCII names are written in their ASCII form (`xn--…`), literal IPv6 addresses in
    /// brackets.
    ///
    /// - Parameter names: without ports, which do not count.
    public static func host(_ names: String...) -> RequestCondition {
        let names = names.map { $0.asciiLowercased }
        return RequestCondition { asked in
            guard let host = asked.host else { return false }
            return names.contains { $0.hasPrefix("*.") ? host.hasSuffix($0.dropFirst()) : host == $0 }
        }
    }

    /// Schemes, in any case and without a colon. Requests reach a rule only if ``SessionOptions/schemes`` has theirs.
    public static func scheme(_ names: String...) -> RequestCondition {
        let names = names.map { $0.asciiLowercased }
        return RequestCondition { asked in
            asked.url.map { names.contains(String(decoding: $0.scheme, as: UTF8.self)) } ?? false
        }
    }

    /// Paths, without query, that one of these patterns matches.
    ///
    /// `/api/*` represents what is directly in `/api`, `/api/**` for all that is below, `*.png` for a last part in any
    /// folder. The path is compared as the canonical URL has it, percent-encoded and case-sensitive.
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

    /// Paths, without query, that one of these patterns matches; see ``path(_:)``. Without patterns the condition never holds.
    public static func path(matching patterns: [GlobPattern]) -> RequestCondition {
        RequestCondition { asked in
            guard let path = asked.url?.path else { return false }
            let isDirectory = path.last == UInt8(ascii: "/")
            let inner = path.first == UInt8(ascii: "/") ? path.dropFirst() : path
            let trimmed = Array(inner.last == UInt8(ascii: "/") ? inner.dropLast() : inner)
            return patterns.contains { $0.matches(trimmed, isDirectory: isDirectory) }
        }
    }

    /// Extensions of the path's last part, without dot and in any case. A dot at the start of a name begins no extension.
    public static func pathExtension(_ extensions: String...) -> RequestCondition {
        let extensions = extensions.map { $0.asciiLowercased }
        return RequestCondition { asked in asked.pathExtension.map(extensions.contains) ?? false }
    }

    /// Requests that are likely to be answered with one of these media types, `image/png` or all of `image/*`.
    ///
    /// The extension of the path tells, or, where it is none that is known, the types that `Accept` wants most (RFC 9110 section 12.5.1);
    /// `*/*` tells nothing.
    ///
    /// - Parameter types: without parameters, in any case.
    public static func mediaType(_ types: String...) -> RequestCondition {
        let types = types.map { $0.asciiLowercased }
        return RequestCondition { asked in
            let expected = asked.expectedMediaTypes
            return expected.contains { type in types.contains { Self.includes($0, type) } }
        }
    }

    private static func includes(_ range: String, _ type: String) -> Bool {
        range == "*/*" || range == type || range.hasSuffix("/*") && type.hasPrefix(range.dropLast())
    }

    /// Methods, case-sensitive as they are (RFC 9110 section 9.1).
    ///
    /// - Parameter methods: in upper case, as the usual ones are.
    public static func method(_ methods: String...) -> RequestCondition {
        RequestCondition { methods.contains($0.method) }
    }

    /// Requests for which a closure holds. It is called from any thread, for each request and each hop of a redirect.
    ///
    /// - Parameter holds: given the request as the rules before have made it.
    public static func `where`(_ holds: @escaping @Sendable (URLRequest) -> Bool) -> RequestCondition {
        RequestCondition { holds($0.request) }
    }

    /// Holds where both conditions hold. The second one is asked only if the first one holds.
    public static func && (left: RequestCondition, right: RequestCondition) -> RequestCondition {
        RequestCondition { left.holds($0) && right.holds($0) }
    }

    /// Holds where at least one of the conditions holds. The second one is asked only if the first one does not hold.
    public static func || (left: RequestCondition, right: RequestCondition) -> RequestCondition {
        RequestCondition { left.holds($0) || right.holds($0) }
    }

    /// Holds where the condition does not: also for URLs that have no canonical form, which the condition cannot look at.
    public static prefix func ! (condition: RequestCondition) -> RequestCondition {
        RequestCondition { !condition.holds($0) }
    }
}

extension CanonicalURL {
    /// A URL that is written in an app's code.
    init(rule text: String) {
        guard let url = try? CanonicalURL(text) else { preconditionFailure("\(text) is no absolute URL") }
        self = url
    }
}
