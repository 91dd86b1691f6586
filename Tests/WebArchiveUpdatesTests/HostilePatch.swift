// SPDX-License-Identifier: Apache-2.0

import TestSupport
import WebArchiveFormat

@testable import WebArchive
@testable import WebArchiveUpdates

/// A patch with one rebuilt commit, of which the parts can be changed so that all checksums and lengths are still right.
struct HostilePatch {
    private let header: [UInt8]
    private var start: [UInt8]
    private let template: UInt64
    /// The stream of the ends; nil for what follows from class table and index.
    var endsStream: [UInt8]?
    /// The stream of the bodies.
    var bodies: [UInt8]
    /// The stream of the block ends.
    var blockEnds: [UInt8]
    /// The class table of the new commit.
    var classes: ClassTable
    /// The index of the new commit, as the new archive has it.
    var index: [UInt8]
    /// Dictionaries and chunks.
    var rest: [UInt8]
    private let ends: CommitEnds
    /// The ranks of the bodies of the new commit, by row.
    var ranks: [UInt32]

    /// Takes a patch apart.
    ///
    /// - Parameters:
    ///   - old: the archive that the patch is for.
    ///   - new: the archive that it gives.
    ///   - withTree: whether the patch has the tree of the archive.
    init(_ bytes: [UInt8], old: [UInt8], new: [UInt8], withTree: Bool = false) throws {
        var input = PatchInput(MemoryByteSource(bytes), at: 0)
        header = try input.bytes(PatchHeader.length)
        start = try input.bytes(3)
        template = try input.number(atMost: 1_000)
        let template = try CommitImage(StoredArchive(ArchiveReader(bytes: old)), Int(template))
        let places = IndexStream(classes: template.classes, derivesHashTable: start[1] & 1 == 1)
        var streams: [[UInt8]] = []
        for other in [
            try template.ends(withTree: false), [], CommitDiffer.numbers(try template.contents().endsOfBodies),
            try places.encode(template.index(), ranks: template.ranks.ranks),
        ] { streams.append(try PackedStream.read(&input, atMost: 1 << 24, against: other, DeltaCoder())) }
        let image = try CommitImage(StoredArchive(ArchiveReader(bytes: new)), 0)
        ends = try CommitEnds(streams[0], at: 96, withTree: withTree)
        (bodies, blockEnds, classes) = (streams[1], streams[2], ends.classes)
        (index, ranks) = (try image.index().bytes, image.ranks.ranks)
        rest = try input.bytes(Int(input.remaining))
    }

    /// Has the reader derive the tree of the commit.
    mutating func deriveTree() { start[1] |= CommitDiffer.Flags.derivesTree.rawValue }

    /// Sets the level of LZ4, by its number in a patch.
    mutating func setLevel(_ number: UInt8) { start[2] = number }

    /// The bytes of the patch. It still promises the archive of the real one.
    func encoded() throws -> [UInt8] {
        var patch = header + start
        patch.appendNumber(template)
        let places = IndexStream(classes: classes, derivesHashTable: start[1] & 1 == 1)
        let image = IndexImage(bytes: index, firstBody: 0)
        for stream in [try endsStream ?? encodedEnds(), bodies, blockEnds, try places.encode(image, ranks: ranks)] {
            patch.appendNumber(UInt64(stream.count))
            for start in stride(from: 0, to: stream.count, by: 4 << 20) {
                let piece = Array(stream[start..<min(start + 4 << 20, stream.count)])
                let frame = try DeltaCoder().encode(piece, prefix: [], level: 1)
                patch.appendNumber(UInt64(frame.count))
                patch += frame
            }
        }
        return patch + rest
    }

    /// Footer, section table and class table, for a commit without other sections.
    private func encodedEnds() throws -> [UInt8] {
        let table = classes.encoded()
        let lengths: [SectionTable.Kind: UInt64] = [
            .index: UInt64(index.count), .indexSums: UInt64((index.count + 4095) / 4096 * 4),
            .classes: UInt64(table.count),
        ]
        var (sections, position) = (SectionTable(), ends.footer.commitStart)
        for var section in ends.sections.sections {
            let length = lengths[section.kind] ?? section.extent.length
            section.extent = try FileExtent(offset: position, length: length, within: .max)
            if section.kind == .classes { section.checksum = Checksum.of(table) }
            sections.append(section)
            position += length
        }
        let rows = sections.encoded()
        var footer = ends.footer
        footer.offset = position + UInt64(rows.count)
        footer.sectionTableChecksum = Checksum.of(rows)
        return footer.encoded() + rows + table
    }
}
