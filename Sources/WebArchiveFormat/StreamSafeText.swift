// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Decodes untrusted text, from a file or a client.
    ///
    /// U+FFFD replaces bytes that are not UTF-8, and every mark beyond 30 in a row: such text is not stream-safe (Unicode Standard
    /// Annex #15, section 13). To compare or to hash it, the standard library sorts each run of marks, in quadratic time.
    package init(untrusted bytes: some Collection<UInt8>) { self = String(decoding: bytes, as: UTF8.self).streamSafe }

    /// The text with U+FFFD in place of every mark beyond 30 in a row.
    package var streamSafe: String {
        // The first mark, U+0300, begins with this byte.
        guard utf8.contains(where: { $0 >= 0xCC }) else { return self }
        var safe = ""
        // Scalars behind this are the same in both.
        var copied = startIndex
        var count = 0
        for place in unicodeScalars.indices {
            let marks = unicodeScalars[place].markCount
            count = marks > 0 ? count + marks : 0
            guard count > Self.maximumMarkCount else { continue }
            safe.unicodeScalars.append(contentsOf: unicodeScalars[copied..<place])
            safe.unicodeScalars.append("\u{FFFD}")
            copied = unicodeScalars.index(after: place)
            count = 0
        }
        guard copied > startIndex else { return self }
        safe.unicodeScalars.append(contentsOf: unicodeScalars[copied...])
        return safe
    }

    private static var maximumMarkCount: Int { 30 }
}

extension Unicode.Scalar {
    /// The number of marks that normalisation may move, once it has decomposed this; 0 if it begins with none.
    fileprivate var markCount: Int {
        switch value {
        case ..<0x300: 0
        // Most text beyond: without marks, and looking each up would take long. CJK; Hangul, private use, compatibility forms; U+FFFD; emoji.
        case 0x3100..<0xA66F, 0xAC00..<0xFB1E, 0xFE30..<0x101FD, 0x1F000..<0x1FB00, 0x20000..<0x30000: 0
        // These have class 0, and are two marks each.
        case 0x0F73, 0x0F75, 0x0F81: 2
        // So is this, which has a class.
        case 0x0344: 2
        default: properties.canonicalCombiningClass == .notReordered ? 0 : 1
        }
    }
}
