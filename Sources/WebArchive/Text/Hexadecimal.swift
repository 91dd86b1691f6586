// SPDX-License-Identifier: Apache-2.0

extension Sequence<UInt8> {
    /// The bytes in lower-case hexadecimal digits.
    package var hexadecimalDigits: String {
        var digits: [UInt8] = []
        for byte in self {
            for half in [byte >> 4, byte & 15] { digits.append(half < 10 ? 0x30 + half : 0x57 + half) }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

extension Collection<UInt8> {
    /// The bytes that these hexadecimal digits, of either case, represent; nil for any other text.
    var decodedHexadecimal: [UInt8]? {
        guard count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in self {
            guard let value = PercentEncoding.hexValue(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
