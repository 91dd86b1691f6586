// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The bodies of one kind of which a dictionary is made: at least one, all with content.
package protocol DictionarySamples {
    /// The number of bodies.
    var count: Int { get }
    /// The total length of the bodies, in bytes.
    var bytes: UInt64 { get }

    /// Returns the length of a body, in bytes.
    func length(_ number: Int) -> UInt64

    /// Returns the first bytes of a body, at most as many as given.
    func head(_ number: Int, _ length: Int) throws(ArchiveError) -> [UInt8]
}

/// A builder of the dictionary of some bodies from pieces of these bodies, chosen by trial.
///
/// LZ4 reaches the end of a dictionary with the shortest distances and forgets the front first, so the most useful piece comes last.
package struct DictionaryBuilder<Samples: DictionarySamples> {
    private let samples: Samples
    /// The level of the archive. From 9 on more samples and candidates are tried.
    private let level: CompressionLevel
    /// A dictionary is in one block.
    private let blockLength: Int
    /// A trainer that gives one more candidate, of at most a length in bytes; for slow levels only.
    private let trainer: ((Int) throws(ArchiveError) -> [UInt8]?)?

    package init(
        _ samples: Samples, level: CompressionLevel, blockLength: Int,
        trainer: ((Int) throws(ArchiveError) -> [UInt8]?)? = nil
    ) {
        (self.samples, self.level, self.blockLength, self.trainer) = (samples, level, blockLength, trainer)
    }

    /// The maximum length of the head of a file in a candidate of several files, in bytes.
    private static var pieceLength: Int { 16 << 10 }

    /// Returns the contents of the dictionary, or nil if none helps.
    ///
    /// A dictionary must make trials, bodies that are compressed as they will be, 3 % shorter than without. It is at most a 16th of the
    /// bodies' bytes and fits a block.
    ///
    /// - Throws: errors of the bodies and of the trainer.
    package func build() throws(ArchiveError) -> [UInt8]? {
        let limit = min(FormatLimits.maximumDictionaryLength, blockLength, Int(clamping: samples.bytes / 16))
        let isThorough = level.isThorough
        let trials = try trials(count: isThorough ? 8 : 2)
        var candidates = try bodyCandidates(limit)
        if isThorough, let trained = try trainer?(limit) { candidates.append(trained) }
        let compressor = TrialCompressor(isThorough ? .level(4) : .standard)
        var best = (length: compressor.length(of: trials, against: nil) * 97 / 100, contents: [UInt8]?.none)
        for candidate in candidates where !candidate.isEmpty {
            let length = compressor.length(of: trials, against: candidate)
            if length < best.length { best = (length, candidate) }
        }
        return best.contents
    }

    /// Returns consecutive bodies that will share a block, from everywhere, other than those that dictionaries start from.
    private func trials(count: Int) throws(ArchiveError) -> [[UInt8]] {
        var trials: [[UInt8]] = []
        for number in 0..<count {
            let position = samples.count * (4 * number + 1) / (4 * count)
            var trial: [UInt8] = []
            for number in position..<samples.count where trial.count < CommitBuilder.groupLength {
                let bytes = try samples.head(number, CommitBuilder.groupLength)
                guard trial.isEmpty || trial.count + bytes.count <= CommitBuilder.groupLength else { break }
                trial += bytes
            }
            trials.append(trial)
        }
        return trials
    }

    // MARK: - Candidates

    /// Returns pieces from everywhere, alone and followed by the head of one body: the median by bytes, and bodies of some sizes above
    /// the middle.
    private func bodyCandidates(_ limit: Int) throws(ArchiveError) -> [[UInt8]] {
        let spread = try spreadPieces(limit)
        let bySize = (0..<samples.count).sorted { (samples.length($0), $0) < (samples.length($1), $1) }
        let median = byteMedian(bySize)
        var candidates = [spread]
        for (number, share) in [
            (median, limit * 5 / 8), (median, limit), (bySize[bySize.count * 5 / 8], limit),
            (bySize[bySize.count * 7 / 8], limit),
        ] {
            let body = try samples.head(number, share)
            candidates.append(Array((spread + body).suffix(limit)))
        }
        return candidates
    }

    /// Returns heads of bodies that are far apart, the middle one last.
    private func spreadPieces(_ limit: Int) throws(ArchiveError) -> [UInt8] {
        var contents: [UInt8] = []
        var used: Set<Int> = []
        for eighth in [4, 2, 6, 1, 5, 3, 7, 0] where contents.count < limit {
            let number = samples.count * eighth / 8
            guard used.insert(number).inserted else { continue }
            contents = try samples.head(number, min(Self.pieceLength, limit - contents.count)) + contents
        }
        return contents
    }

    /// Returns the body at which half of all bytes are in smaller bodies.
    private func byteMedian(_ bySize: [Int]) -> Int {
        var sum: UInt64 = 0
        for number in bySize {
            sum += samples.length(number)
            if sum * 2 >= samples.bytes { return number }
        }
        return bySize[bySize.count - 1]
    }
}
