// SPDX-License-Identifier: Apache-2.0

private import CLibdeflate

/// CRC-32 as in ISO 3309 and RFC 1952, which finds damage and is in every language's standard library.
package enum Checksum {
    /// The CRC of the bytes. Costs about a nanosecond for 20 bytes.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        // libdeflate takes a null pointer as "give me the initial value", which is what no bytes have anyhow.
        libdeflate_crc32(0, bytes.baseAddress, bytes.count)
    }

    package static func of(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { of($0) } }

    package static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { of($0) } }
}
