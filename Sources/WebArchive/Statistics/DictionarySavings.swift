// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// An estimate of the bytes that the dictionaries of an archive save: some of their blocks are compressed again without one.
struct DictionarySavings {
    /// The saved bytes of all blocks with a dictionary; the length of the dictionaries is not subtracted.
    let bytes: UInt64

    /// The number of blocks that are tried, evenly spread.
    private static let sampleCount = 128
    /// The maximum length of a block for estimating the level, in bytes: dictionaries are for small bodies.
    private static let guessLength = 64 << 10

    /// Returns the decoded length of the blocks to try, in bytes. The two slowest levels take up to 8 s for a mebibyte of hostile text.
    private static func sampleLength(_ level: CompressionLevel) -> Int {
        if case .level(10...) = level { 128 << 10 } else { 4 << 20 }
    }

    /// Compresses at most 128 blocks again, of 4 MiB together at most, and estimates the level from the first short one.
    ///
    /// - Throws: `damaged` or `io` for rows that cannot be read. Damaged blocks are passed over.
    init(_ archive: StoredArchive) throws(ArchiveError) {
        var users: [Int] = []
        var total: UInt64 = 0
        var length = 0
        var typical: Int?
        for number in 0..<archive.blockCount {
            let block = try archive.block(number)
            guard block.dictionary != nil else { continue }
            users.append(number)
            total = total.addingSaturated(block.stored.length)
            length += Int(block.length)
            if block.length <= Self.guessLength { typical = typical ?? number }
        }
        var sample = Sample(archive)
        // All blocks of a run of the writer have one level, which one of them reveals.
        let level = try typical.map { (number) throws(ArchiveError) in try sample.level(of: number) } ?? .standard
        let limit = Self.sampleLength(level)
        let step = max(users.count / Self.sampleCount, 2 * length / limit) + 1
        let compressor = BlockCompressor(level: level)
        var sampled = 0
        for place in stride(from: 0, to: users.count, by: step) {
            // An archive can be made in which the sample meets the long blocks only.
            sampled += Int(try archive.block(users[place]).length)
            guard sampled <= limit else { break }
            try sample.add(users[place], compressor)
        }
        let (with, without) = (sample.with, sample.without)
        bytes = without > with && with > 0 ? UInt64(Double(without - with) * Double(total) / Double(with)) : 0
    }
}

/// The blocks of an archive that are compressed again.
private struct Sample {
    /// The stored lengths, in bytes: with dictionaries, as stored, and without.
    private(set) var (with, without) = (UInt64(0), UInt64(0))
    private let archive: StoredArchive
    private var dictionaries: [Int: [UInt8]] = [:]

    init(_ archive: StoredArchive) { self.archive = archive }

    /// Returns the contents of a block and of its dictionary; nil for damaged ones, which `verify` reports.
    private mutating func contents(_ number: Int) throws(ArchiveError) -> (block: [UInt8], dictionary: [UInt8])? {
        guard let name = try archive.block(number).dictionary else { return nil }
        if dictionaries[name] == nil {
            dictionaries[name] = try Self.unlessDamaged { [archive] () throws(ArchiveError) in
                try archive.dictionaryContents(name)
            }
        }
        let block = try Self.unlessDamaged { [archive] () throws(ArchiveError) in try archive.decodedBytes(number) }
        guard let dictionary = dictionaries[name], let block else { return nil }
        return (block, dictionary)
    }

    mutating func add(_ number: Int, _ compressor: BlockCompressor) throws(ArchiveError) {
        guard let block = try contents(number)?.block else { return }
        with += try archive.block(number).stored.length
        without += Self.compressedLength(block, compressor, nil)
    }

    /// Returns the level that compressed a block, as far as its length reveals it.
    mutating func level(of number: Int) throws(ArchiveError) -> CompressionLevel {
        guard let (block, dictionary) = try contents(number) else { return .standard }
        return Self.guessLevel(block, dictionary, stored: try archive.block(number).stored.length)
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

    /// Returns the level at which a block has its stored length.
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

    /// Returns the compressed length of a block; one that does not shrink is stored raw.
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
