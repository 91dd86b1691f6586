// SPDX-License-Identifier: Apache-2.0

/// The value of a `Range` field in bytes. RFC 9110 section 14.
package struct RangeField {
    /// A range of a field, as written (RFC 9110 section 14.1.1).
    package enum Spec: Equatable, Sendable {
        /// The bytes from a position on: `500-`.
        case from(UInt64)
        /// The bytes between two positions, both included: `0-499`.
        case fromTo(UInt64, UInt64)
        /// The last bytes: `-500`.
        case suffix(UInt64)
    }

    /// The ranges in the order of the field, 1 to 64.
    package let specs: [Spec]

    /// The maximum number of ranges; a field with more is ignored (section 14.2).
    package static let maximumCount = 64

    /// Reads a field's value, such as `bytes=0-499, -500`. Nil if the field must be ignored: a different unit, or
    /// malformed.
    package init?(_ value: String) {
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].trimmingOptionalWhitespace.asciiLowercased == "bytes" else { return nil }
        var specs: [Spec] = []
        for text in parts[1].split(separator: ",", maxSplits: Self.maximumCount) {
            let text = text.trimmingOptionalWhitespace
            if text.isEmpty { continue }
            guard let spec = Self.spec(text) else { return nil }
            specs.append(spec)
        }
        guard !specs.isEmpty, specs.count <= Self.maximumCount else { return nil }
        self.specs = specs
    }

    private static func spec(_ text: Substring) -> Spec? {
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (ends[0].isEmpty, ends[1].isEmpty) {
        case (true, false): return number(ends[1]).map { .suffix($0) }
        case (false, true): return number(ends[0]).map { .from($0) }
        case (false, false):
            guard let first = number(ends[0]), let last = number(ends[1]), first <= last else { return nil }
            return .fromTo(first, last)
        case (true, true): return nil
        }
    }

    /// Reads digits; a number beyond all lengths counts as the greatest.
    private static func number(_ text: Substring) -> UInt64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(text) ?? .max
    }

    /// Returns the ranges inside a representation; overlapping ones are merged.
    ///
    /// - Parameter length: the length of the representation, in bytes.
    /// - Returns: the ranges, in the order of the field where they do not overlap; none if it has no satisfiable one.
    package func ranges(in length: UInt64) -> [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        for spec in specs {
            guard let range = Self.range(spec, length) else { continue }
            var merged = range
            // The ranges that it overlaps may have been separate until now.
            while let other = ranges.firstIndex(where: { $0.overlaps(merged) }) {
                let old = ranges.remove(at: other)
                merged = min(old.lowerBound, merged.lowerBound)..<max(old.upperBound, merged.upperBound)
            }
            ranges.append(merged)
        }
        return ranges
    }

    private static func range(_ spec: Spec, _ length: UInt64) -> Range<UInt64>? {
        switch spec {
        case .from(let first): first < length ? first..<length : nil
        case .fromTo(let first, let last): first < length ? first..<(min(last, length - 1) + 1) : nil
        case .suffix(let count): count > 0 && length > 0 ? (length - min(count, length))..<length : nil
        }
    }
}
