// SPDX-License-Identifier: Apache-2.0

private import CLZ4

/// The coding of a stored block. Specification section 5.
public enum BlockCoding: Int64, Sendable {
    case raw = 0
    case lz4 = 1

    /// Decodes an LZ4 block; `decoded` must be filled exactly. Throws `damaged` otherwise.
    public static func decodeLZ4(
        _ stored: UnsafeRawBufferPointer, dictionary: UnsafeRawBufferPointer,
        into decoded: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) {
        // LZ4_decompress_safe_* never reads or writes outside the lengths given, whatever the input.
        let length = LZ4_decompress_safe_usingDict(
            stored.baseAddress, decoded.baseAddress, Int32(stored.count), Int32(decoded.count),
            dictionary.baseAddress, Int32(dictionary.count))
        guard length == Int32(decoded.count) else { throw .damaged("a block that LZ4 cannot decode to its length") }
    }
}
