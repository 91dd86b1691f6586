// SPDX-License-Identifier: Apache-2.0

/// The query of a request in the form in which rules compare it, parsed once for all of them.
final class RuleQuery {
    /// The original query without `?`.
    let text: String

    init(_ text: String) { self.text = text }

    /// The maximum number of parameters of a rule.
    private static let maximumParameterCount = 256

    /// The number of parameters; one more than the limit represents any larger number.
    private(set) lazy var count = pairs.count

    /// The values by normalised names; of several the last.
    private(set) lazy var values: [[UInt8]: [UInt8]] = {
        var values: [[UInt8]: [UInt8]] = [:]
        guard pairs.count <= Self.maximumParameterCount else { return values }
        for pair in pairs {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            values[RuleURLText.normalized(name)] = Array(pair.dropFirst(name.count + 1))
        }
        return values
    }()

    /// The normalised query, for a target that passes it on.
    private(set) lazy var forTarget = RuleURLText.normalized(text.utf8, alsoEncoding: [UInt8(ascii: "#")])

    private lazy var pairs: [Substring.UTF8View.SubSequence] = Array(
        text.utf8[...].split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumParameterCount + 1))
}
