// SPDX-License-Identifier: Apache-2.0

private import CLibdeflate

/// The format's CRC: CRC-32 as in ISO 3309 and RFC 1952, which finds damage and is in every language's standard
/// library.
///
/// It is not protection against a person who changes a file on purpose. The hash of a key is its CRC as well
/// (specification section 8.4).
public enum Checksum {
    /// Computes the CRC of the bytes. Costs about a nanosecond for 20 bytes; copies nothing.
    ///
    /// - Returns: 0 for no bytes.
    public static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        // libdeflate takes a null pointer as "give me the initial value", which is what no bytes have anyhow.
        libdeflate_crc32(0, bytes.baseAddress, bytes.count)
    }

    /// Computes the CRC of the bytes. Copies nothing.
    public static func of(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { of($0) } }

    /// Computes the CRC of the bytes. Copies nothing.
    public static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { of($0) } }
}
