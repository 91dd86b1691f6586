// SPDX-License-Identifier: Apache-2.0

/// The percent-encoding (RFC 3986 section 2.1) of bytes.
package enum PercentEncoding {
    /// Appends `source` percent-normalised (RFC 3986 section 6.2.2): triplets of unreserved characters decoded, other
    /// triplets with upper-case hexadecimals, a stray "%" as "%25", and bytes that a URL cannot contain encoded.
    package static func appendNormalized(_ source: ArraySlice<UInt8>, to out: inout [UInt8]) {
        var run = source.startIndex
        var index = run
        while index < source.endIndex {
            let byte = source[index]
            if ASCIISet.urlText.contains(byte) {
                index += 1
                continue
            }
            out.append(contentsOf: source[run..<index])
            if let octet = octet(in: source, at: index) {
                // Decoding at most once and never rescanning keeps "%2541" from becoming "A".
                if ASCIISet.unreserved.contains(octet) {
                    out.append(octet)
                } else {
                    appendTriplet(octet, to: &out)
                }
                index += 3
            } else {
                appendTriplet(byte, to: &out)
                index += 1
            }
            run = index
        }
        out.append(contentsOf: source[run...])
    }

    /// Returns whether ``appendNormalized(_:to:)`` would not change `source`. It takes no memory.
    package static func isNormalized(_ source: ArraySlice<UInt8>) -> Bool {
        var index = source.startIndex
        while index < source.endIndex {
            if ASCIISet.urlText.contains(source[index]) {
                index += 1
            } else if isNormalizedTriplet(in: source, at: index) {
                index += 3
            } else {
                return false
            }
        }
        return true
    }

    /// Returns whether a triplet with upper-case hexadecimals, of an octet that is not unreserved, begins at `index`.
    static func isNormalizedTriplet(in source: ArraySlice<UInt8>, at index: Int) -> Bool {
        guard let octet = octet(in: source, at: index), !ASCIISet.unreserved.contains(octet) else { return false }
        return source[index + 1] < .ascii("a") && source[index + 2] < .ascii("a")
    }

    /// Appends `source` with each triplet decoded and everything else unchanged.
    package static func appendDecoded(_ source: ArraySlice<UInt8>, to out: inout [UInt8]) {
        var index = source.startIndex
        while index < source.endIndex {
            if let octet = octet(in: source, at: index) {
                out.append(octet)
                index += 3
            } else {
                out.append(source[index])
                index += 1
            }
        }
    }

    /// Appends `source` with each triplet of an octet of `set` decoded and everything else unchanged.
    static func appendDecoded(_ source: ArraySlice<UInt8>, only set: ASCIISet, to out: inout [UInt8]) {
        var index = source.startIndex
        while index < source.endIndex {
            if let octet = octet(in: source, at: index), set.contains(octet) {
                out.append(octet)
                index += 3
            } else {
                out.append(source[index])
                index += 1
            }
        }
    }

    /// Appends `source` with each byte of `set` as a triplet.
    static func appendEncoded(_ source: ArraySlice<UInt8>, only set: ASCIISet, to out: inout [UInt8]) {
        for byte in source {
            if set.contains(byte) {
                appendTriplet(byte, to: &out)
            } else {
                out.append(byte)
            }
        }
    }

    /// Appends `source` with each byte outside `kept` as a triplet; `kept` must not contain "%".
    package static func appendEncoded(_ source: ArraySlice<UInt8>, keeping kept: ASCIISet, to out: inout [UInt8]) {
        for byte in source {
            if kept.contains(byte) {
                out.append(byte)
            } else {
                appendTriplet(byte, to: &out)
            }
        }
    }

    /// Returns the octet of the triplet at `index`, or nil if no valid triplet begins there.
    static func octet(in source: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard source[index] == .ascii("%"), source.endIndex - index > 2,
            let high = hexValue(source[index + 1]), let low = hexValue(source[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func appendTriplet(_ octet: UInt8, to out: inout [UInt8]) {
        out.append(.ascii("%"))
        appendHex(octet, to: &out)
    }

    /// Appends two upper-case hexadecimal digits.
    package static func appendHex(_ octet: UInt8, to out: inout [UInt8]) {
        out.append(hexDigit(octet >> 4))
        out.append(hexDigit(octet & 0x0F))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? value + .ascii("0") : value - 10 + .ascii("A")
    }

    /// Returns the value of a hexadecimal digit of either case; nil for any other byte.
    package static func hexValue(_ digit: UInt8) -> UInt8? {
        if digit.isASCIIDigit { return digit - .ascii("0") }
        let folded = digit | 0x20
        return folded >= .ascii("a") && folded <= .ascii("f") ? folded - .ascii("a") + 10 : nil
    }
}
