// SPDX-License-Identifier: Apache-2.0

/// The value of a `Content-Range` field in bytes. RFC 9110 section 14.4.
package struct ContentRangeField: Equatable, Sendable {
    /// The range of the content, in bytes; nil in the response to a range that is outside.
    package let range: Range<UInt64>?
    /// The complete length, in bytes; nil if the server does not know it.
    package let completeLength: UInt64?

    /// Reads a field's value, such as `bytes 0-499/1234`.
    ///
    /// Nil for a different unit, and for a value that is malformed or contradicts itself.
    package init?(_ value: String) {
        let parts = value.trimmingOptionalWhitespace.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].asciiLowercased == "bytes" else { return nil }
        let values = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard values.count == 2 else { return nil }
        completeLength = Self.number(values[1])
        guard completeLength != nil || values[1] == "*" else { return nil }
        if values[0] == "*" {
            guard completeLength != nil else { return nil }
            range = nil
            return
        }
        let ends = values[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < completeLength ?? .max
        else {
            return nil
        }
        range = first..<last + 1
    }

    private static func number(_ text: Substring) -> UInt64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text) : nil
    }
}
