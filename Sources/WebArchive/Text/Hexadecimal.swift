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

extension [UInt8] {
    /// Creates the bytes that hexadecimal digits of either case stand for; nil for anything else.
    init?(hexadecimalDigits digits: some Collection<UInt8>) {
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        var high: UInt8?
        for digit in digits {
            guard let value = PercentEncoding.hexValue(digit) else { return nil }
            if let first = high {
                append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
    }
}
