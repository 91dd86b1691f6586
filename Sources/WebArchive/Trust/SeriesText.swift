// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The form of a series' name in files of lines: a word of visible bytes for any name. Specification section 13.4.
package enum SeriesText {
    /// The bytes up to 0x20, `%` and 0x7F, which are written as triplets.
    private static let encodedBytes = ASCIISet(low: 0x0000_0021_FFFF_FFFF, high: 0x8000_0000_0000_0000)

    /// Returns the word of a name.
    package static func encoded(_ series: String) -> String {
        var text: [UInt8] = []
        PercentEncoding.appendEncoded(Array(series.utf8)[...], only: encodedBytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a name; nil for bytes that are no word, and for no name.
    package static func decoded(_ text: [UInt8]) -> String? {
        let text = text[...]
        var (bytes, index) = ([UInt8](), 0)
        while index < text.endIndex {
            if let octet = PercentEncoding.octet(in: text, at: index) {
                bytes.append(octet)
                index += 3
            } else if encodedBytes.contains(text[index]) {
                return nil
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }
}
