// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Decodes text that anybody may have written, from a file or a client.
    ///
    /// U+FFFD takes the place of what is not UTF-8, and of every mark beyond 30 in a row: such text is not stream-safe (Unicode Standard
    /// Annex #15, section 13). To compare or to hash it, the standard library sorts each run of marks, in quadratic time.
    package init(untrusted bytes: some Collection<UInt8>) { self = String(decoding: bytes, as: UTF8.self).streamSafe }

    /// The text with U+FFFD in the place of every mark beyond 30 in a row.
    package var streamSafe: String {
        // The first mark, U+0300, begins with this byte.
        guard utf8.contains(where: { $0 >= 0xCC }), hasLongRunOfMarks else { return self }
        var scalars = UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            count = scalar.isReordered ? count + 1 : 0
            if count > Self.mostMarks {
                scalars.append("\u{FFFD}")
                count = 0
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private static var mostMarks: Int { 30 }

    private var hasLongRunOfMarks: Bool {
        var count = 0
        for scalar in unicodeScalars {
            count = scalar.isReordered ? count + 1 : 0
            if count > Self.mostMarks { return true }
        }
        return false
    }
}

extension Unicode.Scalar {
    /// Whether normalisation may move it.
    fileprivate var isReordered: Bool { value >= 0x300 && properties.canonicalCombiningClass != .notReordered }
}
