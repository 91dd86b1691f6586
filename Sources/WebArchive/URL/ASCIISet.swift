// SPDX-License-Identifier: Apache-2.0

/// A set of ASCII bytes as two 64-bit masks: membership costs a shift and a mask, and no table is built at run time.
package struct ASCIISet: Sendable {
    private let low: UInt64
    private let high: UInt64

    /// Creates a set of the bytes whose bits are set: 0 to 63 in the first mask, 64 to 127 in the second.
    package init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Returns whether a byte is in the set; one that is not ASCII never is.
    package func contains(_ byte: UInt8) -> Bool {
        let mask = byte & 0x40 == 0 ? low : high
        return byte < 0x80 && mask & (1 &<< UInt64(byte & 0x3F)) != 0
    }
}

extension ASCIISet {
    /// The unreserved characters (RFC 3986 section 2.3): ALPHA / DIGIT / "-" / "." / "_" / "~".
    package static var unreserved: ASCIISet { ASCIISet(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    /// The characters of a path segment (RFC 3986 section 3.3, `pchar` without `pct-encoded`): unreserved / sub-delims
    /// / ":" / "@".
    package static var pathCharacter: ASCIISet { ASCIISet(low: 0x2FFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF) }

    /// The reserved characters (RFC 3986 section 2.2) that a path may contain unencoded or as triplets: sub-delims / ":" / "@".
    static var reservedInPaths: ASCIISet { ASCIISet(low: 0x2C00_1FD2_0000_0000, high: 0x0000_0000_0000_0001) }

    /// The characters that represent themselves in the canonical form: 0x21 to 0x7E without `%` and `#` and
    /// without the bytes that are always encoded (`"` `<` `>` `[` `\` `]` `^` `` ` `` `{` `|` `}`).
    package static var urlText: ASCIISet { ASCIISet(low: 0xAFFF_FFD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF) }

    /// The forbidden domain code points of the URL standard without "%": its forbidden host code points and all
    /// controls.
    static var forbiddenHost: ASCIISet { ASCIISet(low: 0xD400_8009_FFFF_FFFF, high: 0x9000_0000_7800_0001) }

    /// The characters of a scheme after its first (RFC 3986 section 3.1): ALPHA / DIGIT / "+" / "-" / ".".
    static var schemeTail: ASCIISet { ASCIISet(low: 0x03FF_6800_0000_0000, high: 0x07FF_FFFE_07FF_FFFE) }

    /// The characters between the brackets of an IP literal (RFC 3986 section 3.2.2): unreserved / sub-delims / ":".
    static var literalHost: ASCIISet { ASCIISet(low: 0x2FFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }

    /// The characters of common host names: lower-case letters, digits, "-", ".", "_".
    package static var simpleHost: ASCIISet { ASCIISet(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_8000_0000) }
}
