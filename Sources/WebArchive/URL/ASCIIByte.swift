// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    /// Returns the byte of an ASCII literal, for comparisons that read like the grammar.
    @inline(__always)
    package static func ascii(_ scalar: Unicode.Scalar) -> UInt8 {
        UInt8(truncatingIfNeeded: scalar.value)
    }

    /// Whether the byte is a letter of either case (RFC 5234 appendix B.1, ALPHA).
    package var isASCIILetter: Bool {
        let folded = self | 0x20
        return folded >= .ascii("a") && folded <= .ascii("z")
    }

    /// Whether the byte is a decimal digit (RFC 5234 appendix B.1, DIGIT).
    package var isASCIIDigit: Bool {
        self >= .ascii("0") && self <= .ascii("9")
    }

    /// The byte with A to Z mapped to a to z; any other byte unchanged.
    package var lowercasedASCII: UInt8 {
        self >= .ascii("A") && self <= .ascii("Z") ? self | 0x20 : self
    }
}

extension Collection<UInt8> {
    /// Compares two texts without regard to the case of ASCII letters.
    package func equalsIgnoringASCIICase(_ other: some Collection<UInt8>) -> Bool {
        count == other.count && elementsEqual(other) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}
