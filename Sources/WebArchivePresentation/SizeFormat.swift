// SPDX-License-Identifier: Apache-2.0

/// The human-readable formats of sizes and counts.
package enum SizeFormat {
    private static let units = ["KiB", "MiB", "GiB", "TiB"]

    /// Formats bytes as `512 B`, `1.2 MiB`, `123 GiB`: three digits, or four from 1000 to 1023.
    package static func bytes(_ count: UInt64) -> String {
        guard count >= 1024 else { return "\(count) B" }
        var value = Double(count) / 1024
        var unit = 0
        while value >= 1023.5, unit + 1 < units.count {
            value /= 1024
            unit += 1
        }
        return "\(value < 99.95 ? fixed(value, 1) : fixed(value, 0)) \(units[unit])"
    }

    /// Formats a count as `1,234,567`.
    package static func count(_ value: some BinaryInteger) -> String {
        let digits = String(value)
        return digits.indices.reduce(into: "") { result, index in
            let rest = digits.distance(from: index, to: digits.endIndex)
            if rest % 3 == 0, !result.isEmpty, result != "-" { result += "," }
            result.append(digits[index])
        }
    }

    /// Formats a count with its noun: `1 file`, `2 files`.
    package static func count(_ value: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
        "\(count(value)) \(value == 1 ? noun : plural ?? noun + "s")"
    }

    /// Formats a share as `27.3 %` of a whole; `-` of nothing.
    package static func share(_ part: UInt64, of whole: UInt64) -> String {
        whole == 0 ? "-" : "\(fixed(100 * Double(part) / Double(whole), 1)) %"
    }

    /// Formats a duration as `0:07`, `12:34`, `1:02:03`.
    package static func duration(_ seconds: Double) -> String {
        let total = Int(min(max(seconds, 0), 359_999).rounded())
        let (hours, minutes, rest) = (total / 3600, total / 60 % 60, total % 60)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        let scale = digits == 0 ? 1.0 : 10.0
        let scaled = Int64((value * scale).rounded())
        return digits == 0 ? String(scaled) : "\(scaled / 10).\(scaled % 10)"
    }
}
