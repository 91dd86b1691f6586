// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The directives of `Cache-Control` in a request or a response. RFC 9111 section 5.2, RFC 8246, RFC 5861.
///
/// Read as a recipient is told to: names in any case, arguments quoted or not, unknown directives passed over. Of
/// directives that come twice or contradict each other the most restrictive counts, and an argument that cannot be read
/// is the most restrictive there is (section 4.2.1). `s-maxage`, `proxy-revalidate` and `private` speak to shared
/// caches and mean nothing here, but that `private` allows storing.
struct CacheDirectives: Equatable {
    var isNoStore = false
    /// Not to be used without validation; in a request, this response is not to be.
    var isNoCache = false
    /// Fields of a response that are not to be used without validation (section 5.2.2.4); lower case.
    var noCacheFields: Set<String> = []
    var maxAge: Duration?
    /// How stale a request allows a response to be: ``Duration/longestDelta`` for any.
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

    /// Those of a request, where `Pragma: no-cache` counts in the absence of `Cache-Control` (section 5.4).
    init(request fields: HeaderFields) {
        self.init(fields)
        if fields["Cache-Control"] == nil, let pragma = fields["Pragma"] {
            isNoCache = CacheDirectiveList(pragma).contains { $0.name == "no-cache" }
        }
    }

    /// Reads one directive. Of two values the stricter one counts; one that cannot be read counts as zero, or for `min-fresh` as the
    /// longest there is.
    private mutating func read(_ directive: CacheDirectiveList.Directive) {
        let argument = directive.argument
        switch directive.name {
        case "no-store": isNoStore = true
        case "no-cache": readNoCache(argument)
        case "max-age": Self.lower(&maxAge, to: .delta(argument) ?? .zero)
        case "max-stale": Self.lower(&maxStale, to: argument == nil ? .longestDelta : .delta(argument) ?? .zero)
        case "min-fresh": minFresh = max(minFresh ?? .zero, .delta(argument) ?? .longestDelta)
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

    /// Reads `no-cache`: with names it is about these fields alone (section 5.2.2.4).
    private mutating func readNoCache(_ argument: String?) {
        let names = (argument ?? "").split(separator: ",").map { $0.trimmingOptionalWhitespace.asciiLowercased }
        let fields = names.filter { !$0.isEmpty }
        if fields.isEmpty { isNoCache = true } else { noCacheFields.formUnion(fields) }
    }

    private static func lower(_ limit: inout Duration?, to value: Duration) { limit = min(limit ?? value, value) }
}

extension Duration {
    /// 2^31 seconds, which represents all that is longer, or does not fit. RFC 9111 section 1.2.2.
    static let longestDelta = Duration.seconds(1 << 31 as Int64)

    /// The value of delta-seconds; nil for what is none.
    static func delta(_ text: String?) -> Duration? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(.seconds(Int64(text) ?? .max), .longestDelta)
    }

    /// Whole seconds, the rest dropped.
    var wholeSeconds: Int { Int(clamping: components.seconds) }
}
