// SPDX-License-Identifier: Apache-2.0

/// The names of DNS below which names of different owners are registered, such as "com" and "co.uk". <https://publicsuffix.org>
///
/// Every name of one label is a public suffix, by the list's rule for names that it does not have.
package struct PublicSuffixes: Sendable {
    /// A label of the tree whose root is that of DNS.
    private struct Node {
        var isRule: Bool
        var children: [Substring: Node]
    }

    package static let standard = PublicSuffixes(PublicSuffixRules.parts.joined(separator: "\n"))

    private let children: [Substring: Node]

    private init(_ rules: String) {
        var rest = rules[...]
        children = Self.nodes(&rest)
    }

    /// Reads labels up to a closing parenthesis or the end.
    private static func nodes(_ rest: inout Substring) -> [Substring: Node] {
        var nodes: [Substring: Node] = [:]
        while let character = rest.first {
            switch character {
            case " ", "\n":
                rest.removeFirst()
            case ")":
                rest.removeFirst()
                return nodes
            default:
                let label = rest.prefix { !" \n()".contains($0) }
                rest = rest[label.endIndex...]
                var children: [Substring: Node] = [:]
                if rest.first == "(" {
                    rest.removeFirst()
                    children = Self.nodes(&rest)
                }
                let isRule = label.first != "~"
                nodes[isRule ? label : label.dropFirst()] = Node(isRule: isRule, children: children)
            }
        }
        return nodes
    }

    /// Whether a name in lower-case ASCII is a public suffix.
    ///
    /// So is a name for which there is a rule about everything right below it.
    package func contains(_ name: String) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1 else { return true }
        let siblings = nodes(below: labels.dropFirst())
        if siblings["!" + labels[0]] != nil { return false }
        guard let node = siblings[labels[0]] else { return siblings["*"] != nil }
        return node.isRule || node.children["*"] != nil || siblings["*"] != nil
    }

    /// Whether there are public suffixes below a name.
    package func areBelow(_ name: String) -> Bool {
        !nodes(below: name.split(separator: ".", omittingEmptySubsequences: false)[...]).isEmpty
    }

    private func nodes(below labels: ArraySlice<Substring>) -> [Substring: Node] {
        var nodes = children
        for label in labels.reversed() { nodes = nodes[label]?.children ?? [:] }
        return nodes
    }
}
