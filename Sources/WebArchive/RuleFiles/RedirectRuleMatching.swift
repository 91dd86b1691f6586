// SPDX-License-Identifier: Apache-2.0

extension RedirectRule {
    /// Matches a request; see ``target(forPath:query:host:)``.
    func target(for request: RuleRequest, query: String?) -> String? {
        guard var captures = compiled.match(request) else { return nil }
        let query = query ?? ""
        guard query.utf8.count <= RuleRequest.pathLimit else { return nil }
        if !queryParameters.isEmpty {
            guard let found = queryCaptures(query) else { return nil }
            captures += found
        }
        if !conditions.isEmpty {
            guard let client = request.client else { return nil }
            client.isAskedAbout = true
            guard conditions.allSatisfy({ $0.holds(for: client) }) else { return nil }
        }
        let template = RuleTemplate(text: Array(target.utf8))
        guard let filled = template.filled(with: captures, request.effort) else { return nil }
        var result = RuleURLText.normalized(filled)
        if hasLocalTarget {
            // Browsers take // and /\ at the start for the beginning of a host (WHATWG URL, path state).
            let rest = result.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            result = [UInt8(ascii: "/")] + rest
        }
        if effect == .redirect || (effect == .rewrite && !hasLocalTarget) {
            Self.add(query, to: &result)
        }
        guard result.count <= RuleTemplate.resultLimit else { return nil }
        return String(untrusted: result)
    }

    /// The values of the query parameters' placeholders; nil unless the request has exactly the
    /// rule's parameters (Netlify, "Redirect options", Query parameters).
    private func queryCaptures(_ query: String) -> RuleCaptures? {
        // One more than the rule has is enough to know that they differ.
        let pairs = query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: queryParameters.count)
        guard pairs.count == queryParameters.count else { return nil }
        var values: [[UInt8]: [UInt8]] = [:]
        for pair in pairs {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let value = pair.dropFirst(name.count + 1)
            values[RuleURLText.normalized(name)] = Array(value)
        }
        var captures: RuleCaptures = []
        for parameter in queryParameters {
            guard let value = values[RuleURLText.normalized(parameter.name.utf8)] else { return nil }
            switch parameter.value {
            case .literal(let literal):
                guard RuleURLText.normalized(literal.utf8) == RuleURLText.normalized(value) else { return nil }
            case .placeholder(let name):
                captures.append((Array(name.utf8), Self.pathText(value)))
            }
        }
        return captures
    }

    /// A query's value as text of a path: `+` is a blank in the one and itself in the other.
    private static func pathText(_ value: [UInt8]) -> [UInt8] {
        let blanks = value.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        return RuleURLText.normalized(blanks, alsoEncoding: [UInt8(ascii: "?"), UInt8(ascii: "#")])
    }

    private static func add(_ query: String, to target: inout [UInt8]) {
        guard !query.isEmpty else { return }
        let fragment = target.firstIndex(of: UInt8(ascii: "#")) ?? target.endIndex
        guard !target[..<fragment].contains(UInt8(ascii: "?")) else { return }
        let encoded = RuleURLText.normalized(query.utf8, alsoEncoding: [UInt8(ascii: "#")])
        target.insert(contentsOf: [UInt8(ascii: "?")] + encoded, at: fragment)
    }
}
