// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// The form of times in an index of WARC files: `20200131123456`.
enum IndexTime {
    /// Formats a time, rounded down to seconds.
    static func text(_ time: ArchiveTime) -> String { Timestamp.text(time).filter { ("0"..."9").contains($0) } }

    /// Reads nanoseconds since 1970; nil for other texts.
    static func nanoseconds(_ text: String) -> Int64? {
        let digits = Array(text.utf8)
        guard digits.count == 14, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        return Timestamp.nanoseconds(
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z")
    }
}
