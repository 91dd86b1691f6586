// SPDX-License-Identifier: Apache-2.0

/// The rules of a `_redirects` file by the paths that they match: sites have static rules by the ten thousand, and each is looked up
/// for each file.
struct RedirectRuleIndex: Sendable {
    /// The positions of rules for one path by their paths, ascending.
    private var byPath: [[UInt8]: [Int]] = [:]
    /// The positions of all other rules, ascending.
    private var others: [Int] = []

    /// Creates an index of rules, whose positions are those in this list.
    init(_ rules: [RedirectRule]) {
        for (position, rule) in rules.enumerated() {
            if rule.compiled.isLiteralPath, let path = rule.compiled.literalPath {
                byPath[path, default: []].append(position)
            } else {
                others.append(position)
            }
        }
    }

    /// Calls `work` with the positions of the rules that can match, ascending, until it returns a value.
    func first<Found>(for request: RuleRequest, _ work: (Int) -> Found?) -> Found? {
        var fixed = byPath[request.path] ?? []
        if let other = request.otherPath.flatMap({ byPath[$0] }) { fixed = (fixed + other).sorted() }
        var next = 0
        for position in others {
            while next < fixed.count, fixed[next] < position {
                if let value = work(fixed[next]) { return value }
                next += 1
            }
            if let value = work(position) { return value }
        }
        for position in fixed[next...] {
            if let value = work(position) { return value }
        }
        return nil
    }
}
