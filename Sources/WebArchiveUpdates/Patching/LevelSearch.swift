// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A search for the level that compressed the blocks of a commit, which the format does not record.
struct LevelSearch {
    private let commit: CommitImage
    private let limits: PatchLimits

    /// - Parameter limits: the limits of the patch, of which trying a level uses a part.
    init(_ commit: CommitImage, _ limits: PatchLimits) { (self.commit, self.limits) = (commit, limits) }

    /// The number of blocks that are tried.
    private static let sampleCount = 4

    /// The levels by their numbers in a patch, the likeliest first.
    static let levels: [UInt8] = [1, 0, 9, 12, 2, 3, 4, 5, 6, 7, 8, 10, 11]

    /// Returns the level of a number in a patch: 0 is the fast one.
    ///
    /// - Throws: `damaged` for an unknown number.
    static func level(_ number: UInt8) throws(ArchiveError) -> CompressionLevel {
        switch number {
        case 0: .fast
        case 1...12: .level(Int(number))
        default: throw .damaged("unknown compression level \(number) in the patch")
        }
    }

    /// Finds the level that reproduces the stored bytes of most of some blocks; 1 if none does.
    func run() throws(ArchiveError) -> UInt8 {
        var samples: [Int] = []
        let rows = commit.archive.rows(.block, ofCommit: commit.number)
        for row in stride(from: rows.lowerBound, to: rows.upperBound, by: max(1, rows.count / 16)) {
            if samples.count < Self.sampleCount, try commit.archive.block(row).coding == .lz4 { samples.append(row) }
        }
        var best = (level: UInt8(1), count: 0)
        for level in Self.levels {
            let coder = BlockRecoder(commit.archive, try Self.level(level))
            var count = 0
            for row in samples {
                let decoded = try commit.archive.decodedBytes(row)
                guard
                    let isSame = try coder.gives(
                        commit.archive.storedBytes(row), row, decoded: decoded, within: limits)
                else { break }
                if isSame { count += 1 }
            }
            if count > best.count { best = (level, count) }
            if count == samples.count { break }
        }
        return best.level
    }
}

/// A compressor that reproduces blocks of an archive. One for each thread.
final class BlockRecoder {
    private let archive: StoredArchive
    /// The compressor, at the level that is presumed.
    private let coder: BlockCoder

    init(_ archive: StoredArchive, _ level: CompressionLevel) {
        self.archive = archive
        coder = BlockCoder(level)
    }

    /// Returns whether a block of the archive, compressed again, has these stored bytes; nil, without compressing, if that takes more steps
    /// than a writer of patches has left.
    ///
    /// - Parameter decoded: the decoded bytes of the block.
    func gives(
        _ stored: [UInt8], _ row: Int, decoded: [UInt8], within limits: PatchLimits
    ) throws(ArchiveError) -> Bool? {
        let dictionary = try archive.block(row).dictionary.mapTyped { number throws(ArchiveError) in
            (number, try archive.dictionaryContents(number))
        }
        guard limits.note(steps: coder.steps(decoded, dictionary: dictionary)) else { return nil }
        return coder.compress(decoded, dictionary: dictionary) == stored
    }
}

/// A compressor that keeps the last dictionary. One for each thread.
final class BlockCoder {
    private let level: CompressionLevel
    /// The state of LZ4, used again for each block: it does not affect the result.
    private let compressor: BlockCompressor
    private var matchSteps: MatchSteps
    /// The last dictionary as LZ4 has read it, with the number that identifies it.
    private var dictionary: (number: Int, prepared: PreparedDictionary)?
    /// Memory for the longest block, 1 MiB.
    private var target = [UInt8](repeating: 0, count: 1 << Int(FormatLimits.blockExponents.upperBound))

    init(_ level: CompressionLevel) {
        self.level = level
        compressor = BlockCompressor(level: level)
        matchSteps = MatchSteps(level)
    }

    /// Counts the steps of ``compress(_:dictionary:)``, without compressing; 0 below level 7.
    func steps(_ block: [UInt8], dictionary: (number: Int, bytes: [UInt8])?) -> UInt64 {
        matchSteps.count(block, dictionary: dictionary?.bytes ?? [])
    }

    /// Compresses a block; nil if it does not shrink. An archive has such a block raw (specification section 5).
    ///
    /// - Parameter dictionary: the dictionary, with a number that identifies it.
    func compress(_ block: [UInt8], dictionary new: (number: Int, bytes: [UInt8])?) -> [UInt8]? {
        if let new, dictionary?.number != new.number {
            dictionary = (new.number, PreparedDictionary(new.bytes, level: level))
        }
        let prepared = new == nil ? nil : dictionary?.prepared
        let length = target.withUnsafeMutableBytes { target in
            block.withUnsafeBytes {
                compressor.compress(
                    $0, dictionary: prepared,
                    into: UnsafeMutableRawBufferPointer(rebasing: target[..<(block.count - 1)]))
            }
        }
        return length.map { Array(target[..<$0]) }
    }
}
