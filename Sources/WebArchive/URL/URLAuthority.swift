// SPDX-License-Identifier: Apache-2.0

/// The canonical form of an authority (RFC 3986 section 3.2).
enum URLAuthority {
    /// Appends the canonical userinfo, host and port of `authority`.
    ///
    /// - Parameter defaultPort: the default port of the scheme if the scheme is special, which also makes the host mandatory.
    static func append(
        _ authority: ArraySlice<UInt8>, defaultPort: UInt16?, to out: inout [UInt8]
    ) throws(InvalidURL) {
        var rest = authority
        if let at = rest.lastIndex(of: .ascii("@")) {
            PercentEncoding.appendNormalized(rest[..<at], to: &out)
            out.append(.ascii("@"))
            rest = rest[(at + 1)...]
        }
        let hostEnd: Int
        if rest.first == .ascii("[") {
            hostEnd = try appendLiteral(rest, to: &out)
        } else {
            hostEnd = rest.firstIndex(of: .ascii(":")) ?? rest.endIndex
            if hostEnd == rest.startIndex, defaultPort != nil { throw .emptyHost }
            try appendName(rest[..<hostEnd], to: &out)
        }
        guard hostEnd < rest.endIndex else { return }
        guard rest[hostEnd] == .ascii(":") else { throw .invalidIPLiteral }
        let digits = rest[(hostEnd + 1)...]
        if digits.isEmpty { return }
        let port = try number(digits)
        if port != defaultPort {
            out.append(.ascii(":"))
            out.append(contentsOf: String(port).utf8)
        }
    }

    /// Appends the IP literal at the front of `rest` and returns the index after its "]".
    private static func appendLiteral(_ rest: ArraySlice<UInt8>, to out: inout [UInt8]) throws(InvalidURL) -> Int {
        guard let end = rest.firstIndex(of: .ascii("]")) else { throw .invalidIPLiteral }
        let literal = rest[..<end].dropFirst()
        guard !literal.isEmpty, literal.allSatisfy(ASCIISet.literalHost.contains) else { throw .invalidIPLiteral }
        for byte in rest[...end] {
            out.append(byte.lowercasedASCII)
        }
        return end + 1
    }

    private static func appendName(_ name: ArraySlice<UInt8>, to out: inout [UInt8]) throws(InvalidURL) {
        for byte in name where byte >= 0x80 || ASCIISet.forbiddenHost.contains(byte) {
            throw .forbiddenHostByte(byte)
        }
        var index = out.endIndex
        PercentEncoding.appendNormalized(name, to: &out)
        while index < out.endIndex {
            // Triplets are passed over: their hexadecimals stay upper-case.
            if out[index] == .ascii("%") {
                index += 3
            } else {
                out[index] = out[index].lowercasedASCII
                index += 1
            }
        }
    }

    /// Returns the value of a port of any number of digits.
    private static func number(_ digits: ArraySlice<UInt8>) throws(InvalidURL) -> UInt16 {
        var value: UInt32 = 0
        for digit in digits {
            guard digit.isASCIIDigit else { throw .invalidPort }
            value = value * 10 + UInt32(digit - .ascii("0"))
            guard value <= UInt16.max else { throw .invalidPort }
        }
        return UInt16(value)
    }
}
