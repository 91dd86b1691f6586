// SPDX-License-Identifier: Apache-2.0

/// Numbers as archives hold them, little-endian. What lies outside reads as 0, and is not written.
extension [UInt8] {
    package func number(at offset: Int, width: Int) -> UInt64 {
        guard offset >= 0, width <= 8, offset <= count - width else { return 0 }
        return self[offset..<offset + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    package mutating func setNumber(_ value: UInt64, at offset: Int, width: Int) {
        guard offset >= 0, width <= 8, offset <= count - width else { return }
        for place in 0..<width { self[offset + place] = UInt8(truncatingIfNeeded: value >> UInt64(8 * place)) }
    }

    /// A place or a length that an archive claims, if an array of this length could have it.
    package func place(at offset: Int) -> Int? {
        let value = number(at: offset, width: 8)
        return value <= UInt64(count) ? Int(value) : nil
    }
}
