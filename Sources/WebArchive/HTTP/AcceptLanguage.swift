// SPDX-License-Identifier: Apache-2.0

/// The languages that a client prefers: the value of its `Accept-Language` fields (RFC 9110 section 12.5.4).
///
/// The first 50 ranges count.
package struct AcceptLanguage {
    private struct Range {
        /// The tag in lower case; `*` for any language.
        let tag: String
        /// The weight in thousandths.
        let weight: Int
    }

    private let weighted: [Range]

    /// The maximum number of ranges.
    private static let maximumRangeCount = 50

    /// Reads the fields of a request. It skips a part that is not a language range.
    ///
    /// - Parameter values: the values of all `Accept-Language` fields of a request.
    package init(_ values: [String]) {
        let most = Self.maximumRangeCount
        let parts = values.flatMap { $0.split(separator: ",", maxSplits: most).prefix(most) }
        weighted = parts.prefix(most).compactMap { part in
            let words = part.split(separator: ";", maxSplits: 1).map { $0.trimmingOptionalWhitespace }
            guard let tag = words.first.map({ String($0).asciiLowercased }), Self.isRange(tag) else { return nil }
            guard words.count > 1 else { return Range(tag: tag, weight: 1000) }
            return QualityValue.thousandths(words[1]).map { Range(tag: tag, weight: $0) }
        }
    }

    /// The ranges that the client accepts, by weight, then in its own order; without `*`. In lower case.
    package var ranges: [String] { wanted.filter { $0 != "*" } }

    /// The range of the largest weight, in lower case; nil if the client names none.
    package var preferred: String? { ranges.first }

    private var wanted: [String] {
        weighted.enumerated().filter { $0.element.weight > 0 }
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element.tag)
    }

    private static func isRange(_ text: String) -> Bool {
        text == "*"
            || (1...100).contains(text.utf8.count)
                && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    /// Chooses the available language that the client prefers: by weight, then in the client's order.
    ///
    /// A range is looked up with fewer and fewer subtags (RFC 4647 section 3.4), and so is each language: `zh-CN`
    /// selects `zh-Hans`.
    ///
    /// - Parameter tags: the available languages, in order of preference.
    /// - Returns: the index of the language in `tags`; nil if the client accepts none of them.
    package func choice(among tags: [String]) -> Int? {
        let refused = Set(weighted.filter { $0.weight == 0 }.map(\.tag))
        let offered = tags.map(\.asciiLowercased)
        for range in wanted {
            if range == "*" {
                if let first = offered.firstIndex(where: { !Self.prefixes($0).contains(where: refused.contains) }) {
                    return first
                }
                continue
            }
            for prefix in Self.prefixes(range) {
                if let found = offered.firstIndex(where: { Self.prefixes($0).contains(prefix) && !refused.contains($0) }
                ) {
                    return found
                }
            }
        }
        return nil
    }

    /// Returns the tag, and the tag without its last subtags, the longest first.
    private static func prefixes(_ tag: String) -> [String] {
        let parts = tag.split(separator: "-")
        return (0..<parts.count).map { parts.dropLast($0).joined(separator: "-") }
    }
}
