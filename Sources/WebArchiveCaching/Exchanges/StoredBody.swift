// SPDX-License-Identifier: Apache-2.0

/// The bytes of a stored exchange's body.
package enum StoredBody: Sendable {
    /// A body in an archive, whose blocks are decoded and checked as they are read.
    case archived(ArchiveBody)
    /// A body that was recorded, and was not in the archive yet when it was found.
    case spooled(SpooledBody)

    /// The length of the body, in bytes.
    package var length: UInt64 {
        switch self {
        case .archived(let body): body.length
        case .spooled(let body): body.length
        }
    }

    /// The MD5 of the bytes; of a spooled body it is computed again each time.
    package var digest: ContentDigest {
        get throws(ArchiveError) {
            switch self {
            case .archived(let body): body.digest
            case .spooled(let body): try body.digest()
            }
        }
    }

    /// Calls `work` with the bytes of a range, all by default, in chunks that are valid until `work` returns.
    ///
    /// - Throws: `invalidArgument` if the range does not lie inside the body; `damaged`, `io`, and errors of `work`.
    package func forEachBuffer(
        in range: Range<UInt64>? = nil, _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        switch self {
        case .archived(let body): try body.forEachBuffer(in: range, work)
        case .spooled(let body): try body.forEachBuffer(in: range, work)
        }
    }

    /// Returns the bytes of a range.
    ///
    /// - Throws: as ``forEachBuffer(in:_:)``.
    package func bytes(in range: Range<UInt64>) throws(ArchiveError) -> [UInt8] {
        switch self {
        case .archived(let body): try body.bytes(in: range)
        case .spooled(let body): try body.bytes(in: range)
        }
    }

    /// Returns all bytes.
    package func bytes() throws(ArchiveError) -> [UInt8] { try bytes(in: 0..<length) }
}
