// SPDX-License-Identifier: Apache-2.0

/// A header value or redirect target in which `:splat` and `:placeholder` represent captured text.
package struct RuleTemplate: Sendable, Hashable {
    /// The maximum length of a result, in bytes.
    package static let resultLimit = 65_536

    /// The text with its placeholders.
    let text: [UInt8]

    /// Creates a template; every text is valid.
    package init(text: [UInt8]) { self.text = text }

    /// Fills in captures; nil if the result is over the limit.
    ///
    /// The longest captured name counts where several fit, and a name that was not captured stays as
    /// it is. Captured text is not searched again.
    package func filled(with captures: RuleCaptures, _ effort: RuleEffort? = nil) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = text[...]
        var steps = text.count / 16
        // A name is compared with all captures, and the filled text is percent-encoded again.
        defer { effort?.take(steps + result.count / 4) }
        while let byte = rest.first {
            rest = rest.dropFirst()
            if byte == UInt8(ascii: ":"), let capture = Self.capture(named: rest, in: captures) {
                result += capture.value
                steps += captures.count
                rest = rest.dropFirst(capture.name.count)
            } else {
                result.append(byte)
            }
            if result.count > Self.resultLimit { return nil }
        }
        return result
    }

    private static func capture(
        named rest: ArraySlice<UInt8>, in captures: RuleCaptures
    ) -> (name: [UInt8], value: [UInt8])? {
        guard !captures.isEmpty else { return nil }
        let name = rest.prefix(RulePattern.nameLength(rest))
        var best: (name: [UInt8], value: [UInt8])?
        for capture in captures where name.starts(with: capture.name) {
            if capture.name.count > best?.name.count ?? 0 { best = capture }
        }
        return best
    }
}
