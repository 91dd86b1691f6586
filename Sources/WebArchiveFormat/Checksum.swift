// SPDX-License-Identifier: Apache-2.0

private import CLibdeflate

/// The format's CRC: CRC-32 of ISO 3309 and RFC 1952, which finds damage and is in every language's standard
/// library.
///
/// It does not protect against deliberate changes. The hash of a key is its CRC as well
/// (specification section 8.4).
public enum Checksum {
    /// Computes the CRC of the bytes. It takes about a nanosecond for 20 bytes and copies nothing.
    ///
    /// - Returns: 0 for no bytes.
    public static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        // libdeflate treats a null pointer as a request for the initial value, which is the CRC of no bytes.
        libdeflate_crc32(0, bytes.baseAddress, bytes.count)
    }

    /// Computes the CRC of the bytes without copying them.
    public static func of(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { of($0) } }

    /// Computes the CRC of the bytes without copying them.
    public static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { of($0) } }
}
