// SPDX-License-Identifier: Apache-2.0

import Mutation

@testable import WebArchive
@testable import WebArchiveFormat

/// Makes the checksums of an archive right again: what a fuzzer changes would otherwise end at the first of them.
///
/// All that is read from the archive is held against its length; what cannot be found is left as it is.
struct ChecksumRepair {
    private var archive: [UInt8]

    static func repaired(_ archive: [UInt8]) -> [UInt8] {
        guard archive.count >= ArchiveParts.headerLength else { return archive }
        var repair = ChecksumRepair(archive: archive)
        var footers = ArchiveParts.footers(of: archive)
        // A mutation may have hit the signature itself, or left no whole footer at the end.
        if footers.isEmpty { footers = [archive.count - ArchiveParts.footerLength] }
        for footer in footers where footer >= ArchiveParts.headerLength { repair.repairCommit(footer: footer) }
        repair.repairHeader(footers)
        return repair.archive
    }

    private mutating func seal(_ range: Range<Int>, at place: Int) {
        archive.setNumber(UInt64(Checksum.of(archive[range])), at: place, width: 4)
    }

    private mutating func repairHeader(_ footers: [Int]) {
        seal(0..<28, at: 28)
        for slot in [32, 64] where archive[slot..<slot + 32].contains(where: { $0 != 0 }) {
            // Most slots name a commit that is there; the others stay, so that readers meet those too.
            let number = Int(archive.number(at: slot + 8, width: 4))
            if footers.indices.contains(number) { archive.setNumber(UInt64(footers[number]), at: slot, width: 8) }
            seal(slot..<slot + 28, at: slot + 28)
        }
    }

    private mutating func repairCommit(footer: Int) {
        let count = Int(archive.number(at: footer + 28, width: 4))
        let table = footer - count * ArchiveParts.sectionLength
        if count <= 64, table >= ArchiveParts.headerLength {
            var sections: [[UInt8]: Range<Int>] = [:]
            for entry in stride(from: table, to: footer, by: ArchiveParts.sectionLength) {
                guard let offset = archive.place(at: entry + 8), let length = archive.place(at: entry + 16),
                    offset + length <= archive.count
                else { continue }
                let type = Array(archive[entry..<entry + 4])
                sections[type] = offset..<offset + length
                if type == Self.classes { seal(offset..<offset + length, at: entry + 24) }
            }
            repairBlocks(sections[Self.blocks], index: sections[Self.index], classes: sections[Self.classes])
            repairPages(sections[Self.index], sums: sections[Self.sums])
            seal(table..<footer, at: footer + 40)
        }
        seal(footer..<footer + 60, at: footer + 60)
    }

    private static let blocks = Array("BLKS".utf8)
    private static let index = Array("INDX".utf8)
    private static let sums = Array("ISUM".utf8)
    private static let classes = Array("CLSS".utf8)

    private mutating func repairPages(_ index: Range<Int>?, sums: Range<Int>?) {
        guard let index, let sums else { return }
        for (page, start) in stride(from: index.lowerBound, to: index.upperBound, by: 4096).enumerated()
        where 4 * page + 4 <= sums.count {
            seal(start..<min(start + 4096, index.upperBound), at: sums.lowerBound + 4 * page)
        }
    }

    /// Writes the checksums of the stored blocks into their rows. Specification section 5.
    private mutating func repairBlocks(_ blocks: Range<Int>?, index: Range<Int>?, classes: Range<Int>?) {
        guard let blocks, let index, let classes else { return }
        let places = ClassTablePlaces(Array(archive[classes]))
        guard let sums = places.column("Block", "checksum", indexLength: index.count), sums.width > 0 else { return }
        let offsets = places.column("Block", "offset", indexLength: index.count)
        var rows = Array(archive[index])
        for row in 0..<min(sums.rowCount, Self.mostBlocks) {
            let start = offsets?.value(row, in: rows) ?? 0
            let next = row + 1 < sums.rowCount ? offsets?.value(row + 1, in: rows) ?? 0 : UInt64(blocks.count)
            guard start < next, next <= UInt64(blocks.count) else { continue }
            let stored = archive[blocks.lowerBound + Int(start)..<blocks.lowerBound + Int(next)]
            sums.set(UInt64(Checksum.of(stored)), row, in: &rows)
        }
        archive.replaceSubrange(index, with: rows)
    }

    private static let mostBlocks = 4096
}
