// SPDX-License-Identifier: Apache-2.0

import CZstd
import WebArchive

/// A coder of bytes against similar ones: zstd (RFC 8878), with these as the prefix of its window. One for each thread.
final class DeltaCoder {
    // Freed in deinit; used by the thread that has the coder.
    private let compressor = ZSTD_createCCtx()
    private let decompressor = ZSTD_createDCtx()

    /// The maximum decoded length of one frame, and of a prefix.
    static let maximumLength = 16 << 20

    deinit {
        ZSTD_freeCCtx(compressor)
        ZSTD_freeDCtx(decompressor)
    }

    /// Returns the parameters of the levels that search by hash, in place of zstd's own choice.
    ///
    /// For much, a table of 2^20 places stays in the cache of processors, and matches of 6 bytes are as good as shorter ones where most is a
    /// long copy: half the time for the same bytes on pages, and one in a hundred more on others. For little, zstd would search all of
    /// the prefix by trees, which takes many times as long as the gain is worth.
    ///
    /// - Parameter length: the length of the bytes and their prefix.
    private static func tables(_ level: Int, _ length: Int) -> [(ZSTD_cParameter, Int)] {
        guard (6...12).contains(level) else { return [] }
        return length > 1 << 20
            ? [(ZSTD_c_hashLog, 20), (ZSTD_c_minMatch, 6)]
            : [
                (ZSTD_c_strategy, Int(ZSTD_lazy2.rawValue)), (ZSTD_c_hashLog, 17), (ZSTD_c_chainLog, 17),
                (ZSTD_c_minMatch, 5),
            ]
    }

    /// Compresses bytes.
    ///
    /// - Parameters:
    ///   - prefix: the bytes that are alike; the same ones, for decoding, are the caller's to remember.
    ///   - level: the level of zstd, 1 to 19.
    /// - Throws: `io` if zstd has no memory.
    func encode(_ bytes: [UInt8], prefix: [UInt8], level: Int) throws(ArchiveError) -> [UInt8] {
        let searched = bytes.count + prefix.count
        let window = searched.bitWidth - searched.leadingZeroBitCount
        ZSTD_CCtx_reset(compressor, ZSTD_reset_session_and_parameters)
        for (parameter, value) in [
            (ZSTD_c_compressionLevel, level), (ZSTD_c_windowLog, min(max(window, 10), 27)),
            (ZSTD_c_contentSizeFlag, 0), (ZSTD_c_checksumFlag, 0), (ZSTD_c_dictIDFlag, 0),
        ] + Self.tables(level, searched) { ZSTD_CCtx_setParameter(compressor, parameter, Int32(value)) }
        let limit = ZSTD_compressBound(bytes.count)
        var length = 0
        let frame = prefix.withUnsafeBytes { prefix in
            ZSTD_CCtx_refPrefix(compressor, prefix.baseAddress, prefix.count)
            return [UInt8](unsafeUninitializedCapacity: limit) { target, count in
                length = bytes.withUnsafeBytes {
                    ZSTD_compress2(compressor, target.baseAddress, limit, $0.baseAddress, $0.count)
                }
                count = ZSTD_isError(length) == 0 ? length : 0
            }
        }
        guard ZSTD_isError(length) == 0 else {
            throw ArchiveError(.io, "zstd: \(String(cString: ZSTD_getErrorName(length)))")
        }
        return frame
    }

    /// Decompresses a frame.
    ///
    /// - Parameters:
    ///   - prefix: the prefix of the compression.
    ///   - length: the length of the result, at most ``maximumLength``.
    /// - Throws: `damaged` if the frame does not decode to as many bytes.
    func decode(_ frame: [UInt8], prefix: [UInt8], length: Int) throws(ArchiveError) -> [UInt8] {
        guard length <= Self.maximumLength else {
            throw .damaged("the frame length \(length) exceeds \(Self.maximumLength)")
        }
        var result = 0
        let bytes = prefix.withUnsafeBytes { prefix in
            ZSTD_DCtx_reset(decompressor, ZSTD_reset_session_and_parameters)
            ZSTD_DCtx_refPrefix(decompressor, prefix.baseAddress, prefix.count)
            return [UInt8](unsafeUninitializedCapacity: length) { target, count in
                result = frame.withUnsafeBytes {
                    ZSTD_decompressDCtx(decompressor, target.baseAddress, length, $0.baseAddress, $0.count)
                }
                count = result == length ? length : 0
            }
        }
        guard result == length else { throw .damaged("the frame does not decode to \(length) bytes") }
        return bytes
    }
}
