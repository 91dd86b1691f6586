// SPDX-License-Identifier: Apache-2.0

/// The form of URL text in which rules and requests are compared.
///
/// `/café` in a rule must match `/caf%C3%A9` in a request, so both are percent-encoded alike. The
/// encoding also keeps line ends out of header values that a request's path is copied into.
enum RuleURLText {
    /// Percent-encodes bytes that a URL path cannot contain, and writes existing escapes in upper case.
    ///
    /// The encoded set is the path percent-encode set of the WHATWG URL standard without `?` and `#`,
    /// which callers cut off or encode themselves.
    static func normalized(_ bytes: some Sequence<UInt8>, alsoEncoding extra: [UInt8] = []) -> [UInt8] {
        var result: [UInt8] = []
        var escapeDigits = 0
        for byte in bytes {
            if escapeDigits > 0, PercentEncoding.hexValue(byte) != nil {
                escapeDigits -= 1
                result.append((0x61...0x66).contains(byte) ? byte & 0xDF : byte)
                continue
            }
            escapeDigits = byte == UInt8(ascii: "%") ? 2 : 0
            if needsEncoding(byte) || extra.contains(byte) {
                result.append(UInt8(ascii: "%"))
                PercentEncoding.appendHex(byte, to: &result)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func needsEncoding(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...0xFF: true
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"),
            UInt8(ascii: "{"), UInt8(ascii: "}"):
            true
        default: false
        }
    }
}
