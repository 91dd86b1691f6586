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
            let name = byte == UInt8(ascii: ":") ? rest.prefix(RulePattern.nameLength(rest)) : []
            if !name.isEmpty { steps += captures.count + name.count / 16 }
            if let capture = Self.capture(named: name, in: captures) {
                result += capture.value
                rest = rest.dropFirst(capture.name.count)
            } else {
                result.append(byte)
            }
            if result.count > Self.resultLimit { return nil }
        }
        return result
    }

    private static func capture(
        named name: ArraySlice<UInt8>, in captures: RuleCaptures
    ) -> (name: [UInt8], value: [UInt8])? {
        guard !name.isEmpty else { return nil }
        var best: (name: [UInt8], value: [UInt8])?
        for capture in captures where name.starts(with: capture.name) {
            if capture.name.count > best?.name.count ?? 0 { best = capture }
        }
        return best
    }
}
