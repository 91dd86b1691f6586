// SPDX-License-Identifier: Apache-2.0

import CLibdeflate
import WebArchive

/// A decoder of gzip members that are in memory as a whole, by libdeflate: it takes half of zlib's time.
final class WholeMemberDecoder {
    private let decompressor: OpaquePointer

    /// - Throws: `limitExceeded` without memory.
    init() throws(ArchiveError) {
        guard let decompressor = libdeflate_alloc_decompressor() else {
            throw ArchiveError(.limitExceeded, "no memory for decoding gzip")
        }
        self.decompressor = decompressor
    }

    deinit { libdeflate_free_decompressor(decompressor) }

    /// Decodes the member with which some bytes begin.
    ///
    /// - Returns: the numbers of bytes of the member and of its content; nil for a member that is damaged, is longer than the bytes, or has more
    ///   content than the output takes.
    func decode(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (consumed: Int, produced: Int)? {
        // The library reads and writes within these bytes only.
        var (consumed, produced) = (0, 0)
        let result = libdeflate_gzip_decompress_ex(
            decompressor, bytes.baseAddress, bytes.count, output.baseAddress, output.count, &consumed, &produced)
        return result == LIBDEFLATE_SUCCESS ? (consumed, produced) : nil
    }
}
