// SPDX-License-Identifier: Apache-2.0

/// The bytes that a class of a glob such as `[!a-z_]` matches.
///
/// The form is that of git's wildmatch, which follows POSIX: `]` is literal in first position, `-` in first
/// or last position, `\` escapes the next byte, and `[:name:]` names an ASCII character class.
struct GlobByteSet: Sendable, Hashable {
    private var low: UInt64 = 0
    private var midLow: UInt64 = 0
    private var midHigh: UInt64 = 0
    private var high: UInt64 = 0

    /// Reads a class after its `[`; nil if it does not end, or names an unknown class.
    init?(reading rest: inout ArraySlice<UInt8>) {
        var isNegated = false
        if let first = rest.first, first == UInt8(ascii: "!") || first == UInt8(ascii: "^") {
            isNegated = true
            rest = rest.dropFirst()
        }
        // The byte before, which can start a range.
        var previous: UInt8?
        var isFirst = true
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "]"), !isFirst {
                if isNegated { (low, midLow, midHigh, high) = (~low, ~midLow, ~midHigh, ~high) }
                return
            }
            isFirst = false
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                insert(escaped...escaped)
                previous = escaped
            } else if byte == UInt8(ascii: "-"), let start = previous, let next = rest.first, next != UInt8(ascii: "]")
            {
                guard var end = rest.popFirst() else { return nil }
                if end == UInt8(ascii: "\\") {
                    guard let escaped = rest.popFirst() else { return nil }
                    end = escaped
                }
                if start <= end { insert(start...end) }
                previous = nil
            } else if byte == UInt8(ascii: "["), rest.first == UInt8(ascii: ":"), let name = Self.className(rest) {
                guard let ranges = Self.classes[String(decoding: name, as: UTF8.self)] else { return nil }
                for range in ranges { insert(range) }
                rest = rest.dropFirst(name.count + 3)
                previous = nil
            } else {
                insert(byte...byte)
                previous = byte
            }
        }
        return nil
    }

    /// Returns whether a byte is in the class.
    func contains(_ byte: UInt8) -> Bool {
        let word =
            switch byte >> 6 {
            case 0: low
            case 1: midLow
            case 2: midHigh
            default: high
            }
        return word & (1 << UInt64(byte & 63)) != 0
    }

    private mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range {
            let bit: UInt64 = 1 << UInt64(byte & 63)
            switch byte >> 6 {
            case 0: low |= bit
            case 1: midLow |= bit
            case 2: midHigh |= bit
            default: high |= bit
            }
        }
    }

    /// Returns the name in `:name:]`, or nil if the first `]` does not end one.
    private static func className(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let inner = rest.dropFirst()
        guard let end = inner.firstIndex(of: UInt8(ascii: "]")) else { return nil }
        let name = inner[..<end]
        return name.last == UInt8(ascii: ":") ? name.dropLast() : nil
    }

    private static let classes: [String: [ClosedRange<UInt8>]] = [
        "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A],
        "alpha": [0x41...0x5A, 0x61...0x7A],
        "blank": [0x20...0x20, 0x09...0x09],
        "cntrl": [0x00...0x1F, 0x7F...0x7F],
        "digit": [0x30...0x39],
        "graph": [0x21...0x7E],
        "lower": [0x61...0x7A],
        "print": [0x20...0x7E],
        "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
        "space": [0x20...0x20, 0x09...0x0D],
        "upper": [0x41...0x5A],
        "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66],
    ]
}
