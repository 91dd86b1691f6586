// SPDX-License-Identifier: Apache-2.0

private import CLZ4

/// The coding of a stored block, by its number in the format. Specification section 5.
public enum BlockCoding: Int64, Sendable {
    /// The stored bytes are the block.
    case raw = 0
    /// The LZ4 block format, with a dictionary as the 64 KiB window before the block, if there is one.
    case lz4 = 1

    /// Decodes an LZ4 block into memory of the caller, whose length is the block's. It copies and allocates nothing
    /// else.
    ///
    /// It neither reads nor writes outside the three buffers, for any stored bytes.
    ///
    /// - Parameters:
    ///   - stored: the bytes of the block, whose checksum the caller has checked.
    ///   - dictionary: at most 65,536 bytes count; empty for none.
    ///   - decoded: the memory for the block, which is filled exactly; after an error its content is undefined.
    /// - Throws: `damaged` unless the block has just this length.
    public static func decodeLZ4(
        _ stored: UnsafeRawBufferPointer, dictionary: UnsafeRawBufferPointer,
        into decoded: UnsafeMutableRawBufferPointer
    ) throws(ArchiveError) {
        // LZ4_decompress_safe_* never reads or writes outside the lengths given, for any input.
        let length = LZ4_decompress_safe_usingDict(
            stored.baseAddress, decoded.baseAddress, Int32(stored.count), Int32(decoded.count),
            dictionary.baseAddress, Int32(dictionary.count))
        guard length == Int32(decoded.count) else { throw .damaged("LZ4 cannot decode a block to its length") }
    }
}
