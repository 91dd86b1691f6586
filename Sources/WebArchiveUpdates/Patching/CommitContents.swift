// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The decoded blocks of a commit as one stream of bytes, which its bodies fill without a gap: the order of bodies in a patch.
///
/// Bodies have *ranks*, their order in the stream; those of no bytes come first. Patch specification section 3.
struct CommitContents {
    /// The lengths of the bodies, by rank.
    let bodyLengths: [UInt64]
    /// The lengths of the blocks.
    let blockLengths: [Int]
    /// The decoded length of a full block.
    let fullLength: Int

    /// The number of bodies that end in each block; those after the last block end in it. A commit whose bodies are all in blocks of
    /// earlier ones has none.
    var endsOfBodies: [Int] {
        guard !blockLengths.isEmpty else { return [] }
        var ends = [Int](repeating: 0, count: blockLengths.count)
        var (block, blockEnd, position) = (0, UInt64(blockLengths.first ?? 0), UInt64(0))
        for length in bodyLengths where length > 0 {
            position = position.addingSaturated(length)
            while blockEnd < position, block + 1 < blockLengths.count {
                block += 1
                blockEnd = blockEnd.addingSaturated(UInt64(blockLengths[block]))
            }
            ends[block] += 1
        }
        return ends
    }

    /// Takes the lengths unchanged.
    init(bodyLengths: [UInt64], blockLengths: [Int], fullLength: Int) {
        (self.bodyLengths, self.blockLengths, self.fullLength) = (bodyLengths, blockLengths, fullLength)
    }

    /// Lays out the blocks of a commit: a block ends where the last of its bodies does, or is full.
    ///
    /// - Throws: `damaged` for blocks that would be longer than a full one.
    init(bodyLengths: [UInt64], endsOfBodies: [Int], fullLength: Int) throws(ArchiveError) {
        var lengths: [Int] = []
        lengths.reserveCapacity(endsOfBodies.count)
        var (body, start, end) = (bodyLengths.firstIndex { $0 > 0 } ?? bodyLengths.count, UInt64(0), UInt64(0))
        for count in endsOfBodies {
            guard count <= bodyLengths.count - body else { throw Self.mismatch }
            for length in bodyLengths[body..<body + count] { end = try Self.sum(end, length) }
            body += count
            guard count == 0 || end > start else { throw Self.mismatch }
            let length = count == 0 ? UInt64(fullLength) : end - start
            guard (1...UInt64(fullLength)).contains(length) else { throw Self.mismatch }
            lengths.append(Int(length))
            start += length
        }
        guard body == bodyLengths.count, start == end else { throw Self.mismatch }
        (self.bodyLengths, blockLengths, self.fullLength) = (bodyLengths, lengths, fullLength)
    }

    /// The error of lengths that break the rule of blocks in patch specification section 3.
    private static var mismatch: ArchiveError { .damaged("the bodies of the patch do not fill its blocks") }

    /// Adds a length to a total.
    ///
    /// - Throws: `damaged` for a total that no file can have: 2^48 bytes and more.
    private static func sum(_ total: UInt64, _ length: UInt64) throws(ArchiveError) -> UInt64 {
        let (sum, overflow) = total.addingReportingOverflow(length)
        guard !overflow, sum < FormatLimits.maximumFileLength else { throw mismatch }
        return sum
    }

    /// Returns the position of each body, by rank, as in the index: the block, counted from 0, and the offset in it; nil for an empty body.
    func places() -> [(block: Int, offset: Int)?] {
        var (block, blockStart, position) = (0, UInt64(0), UInt64(0))
        return bodyLengths.map { length in
            guard length > 0 else { return nil }
            while position >= blockStart + UInt64(blockLengths[block]) {
                blockStart += UInt64(blockLengths[block])
                block += 1
            }
            defer { position += length }
            return (block, Int(position - blockStart))
        }
    }
}
