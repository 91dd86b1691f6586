// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// A file that may have the parts that an archive lacks.
///
/// None of its bytes are trusted.
final class OtherCopy {
    /// The bytes of the file; of all parts together if it is the first part of an archive (specification section 14).
    let source: any ByteSource
    /// The blocks of the file, if it is an archive, by the CRC and the length of their stored bytes.
    private lazy var blocks = Self.blocks(of: source)
    /// The offsets by which the file was found to be shifted against the archive, for parts out of its middle.
    private(set) var shifts: [Int64] = [0]

    /// The properties by which a block of a different edition is found. They prove nothing: the caller does.
    private struct BlockName: Hashable {
        /// The CRC of the stored bytes.
        let checksum: UInt32
        /// The length of the stored bytes.
        let length: Int
    }

    /// Opens a file.
    ///
    /// - Throws: `io`.
    init(_ path: FilePath) throws(ArchiveError) {
        // A later part alone is a piece as good as any other.
        source = try ArchiveFile.isInParts(path) ? ArchiveFile.open(path) : FileByteSource(path: path)
    }

    /// Finds bytes for a part among the candidates of the file.
    ///
    /// - Parameter isRight: a function that proves the bytes.
    /// - Returns: the right bytes; nil if the file has none.
    func bytes(
        for part: SignedParts.Part, _ isRight: ([UInt8]) throws(ArchiveError) -> Bool
    ) throws(ArchiveError) -> [UInt8]? {
        for shift in shifts {
            let start = Int64(part.range.lowerBound) - shift
            guard start >= 0 else { continue }
            if let bytes = read(at: UInt64(start), part.range.count), try isRight(bytes) { return bytes }
        }
        guard let checksum = part.checksum else { return nil }
        for place in blocks[BlockName(checksum: checksum, length: part.range.count)] ?? [] {
            if let bytes = read(at: place, part.range.count), try isRight(bytes) { return bytes }
        }
        return nil
    }

    /// Reads bytes; nil beyond the end, and where the file cannot be read: a different file may have them.
    private func read(at offset: UInt64, _ count: Int) -> [UInt8]? {
        guard offset <= source.length, UInt64(count) <= source.length - offset else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let isRead = bytes.withUnsafeMutableBytes { (try? source.read(at: offset, into: $0)) != nil }
        return isRead ? bytes : nil
    }

    // MARK: - Other editions

    /// Returns the offsets of an archive's stored blocks, at most four of each name; none for a file that is not an archive.
    ///
    /// It costs a reading of the rows of all blocks, and memory for each.
    private static func blocks(of source: any ByteSource) -> [BlockName: [UInt64]] {
        guard let archive = try? ArchiveReader(source: source) else { return [:] }
        let stored = StoredArchive(archive)
        var blocks: [BlockName: [UInt64]] = [:]
        for number in 0..<stored.blockCount {
            guard let block = try? stored.block(number) else { continue }
            let name = BlockName(checksum: block.checksum, length: Int(block.stored.length))
            // Blocks of one checksum can be forged in any number.
            if blocks[name]?.count ?? 0 < 4 { blocks[name, default: []].append(block.stored.offset) }
        }
        return blocks
    }

    // MARK: - Parts out of the middle

    /// The length of a probe, which locates a part out of the middle of an archive in the file.
    static let probeLength = 64

    /// Searches the file for bytes of the archive, of which it may be a part with any beginning.
    ///
    /// - Parameter probes: the right bytes of the archive, with their offsets.
    func align(_ probes: [(offset: UInt64, bytes: [UInt8])]) {
        guard !probes.isEmpty, source.length >= UInt64(Self.probeLength) else { return }
        let firsts = Dictionary(grouping: probes) { $0.bytes.word(at: 0) }
        let step = 1 << 20
        var start: UInt64 = 0
        // Probes that begin alike, and bytes that all but match them, would cost as many comparisons at each byte.
        var comparisonsLeft = source.length.addingSaturated(1 << 20)
        while start < source.length, shifts.count < 4 {
            let count = Int(min(UInt64(step + Self.probeLength), source.length - start))
            guard let bytes = read(at: start, count) else { return }
            for position in 0..<max(0, count - Self.probeLength + 1) {
                for probe in firsts[bytes.word(at: position)] ?? [] {
                    guard comparisonsLeft > 0 else { return }
                    comparisonsLeft -= 1
                    guard bytes[position..<position + Self.probeLength].elementsEqual(probe.bytes) else { continue }
                    let shift = Int64(probe.offset) - Int64(start) - Int64(position)
                    if !shifts.contains(shift), shifts.count < 4 { shifts.append(shift) }
                }
            }
            start += UInt64(step)
        }
    }
}
