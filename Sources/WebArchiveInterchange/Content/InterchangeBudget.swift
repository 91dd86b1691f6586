// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The limits of a conversion in proportion to the bytes of files that it read: few bytes can decode to any number of bytes and records.
final class InterchangeBudget {
    /// The number of bytes of files that were read.
    var readLength: UInt64 = 0 { didSet { if readsDecoded { readLength = oldValue } } }
    /// Whether bytes are read that were decoded and charged before, which allow for no more.
    var readsDecoded = false
    private var decodedLength: UInt64 = 0
    private var contentLength: UInt64 = 0
    private var keptLength: UInt64 = 0
    /// The numbers of bytes that any file may decode to and keep.
    private let decodedAllowance: UInt64
    private let keptAllowance: UInt64

    /// - Parameters:
    ///   - decoded: the number of bytes that any file may decode to; 1 GiB by default.
    ///   - kept: the number of bytes that may be kept of any file; 256 MiB by default.
    init(decoded: UInt64 = 1 << 30, kept: UInt64 = 256 << 20) { (decodedAllowance, keptAllowance) = (decoded, kept) }

    /// Charges bytes that a file decodes to.
    ///
    /// - Throws: `limitExceeded` for more than the allowance and 200 bytes for each byte of the files. Text compresses to a twentieth at most.
    func decode(_ count: Int) throws(ArchiveError) { try charge(count, &decodedLength) }

    /// Charges bytes that the content of a message decodes to.
    ///
    /// - Throws: `limitExceeded` for more of them than ``decode(_:)`` allows.
    func decodeContent(_ count: Int) throws(ArchiveError) { try charge(count, &contentLength) }

    private func charge(_ count: Int, _ length: inout UInt64) throws(ArchiveError) {
        length = length.addingSaturated(UInt64(count))
        guard length <= readLength.multipliedSaturated(by: 200).addingSaturated(decodedAllowance) else {
            throw ArchiveError(
                .limitExceeded, "the files decode to more than \(decodedAllowance) bytes and 200 times their length")
        }
    }

    /// Charges bytes that stay in memory up to the commit, such as fields.
    ///
    /// - Throws: `limitExceeded` for more than the allowance and 32 bytes for each byte of the files.
    func keep(_ count: Int) throws(ArchiveError) {
        keptLength = keptLength.addingSaturated(UInt64(count))
        guard keptLength <= readLength.multipliedSaturated(by: 32).addingSaturated(keptAllowance) else {
            throw ArchiveError(
                .limitExceeded,
                "the heads of records, or their index, take more than \(keptAllowance) bytes and 32 times the files")
        }
    }
}

extension HeaderFields {
    /// The number of bytes in memory, for limits.
    var length: Int { reduce(0) { $0 + 64 + $1.nameBytes.count + $1.valueBytes.count } }
}
