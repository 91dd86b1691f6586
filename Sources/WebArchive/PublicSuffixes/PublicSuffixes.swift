// SPDX-License-Identifier: Apache-2.0

/// The DNS names below which names of different owners are registered, such as "com" and "co.uk". <https://publicsuffix.org>
///
/// Every name of one label is a public suffix, by the list's rule for names that it does not have.
package struct PublicSuffixes: Sendable {
    /// A label of the tree whose root is that of DNS, by its positions in the text.
    private struct Node {
        let label: Range<Int>
        let below: Range<Int>
    }

    package static let standard = PublicSuffixes(PublicSuffixRules.parts.joined(separator: "\n"))

    /// The rules, of which a lookup reads one top-level domain: building a tree of all takes far longer than many lookups.
    private let text: [UInt8]
    private var domains: [ArraySlice<UInt8>: Range<Int>] = [:]

    private init(_ rules: String) {
        text = Array(rules.utf8)
        var position = 0
        while let node = node(at: &position, before: text.count) { domains[text[node.label]] = node.below }
    }

    /// Reads the label at a position, which moves after it and all labels below it; nil if there is none.
    private func node(at position: inout Int, before end: Int) -> Node? {
        while position < end, Self.isBlank(text[position]) { position += 1 }
        let start = position
        while position < end, !Self.isBlank(text[position]), text[position] != UInt8(ascii: "(") { position += 1 }
        let label = start..<position
        guard position < end, text[position] == UInt8(ascii: "(") else {
            return label.isEmpty ? nil : Node(label: label, below: position..<position)
        }
        var depth = 0
        repeat {
            switch text[position] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            default: break
            }
            position += 1
        } while depth > 0 && position < end
        return Node(label: label, below: label.upperBound + 1..<position - 1)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") }

    /// The rules for one label in a part of the text.
    private struct Rules {
        /// Whether the label itself is a public suffix.
        var isRule = false
        var isException = false
        /// Whether every label is a public suffix.
        var isForAll = false
        var below = 0..<0
    }

    private func rules(for label: some Collection<UInt8>, in range: Range<Int>) -> Rules {
        var rules = Rules()
        var position = range.lowerBound
        while let node = node(at: &position, before: range.upperBound) {
            switch text[node.label.lowerBound] {
            case UInt8(ascii: "*"): rules.isForAll = true
            case UInt8(ascii: "!"):
                if text[node.label].dropFirst().elementsEqual(label) { rules.isException = true }
            case UInt8(ascii: "~"):
                if text[node.label].dropFirst().elementsEqual(label) { rules.below = node.below }
            default:
                if text[node.label].elementsEqual(label) { (rules.isRule, rules.below) = (true, node.below) }
            }
        }
        return rules
    }

    /// Returns whether a name in lower-case ASCII is a public suffix.
    ///
    /// A name with a rule for all names directly below it is one as well.
    package func contains(_ name: String) -> Bool {
        let labels = Self.labels(name)
        guard labels.count > 1 else { return true }
        let rules = rules(for: labels[0], in: range(below: labels.dropFirst()))
        guard !rules.isException else { return false }
        return rules.isRule || rules.isForAll || self.rules(for: [], in: rules.below).isForAll
    }

    /// Returns whether there are public suffixes below a name.
    package func areBelow(_ name: String) -> Bool { !range(below: Self.labels(name)[...]).isEmpty }

    private static func labels(_ name: String) -> [ArraySlice<UInt8>] {
        Array(name.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }

    private func range(below labels: ArraySlice<ArraySlice<UInt8>>) -> Range<Int> {
        guard let domain = labels.last else { return 0..<0 }
        var range = domains[domain] ?? 0..<0
        for label in labels.dropLast().reversed() { range = rules(for: label, in: range).below }
        return range
    }
}
