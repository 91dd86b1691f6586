// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A decoder of Base64 (RFC 4648 section 4), which takes the text piece by piece. Line ends are passed over, and the padding may be missing.
struct Base64Decoder {
    private var bits: UInt32 = 0
    private var count = 0
    private var paddingCount = 0

    /// Decodes the next bytes of the text.
    ///
    /// - Throws: `damaged` for other characters.
    mutating func decode(
        _ text: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 4 * 3 + 3)
        for byte in text {
            let value = Self.values[Int(byte)]
            if value < 64, paddingCount == 0 {
                (bits, count) = (bits << 6 | UInt32(value), count + 1)
                guard count == 4 else { continue }
                output.append(UInt8(truncatingIfNeeded: bits >> 16))
                output.append(UInt8(truncatingIfNeeded: bits >> 8))
                output.append(UInt8(truncatingIfNeeded: bits))
                (bits, count) = (0, 0)
            } else if byte == UInt8(ascii: "="), paddingCount < 2 {
                paddingCount += 1
            } else if byte != 0x0A, byte != 0x0D {
                throw .damaged("invalid Base64")
            }
        }
        try output.withBytes(emit)
    }

    /// Ends the text.
    ///
    /// - Throws: `damaged` if the last characters make no whole byte, or the padding is wrong.
    mutating func finish(_ emit: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void) throws(ArchiveError) {
        switch count {
        case 0: break
        case 2: try [UInt8(truncatingIfNeeded: bits >> 4)].withBytes(emit)
        case 3: try [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)].withBytes(emit)
        default: throw .damaged("invalid Base64")
        }
        guard paddingCount == 0 || count + paddingCount == 4 else { throw .damaged("invalid Base64") }
    }

    /// The alphabet.
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()
}
