// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// About how many bytes the dictionaries of an archive save: some of the blocks that use one are compressed again without.
struct DictionarySavings {
    let bytes: UInt64

    /// Blocks that are tried, evenly spread, and their decoded length in bytes: the slowest level takes most of a second for a mebibyte.
    private static let (sampleCount, sampleLength) = (128, 4 << 20)

    init(_ archive: StoredArchive) throws(ArchiveError) {
        var users: [Int] = []
        var total: UInt64 = 0
        var length = 0
        for number in 0..<archive.blockCount {
            let block = try archive.block(number)
            guard block.dictionary != nil else { continue }
            users.append(number)
            total = total.addingSaturated(block.stored.length)
            length += Int(block.length)
        }
        let step = max(users.count / Self.sampleCount, 2 * length / Self.sampleLength) + 1
        let sample = stride(from: 0, to: users.count, by: step).map { users[$0] }
        guard !sample.isEmpty else {
            bytes = 0
            return
        }
        var contents: [Int: [UInt8]] = [:]
        var compressor: BlockCompressor?
        var (with, without) = (UInt64(0), UInt64(0))
        var sampled = 0
        for number in sample {
            let block = try archive.block(number)
            guard let name = block.dictionary else { continue }
            // An archive can be made in which the sample meets the long blocks only.
            sampled += Int(block.length)
            guard sampled <= Self.sampleLength else { break }
            if contents[name] == nil {
                contents[name] = try Self.unlessDamaged { () throws(ArchiveError) in
                    try archive.dictionaryContents(name)
                }
            }
            // Damage is for `verify` to tell; what takes the space can be said without these blocks.
            guard let dictionary = contents[name],
                let bytes = try Self.unlessDamaged({ () throws(ArchiveError) in
                    try archive.decodedBytes(number)
                })
            else { continue }
            // All blocks of a run of the writer have one level, which the first one tells.
            let known =
                compressor
                ?? BlockCompressor(level: Self.guessLevel(bytes, dictionary, stored: block.stored.length))
            compressor = known
            with += block.stored.length
            without += Self.compressedLength(bytes, known, nil)
        }
        bytes = without > with && with > 0 ? UInt64(Double(without - with) * Double(total) / Double(with)) : 0
    }

    private static func unlessDamaged<Value>(
        _ work: () throws(ArchiveError) -> Value
    ) throws(ArchiveError) -> Value? {
        do {
            return try work()
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// The level at which a block comes out as long as it is stored.
    private static func guessLevel(_ block: [UInt8], _ dictionary: [UInt8], stored: UInt64) -> CompressionLevel {
        let levels = [CompressionLevel.standard, .fast] + (2...12).map(CompressionLevel.level)
        guard (1...FormatLimits.maximumDictionaryLength).contains(dictionary.count) else { return .standard }
        func distance(_ level: CompressionLevel) -> UInt64 {
            let prepared = PreparedDictionary(dictionary, level: level)
            let length = compressedLength(block, BlockCompressor(level: level), prepared)
            return length > stored ? length - stored : stored - length
        }
        var best = (level: CompressionLevel.standard, distance: UInt64.max)
        for level in levels where best.distance > 0 {
            let distance = distance(level)
            if distance < best.distance { best = (level, distance) }
        }
        return best.level
    }

    /// A block that does not get smaller is stored raw.
    private static func compressedLength(
        _ block: [UInt8], _ compressor: BlockCompressor, _ dictionary: PreparedDictionary?
    ) -> UInt64 {
        var target = [UInt8](repeating: 0, count: block.count)
        return target.withUnsafeMutableBytes { target in
            block.withUnsafeBytes { block in
                UInt64(compressor.compress(block, dictionary: dictionary, into: target) ?? block.count)
            }
        }
    }
}
