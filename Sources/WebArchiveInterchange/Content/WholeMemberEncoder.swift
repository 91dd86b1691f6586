// SPDX-License-Identifier: Apache-2.0

import CLibdeflate
import WebArchive

/// An encoder of gzip members that are in memory as a whole, by libdeflate.
final class WholeMemberEncoder {
    private let compressor: OpaquePointer

    /// - Throws: `limitExceeded` without memory.
    init(level: Int32) throws(ArchiveError) {
        guard let compressor = libdeflate_alloc_compressor(level) else {
            throw ArchiveError(.limitExceeded, "no memory for compressing")
        }
        self.compressor = compressor
    }

    deinit { libdeflate_free_compressor(compressor) }

    /// Returns a member of the bytes.
    func member(_ bytes: [UInt8]) -> [UInt8] {
        var member = [UInt8](repeating: 0, count: libdeflate_gzip_compress_bound(compressor, bytes.count))
        // The output has the bound, so it always suffices.
        let count = libdeflate_gzip_compress(compressor, bytes, bytes.count, &member, member.count)
        member.removeSubrange(count...)
        return member
    }
}
