// SPDX-License-Identifier: Apache-2.0

extension RedirectRule {
    /// Matches a request; see ``target(forPath:query:host:client:)``.
    ///
    /// - Returns: nil if the rule does not match, or the result is over a limit.
    func target(for request: RuleRequest) -> String? {
        guard var captures = compiled.match(request), request.query.text.utf8.count <= RuleRequest.pathLimit else {
            return nil
        }
        if !queryParameters.isEmpty {
            guard let found = queryCaptures(request) else { return nil }
            captures += found
        }
        if !conditions.isEmpty {
            guard let client = request.client else { return nil }
            client.isAskedAbout = true
            request.effort?.take(conditions.reduce(0) { $0 + $1.valueCount } / 4)
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
        // In a circle: hosts pass over such a rule.
        if effect == .redirect, result == request.path { return nil }
        if effect == .redirect || (effect == .rewrite && !hasLocalTarget) {
            Self.add(request.query, to: &result)
        }
        guard result.count <= RuleTemplate.resultLimit else { return nil }
        return String(untrusted: result)
    }

    /// Returns the values of the query parameters' placeholders; nil unless the request has exactly the
    /// rule's parameters (Netlify, "Redirect options", Query parameters).
    private func queryCaptures(_ request: RuleRequest) -> RuleCaptures? {
        guard request.query.count == queryParameters.count else { return nil }
        var captures: RuleCaptures = []
        for parameter in queryParameters {
            request.effort?.take(2 + parameter.name.utf8.count / 8)
            guard let value = request.query.values[RuleURLText.normalized(parameter.name.utf8)] else { return nil }
            request.effort?.take(value.count / 4)
            switch parameter.value {
            case .literal(let literal):
                guard RuleURLText.normalized(literal.utf8) == RuleURLText.normalized(value) else { return nil }
            case .placeholder(let name):
                captures.append((Array(name.utf8), Self.pathText(value)))
            }
        }
        return captures
    }

    /// Converts a query's value to text of a path: `+` is a blank in the one and itself in the other.
    private static func pathText(_ value: [UInt8]) -> [UInt8] {
        let blanks = value.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }
        return RuleURLText.normalized(blanks, alsoEncoding: [UInt8(ascii: "?"), UInt8(ascii: "#")])
    }

    private static func add(_ query: RuleQuery, to target: inout [UInt8]) {
        guard !query.text.isEmpty else { return }
        let fragment = target.firstIndex(of: UInt8(ascii: "#")) ?? target.endIndex
        guard !target[..<fragment].contains(UInt8(ascii: "?")) else { return }
        target.insert(contentsOf: [UInt8(ascii: "?")] + query.forTarget, at: fragment)
    }
}
