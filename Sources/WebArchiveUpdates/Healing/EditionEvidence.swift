// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The evidence that a file whose end or beginning is damaged was a copy of an edition, and not of another one.
struct EditionEvidence {
    /// The last commit, as far as the file shows it.
    let lastCommit: LastCommit?
    private let file: any ByteSource
    /// The end of the bytes that the file proves by itself.
    private let provedLength: UInt64

    /// Examines a file.
    ///
    /// - Parameters:
    ///   - length: the end of the commits that are proved, in bytes.
    ///   - lastCommit: the last commit, as far as it is known; nil to compare more bytes instead.
    init(of file: any ByteSource, beyond length: UInt64, _ lastCommit: LastCommit?) {
        (self.file, provedLength, self.lastCommit) = (file, length, lastCommit)
    }

    /// The number of places that a sample has at least, if there are as many; it has less than twice as many.
    private static let sampleCount = 64

    /// Returns whether the file is a damaged copy of an edition that has the last commit of the file, as far as this is known.
    ///
    /// If the offset of the last footer is known, a different archive has its last footer there by chance alone, so one equal place suffices.
    /// Otherwise seven eighths of the places that the file does not prove must be equal: an edition that was packed like the previous one has most of its blocks, and those up to the
    /// first new one lie at the same offsets. Index and hashes of two editions never agree, so that one place of these has to be equal as well,
    /// unless the file ends before them.
    func isCopy(_ guide: Guide) throws(ArchiveError) -> Bool {
        guard try hasSameEnd(guide) else { return false }
        let shared = min(file.length, guide.source.length)
        let structure = try (guide.parts.groups + guide.parts.structure()).map(\.range).filter {
            $0.upperBound <= shared
        }
        let blocks = ((try? guide.parts.blocks()) ?? []).map(\.range).filter { $0.upperBound <= shared }
        let places = structure + blocks
        let later = places.filter { $0.lowerBound >= provedLength }
        guard lastCommit?.footerOffset == nil else {
            // A file that is cut where a commit begins shows no bytes of it.
            return try equalPlaces(guide, later.isEmpty ? places : later).equal > 0
        }
        // Bytes that the file proves by itself belong to an earlier commit, and say nothing of later ones.
        let laterStructure = structure.filter { $0.lowerBound >= provedLength }
        if !laterStructure.isEmpty {
            guard try equalPlaces(guide, laterStructure).equal > 0 else { return false }
        }
        let (equal, count) = try equalPlaces(guide, later)
        return count > 0 && equal * 8 >= count * 7
    }

    /// Compares the last footer, which holds the checksum of its section table, if the file has it.
    private func hasSameEnd(_ guide: Guide) throws(ArchiveError) -> Bool {
        guard let footer = guide.layouts.last?.footer, footer.end <= file.length else { return true }
        let own = try file.bytes(in: footer.offset..<footer.end)
        guard CommitFooter.isIntact(own, at: footer.offset) else { return true }
        return try own == guide.source.bytes(in: footer.offset..<footer.end)
    }

    /// Compares places, at most twice as many as a sample has.
    private func equalPlaces(_ guide: Guide, _ places: [Range<UInt64>]) throws(ArchiveError) -> (equal: Int, count: Int)
    {
        var (equal, count) = (0, 0)
        for number in stride(from: 0, to: places.count, by: max(1, places.count / Self.sampleCount)) {
            count += 1
            if try file.bytes(in: places[number]) == guide.source.bytes(in: places[number]) { equal += 1 }
        }
        return (equal, count)
    }
}
