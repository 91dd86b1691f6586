// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The origin of a body of the new archive.
enum BodyOrigin: Equatable, Sendable {
    /// The bytes are new.
    case new
    /// The bytes are those of a body of the old archive, given by its row.
    case same(UInt32)
    /// The bytes are coded against those of a body of the old archive.
    case changed(UInt32)

    /// The row of the body in the old archive; nil for a new one.
    var oldRow: UInt32? {
        switch self {
        case .new: nil
        case .same(let row), .changed(let row): row
        }
    }

    /// Whether the bytes are those of the old archive.
    var isSame: Bool { if case .same = self { true } else { false } }
}

/// The origins of a commit's bodies as a stream of numbers. Patch specification section 3.
struct BodyOrigins {
    /// The origins, by rank.
    let origins: [BodyOrigin]
    /// The lengths, by rank.
    let lengths: [UInt64]

    init(origins: [BodyOrigin], lengths: [UInt64]) { (self.origins, self.lengths) = (origins, lengths) }

    /// Returns the stream: the origin of each body, then the referenced bodies, then the lengths that are not implied.
    ///
    /// - Parameter old: the bodies of the old archive.
    func encoded(_ old: OldBodies) throws(ArchiveError) -> [UInt8] {
        var (stream, references, sizes) = ([UInt8](), [UInt8](), [UInt8]())
        stream.appendNumber(UInt64(origins.count))
        var expected: Int64 = 0
        for (origin, length) in zip(origins, lengths) {
            switch origin {
            case .new:
                stream.append(0)
                sizes.appendNumber(length)
            case .same(let row):
                stream.append(1)
                expected = Self.append(old.ranks.ranks[Int(row)], expected, to: &references)
            case .changed(let row):
                stream.append(2)
                expected = Self.append(old.ranks.ranks[Int(row)], expected, to: &references)
                sizes.appendSigned(Int64(length) - Int64(try old.body(row).length))
            }
        }
        return stream + references + sizes
    }

    /// Appends the signed distance of a rank from the expected one, and returns the expected rank of the next reference.
    private static func append(_ rank: UInt32, _ expected: Int64, to stream: inout [UInt8]) -> Int64 {
        stream.appendSigned(Int64(rank) - expected)
        return Int64(rank) + 1
    }

    /// Returns the maximum length of the stream for a number of bodies: a byte and two numbers for each.
    static func longest(_ count: Int) -> UInt64 {
        CommitPatcher.maximumNumberLength + UInt64(count) * (1 + 2 * CommitPatcher.maximumNumberLength)
    }

    /// Reads the stream.
    ///
    /// - Parameter count: the bodies that the class table has, by which memory is taken.
    /// - Throws: `damaged` for a different number of bodies, for bodies that the old archive does not have, and for impossible lengths.
    init(_ stream: [UInt8], _ old: OldBodies, count: Int) throws(ArchiveError) {
        var cursor = NumberCursor(stream)
        let rowCount = try cursor.number(atMost: stream.count)
        guard rowCount == count else {
            throw .damaged("the patch has \(rowCount) rows of \(IndexClass.body.name), expected \(count)")
        }
        let kinds = try cursor.bytes(count)
        var (origins, expected) = ([BodyOrigin](), Int64(0))
        origins.reserveCapacity(count)
        for kind in kinds {
            guard kind > 0 else {
                origins.append(.new)
                continue
            }
            let (rank, overflow) = expected.addingReportingOverflow(try cursor.signed())
            guard !overflow, kind <= 2, rank >= 0, rank < Int64(old.ranks.rows.count) else {
                throw .damaged("the patch refers to missing body \(rank)")
            }
            let row = old.ranks.rows[Int(rank)]
            origins.append(kind == 1 ? .same(row) : .changed(row))
            expected = rank + 1
        }
        var lengths: [UInt64] = []
        lengths.reserveCapacity(count)
        for origin in origins {
            var length = try origin.oldRow.mapTyped { row throws(ArchiveError) in Int64(try old.body(row).length) } ?? 0
            switch origin {
            case .new: length = Int64(try cursor.number(atMost: Int(FormatLimits.maximumFileLength)))
            case .same: break
            case .changed: length &+= try cursor.signed()
            }
            guard length >= 0, length < Int64(FormatLimits.maximumFileLength) else {
                throw .damaged("the body length \(length) in the patch is out of range")
            }
            lengths.append(UInt64(length))
        }
        guard cursor.isAtEnd else { throw .damaged("trailing bytes after the bodies of the patch") }
        (self.origins, self.lengths) = (origins, lengths)
    }
}

/// The bodies of the old archive, by row and by rank.
struct OldBodies: Sendable {
    /// The old archive by its rows, through all its commits.
    let stored: StoredArchive
    /// The bodies of all commits of the old archive by rank.
    let ranks: BodyRanks
    /// The limits of reading.
    var limits: PatchLimits

    /// Reads the positions of all bodies.
    init(_ stored: StoredArchive, _ limits: PatchLimits) throws(ArchiveError) {
        (self.stored, self.limits) = (stored, limits)
        ranks = try BodyRanks(stored, 0..<stored.bodyCount)
    }

    /// Returns a body by its row.
    func body(_ row: UInt32) throws(ArchiveError) -> ArchiveBody { try stored.archiveBody(Int(row)) }

    /// Appends a range of a body to bytes.
    ///
    /// - Throws: as ``ArchiveBody/bytes(in:)``; `limitExceeded` if the patch reads too much.
    func append(_ body: ArchiveBody, _ range: Range<UInt64>, to bytes: inout [UInt8]) throws(ArchiveError) {
        try limits.take(range.count)
        // The rest of a long body is read block by block.
        try body.forEachBuffer(in: range) { part throws(ArchiveError) in bytes.append(contentsOf: part) }
    }
}
