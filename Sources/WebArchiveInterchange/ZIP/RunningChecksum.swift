// SPDX-License-Identifier: Apache-2.0

import CZlib

/// The CRC-32 of bytes that come piece by piece.
struct RunningChecksum {
    /// The CRC-32 of the bytes so far.
    private(set) var value: UInt32 = 0

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // zlib treats a null pointer as a request for the initial value. It reads within the bytes only.
        guard let start = bytes.baseAddress else { return }
        value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), start.assumingMemoryBound(to: UInt8.self), bytes.count))
    }
}
