// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The directives of `Cache-Control` in a request or a response. RFC 9111 section 5.2, RFC 8246, RFC 5861.
///
/// They are read as by any recipient: names in any case, arguments quoted or not, unknown directives ignored. Of
/// duplicate or contradictory directives the most restrictive counts, and an unreadable argument
/// is the most restrictive of all (section 4.2.1). `s-maxage`, `proxy-revalidate` and `private` are for shared
/// caches and have no effect here, except that `private` allows storing.
struct CacheDirectives: Equatable {
    var isNoStore = false
    /// Whether the response must be validated before use; in a request, whether this response must be.
    var isNoCache = false
    /// The fields of a response that must be validated before use (section 5.2.2.4); lower case.
    var noCacheFields: Set<String> = []
    var maxAge: Duration?
    /// The maximum staleness that a request allows: ``Duration/maximumDelta`` for any.
    var maxStale: Duration?
    var minFresh: Duration?
    var isOnlyIfCached = false
    var mustRevalidate = false
    var mustUnderstand = false
    var isPublic = false
    var isPrivate = false
    var isImmutable = false
    var staleWhileRevalidate: Duration?
    var staleIfError: Duration?

    init(_ fields: HeaderFields) {
        for directive in CacheDirectiveList(fields["Cache-Control"] ?? "") { read(directive) }
    }

    /// Reads the directives of a request, where `Pragma: no-cache` counts in the absence of `Cache-Control` (section 5.4).
    init(request fields: HeaderFields) {
        self.init(fields)
        if fields["Cache-Control"] == nil, let pragma = fields["Pragma"] {
            isNoCache = CacheDirectiveList(pragma).contains { $0.name == "no-cache" }
        }
    }

    /// Reads one directive. Of two values the stricter one counts; an unreadable one counts as zero, or for `min-fresh` as the
    /// maximum.
    private mutating func read(_ directive: CacheDirectiveList.Directive) {
        let argument = directive.argument
        switch directive.name {
        case "no-store": isNoStore = true
        case "no-cache": readNoCache(argument)
        case "max-age": Self.lower(&maxAge, to: .delta(argument) ?? .zero)
        case "max-stale": Self.lower(&maxStale, to: argument == nil ? .maximumDelta : .delta(argument) ?? .zero)
        case "min-fresh": minFresh = max(minFresh ?? .zero, .delta(argument) ?? .maximumDelta)
        case "only-if-cached": isOnlyIfCached = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "immutable": isImmutable = true
        case "stale-while-revalidate": Self.lower(&staleWhileRevalidate, to: .delta(argument) ?? .zero)
        case "stale-if-error": Self.lower(&staleIfError, to: .delta(argument) ?? .zero)
        default: break
        }
    }

    /// Reads `no-cache`: with names it applies only to these fields (section 5.2.2.4).
    private mutating func readNoCache(_ argument: String?) {
        let names = (argument ?? "").split(separator: ",").map { $0.trimmingOptionalWhitespace.asciiLowercased }
        let fields = names.filter { !$0.isEmpty }
        if fields.isEmpty { isNoCache = true } else { noCacheFields.formUnion(fields) }
    }

    private static func lower(_ limit: inout Duration?, to value: Duration) { limit = min(limit ?? value, value) }
}

extension Duration {
    /// The maximum, 2^31 seconds, which represents all longer durations. RFC 9111 section 1.2.2.
    static let maximumDelta = Duration.seconds(1 << 31 as Int64)

    /// Returns the value of delta-seconds; nil for any other text.
    static func delta(_ text: String?) -> Duration? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(.seconds(Int64(text) ?? .max), .maximumDelta)
    }

    /// The whole seconds, rounded towards zero.
    var wholeSeconds: Int { Int(clamping: components.seconds) }
}
