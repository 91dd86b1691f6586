// SPDX-License-Identifier: Apache-2.0

import CZstd
import WebArchive

/// A builder of the dictionary of a scope from pieces of the scope's own files, chosen by trial.
///
/// LZ4 reaches the end of a dictionary with the shortest distances and forgets the front first, so the most useful piece comes last.
struct DictionaryBuilder {
    let tree: SourceTree
    /// The files of one media type of which the dictionary is made; at least one, all with content.
    let scope: DictionaryPlan.Scope
    /// The level of the archive. From 9 on more samples and candidates are tried.
    let level: CompressionLevel
    /// A dictionary is in one block.
    let blockLength: Int

    /// The maximum length of the head of a file in a candidate of several files, in bytes.
    private static let pieceLength = 16 << 10

    /// Returns the contents of the dictionary, or nil if none helps.
    ///
    /// A dictionary must make samples, files that are compressed as they will be, 3 % shorter than without. It is at most a 16th of the
    /// scope's bytes and fits a block. From level 9 on, a candidate trained by zstd is tried as well.
    ///
    /// - Throws: `io` or `changed` for a file that is sampled.
    func build() throws(ArchiveError) -> [UInt8]? {
        let limit = min(FormatLimits.maximumDictionaryLength, blockLength, Int(clamping: scope.bytes / 16))
        let isThorough = level.isThorough
        let trials = try samples(count: isThorough ? 8 : 2)
        var candidates = try bodyCandidates(limit)
        if isThorough, let trained = try trainedCandidate(limit) { candidates.append(trained) }
        let compressor = TrialCompressor(isThorough ? .level(4) : .standard)
        var best = (length: compressor.length(of: trials, against: nil) * 97 / 100, contents: [UInt8]?.none)
        for candidate in candidates where !candidate.isEmpty {
            let length = compressor.length(of: trials, against: candidate)
            if length < best.length { best = (length, candidate) }
        }
        return best.contents
    }

    /// Returns consecutive files that will share a block, from all over the scope, other than those that dictionaries start from.
    private func samples(count: Int) throws(ArchiveError) -> [[UInt8]] {
        var samples: [[UInt8]] = []
        for number in 0..<count {
            let position = scope.members.count * (4 * number + 1) / (4 * count)
            var sample: [UInt8] = []
            for file in scope.members[position...] where sample.count < CommitBuilder.groupLength {
                let bytes = try tree.head(file, CommitBuilder.groupLength)
                guard sample.isEmpty || sample.count + bytes.count <= CommitBuilder.groupLength else { break }
                sample += bytes
            }
            samples.append(sample)
        }
        return samples
    }

    // MARK: - Candidates

    /// Returns pieces from all over the scope, alone and followed by the head of one file: the median by bytes, and files of some sizes above
    /// the middle.
    private func bodyCandidates(_ limit: Int) throws(ArchiveError) -> [[UInt8]] {
        let spread = try spreadPieces(limit)
        let bySize = scope.members.sorted { (tree.files[$0].length, $0) < (tree.files[$1].length, $1) }
        let median = byteMedian(bySize)
        var candidates = [spread]
        for (file, share) in [
            (median, limit * 5 / 8), (median, limit), (bySize[bySize.count * 5 / 8], limit),
            (bySize[bySize.count * 7 / 8], limit),
        ] {
            let body = try tree.head(file, share)
            candidates.append(Array((spread + body).suffix(limit)))
        }
        return candidates
    }

    /// Returns heads of files that are far apart, the middle one last.
    private func spreadPieces(_ limit: Int) throws(ArchiveError) -> [UInt8] {
        var contents: [UInt8] = []
        var used: Set<Int> = []
        for eighth in [4, 2, 6, 1, 5, 3, 7, 0] where contents.count < limit {
            let file = scope.members[scope.members.count * eighth / 8]
            guard used.insert(file).inserted else { continue }
            contents = try tree.head(file, min(Self.pieceLength, limit - contents.count)) + contents
        }
        return contents
    }

    /// Returns the file at which half of the scope's bytes are in smaller files.
    private func byteMedian(_ bySize: [Int]) -> Int {
        var sum: UInt64 = 0
        for file in bySize {
            sum += tree.files[file].length
            if sum * 2 >= scope.bytes { return file }
        }
        return bySize[bySize.count - 1]
    }

    /// Returns the dictionary of libzstd's trainer. It costs some 20 ms, which is affordable only at slow levels.
    private func trainedCandidate(_ limit: Int) throws(ArchiveError) -> [UInt8]? {
        var text: [UInt8] = []
        var lengths: [Int] = []
        let (sampleLength, pieceLength) = (4 << 20, 16 << 10)
        let stride = max(1, scope.members.count * pieceLength / sampleLength)
        for position in Swift.stride(from: 0, to: scope.members.count, by: stride) {
            let piece = try tree.head(scope.members[position], pieceLength)
            text += piece
            lengths.append(piece.count)
        }
        var parameters = ZDICT_fastCover_params_t()
        (parameters.k, parameters.d, parameters.f, parameters.accel) = (2048, 6, 18, 5)
        // The trainer puts tables for Zstandard in front, which are cut off again.
        var trained = [UInt8](repeating: 0, count: limit + 1024)
        let length = ZDICT_trainFromBuffer_fastCover(
            &trained, trained.count, text, lengths, UInt32(lengths.count), parameters)
        guard ZDICT_isError(length) == 0, length <= trained.count else { return nil }
        let header = ZDICT_getDictHeaderSize(trained, length)
        guard ZDICT_isError(header) == 0, header < length else { return nil }
        return Array(trained[header..<length].suffix(limit))
    }
}

/// A compressor that measures how well samples compress against a dictionary.
private struct TrialCompressor {
    private let level: CompressionLevel
    private let compressor: BlockCompressor

    init(_ level: CompressionLevel) {
        self.level = level
        compressor = BlockCompressor(level: level)
    }

    /// Returns the total length of the compressed samples, in bytes. A sample that does not shrink counts with its own length.
    ///
    /// - Parameter dictionary: at most 65,536 bytes, prepared once for all samples; nil for none.
    func length(of samples: [[UInt8]], against dictionary: [UInt8]?) -> Int {
        let prepared = dictionary.map { PreparedDictionary($0, level: level) }
        return samples.reduce(0) { sum, sample in
            var room = [UInt8](repeating: 0, count: max(1, sample.count))
            let length = sample.withUnsafeBytes { sample in
                room.withUnsafeMutableBytes { compressor.compress(sample, dictionary: prepared, into: $0) }
            }
            return sum + (length ?? sample.count)
        }
    }
}

extension CompressionLevel {
    /// Whether compression is so slow that choosing a dictionary may be slow as well.
    var isThorough: Bool { if case .level(let number) = self { number >= 9 } else { false } }
}
