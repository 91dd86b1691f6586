// SPDX-License-Identifier: Apache-2.0

/// A weight in a field such as `Accept-Language` or `Accept-Encoding`. RFC 9110 section 12.4.2.
package enum QualityValue {
    /// Reads the weight of a parameter `q=…`, in thousandths, 0 to 1000; nil for a different parameter, and for a
    /// malformed weight.
    package static func thousandths(_ parameter: some StringProtocol) -> Int? {
        let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["q", "Q"].contains(parts[0]) else { return nil }
        let digits = parts[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = digits.first, ["0", "1"].contains(whole) else { return nil }
        let fraction = digits.count > 1 ? String(digits[1]) : ""
        guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let thousandths = Int((fraction + "000").prefix(3)) ?? 0
        if whole == "1" { return thousandths == 0 ? 1000 : nil }
        return thousandths
    }
}
