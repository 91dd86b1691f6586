// SPDX-License-Identifier: Apache-2.0

private import CLibdeflate

/// CRC-32 as in ISO 3309 and RFC 1952, which finds damage and is in every language's standard library.
public enum Checksum {
    /// The CRC of the bytes. Costs about a nanosecond for 20 bytes.
    public static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        // libdeflate takes a null pointer as "give me the initial value", which is what no bytes have anyhow.
        libdeflate_crc32(0, bytes.baseAddress, bytes.count)
    }

    /// The CRC of the bytes.
    public static func of(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { of($0) } }

    /// The CRC of the bytes.
    public static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { of($0) } }
}
