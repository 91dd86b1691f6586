// SPDX-License-Identifier: Apache-2.0

/// The languages that a client accepts. RFC 9110 section 12.5.4.
package struct AcceptLanguage {
    /// Language ranges in lower case, that of the largest weight first; those of weight 0 are left out, and so is `*`.
    package let ranges: [String]

    /// Ranges that are read.
    private static let limit = 32

    /// - Parameter values: of all `Accept-Language` fields of a request.
    package init(_ values: [String]) {
        var found: [(range: String, weight: Int)] = []
        for item in values.lazy.flatMap({ $0.split(separator: ",") }).prefix(Self.limit) {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.asciiLowercased }
            guard let range = parts.first, Self.isTag(range) else { continue }
            let weight =
                parts.dropFirst().first { $0.hasPrefix("q=") }.map { Self.thousandths($0.dropFirst(2)) } ?? 1000
            if weight > 0 { found.append((range, weight)) }
        }
        // Stable: of equal weights the first one stays first.
        ranges = found.enumerated().sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
            .map(\.element.range)
    }

    /// The range of the largest weight.
    package var preferred: String? { ranges.first }

    private static func isTag(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
            }
    }

    /// A weight (RFC 9110 section 12.4.2) in thousandths; one that is malformed counts as 0.
    private static func thousandths(_ text: Substring) -> Int {
        let digits = Array(text.utf8)
        guard let first = digits.first, first == UInt8(ascii: "0") || first == UInt8(ascii: "1"), digits.count <= 5,
            digits.count < 2 || digits[1] == UInt8(ascii: "."),
            digits.dropFirst(2).allSatisfy({ (0x30...0x39).contains($0) })
        else { return 0 }
        var value = Int(first - 0x30) * 1000
        for (place, digit) in zip([100, 10, 1], digits.dropFirst(2)) { value += place * Int(digit - 0x30) }
        return min(value, 1000)
    }
}
