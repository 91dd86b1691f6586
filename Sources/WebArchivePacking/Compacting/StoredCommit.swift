// SPDX-License-Identifier: Apache-2.0

package import WebArchive

/// The tables of one commit as they are stored: for work that goes over all rows of a class, where a reader finds single ones.
///
/// A page of the index is held against its checksum each time it is read. Specification sections 4 and 6.
package struct StoredCommit: Sendable {
    package let footer: CommitFooter
    package let sections: SectionTable
    private let source: any ByteSource
    private let classes: ClassTable
    private let index: FileExtent
    private let sums: FileExtent

    /// Bytes that are read at once when all rows of a class are wanted.
    private static let batchLength = 64 * FormatLimits.pageLength

    package init(endingAt end: UInt64, of source: any ByteSource) throws(ArchiveError) {
        let footerLength = UInt64(FormatLimits.footerLength)
        guard end >= footerLength else { throw .damaged("no room for a commit", offset: end) }
        footer = try CommitFooter(
            decoding: source.read(FileExtent(offset: end - footerLength, length: footerLength, within: end)),
            at: end - footerLength)
        let table = try FileExtent(
            offset: footer.sectionTableOffset, length: footer.offset - footer.sectionTableOffset, within: end)
        sections = try SectionTable(decoding: source.read(table), footer: footer)
        let empty = try FileExtent(offset: footer.commitStart, length: 0, within: footer.offset)
        index = sections[.index]?.extent ?? empty
        sums = sections[.indexSums]?.extent ?? empty
        if let section = sections[.classes] {
            classes = try ClassTable(
                decoding: source.read(section.extent), section: section, indexLength: index.length)
        } else {
            classes = ClassTable()
        }
        self.source = source
    }

    /// Where the blocks lie in the file.
    package var blocks: FileExtent? { sections[.blocks]?.extent }

    package func rowCount(_ owner: IndexClass) -> Int { Int(classes[owner]?.rowCount ?? 0) }

    /// Rows of a class in all earlier commits.
    package func firstRow(_ owner: IndexClass) -> Int { Int(classes[owner]?.firstRow ?? 0) }

    /// A row, counted within the commit.
    package func row(_ owner: IndexClass, _ number: Int) throws(ArchiveError) -> StoredRow {
        guard let table = classes[owner], number >= 0, number < Int(table.rowCount) else {
            throw .damaged("there is no row \(number) of \(owner.name)", offset: footer.offset)
        }
        let start = Int(table.rows.offset) + number * table.rowWidth
        return StoredRow(
            bytes: try bytes(start..<start + table.rowWidth)[...], keys: table.keys,
            fileOffset: index.offset + UInt64(start))
    }

    /// Calls `work` with every row of a class.
    package func forEachRow(
        _ owner: IndexClass, _ work: (Int, StoredRow) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        guard let table = classes[owner] else { return }
        let (width, count) = (table.rowWidth, Int(table.rowCount))
        let batch = max(1, Self.batchLength / max(width, 1))
        for first in stride(from: 0, to: count, by: batch) {
            let start = Int(table.rows.offset) + first * width
            let rows = min(batch, count - first)
            let bytes = try bytes(start..<start + rows * width)
            for number in 0..<rows {
                let row = StoredRow(
                    bytes: bytes[number * width..<(number + 1) * width], keys: table.keys,
                    fileOffset: index.offset + UInt64(start + number * width))
                try work(first + number, row)
            }
        }
    }

    /// The text of a row of `String`.
    package func string(_ number: Int) throws(ArchiveError) -> [UInt8] {
        guard let heap = classes[.string]?.heap else {
            throw .damaged("a commit without strings", offset: footer.offset)
        }
        let start = try row(.string, number).integer(.stringText)
        let end =
            number + 1 < rowCount(.string) ? try row(.string, number + 1).integer(.stringText) : Int64(heap.length)
        guard start >= 0, start <= end, end <= Int64(heap.length), end - start <= FormatLimits.maximumStringLength
        else {
            throw .damaged("text of impossible length", offset: index.offset + heap.offset)
        }
        return try bytes(Int(heap.offset) + Int(start)..<Int(heap.offset) + Int(end))
    }

    /// Bytes of the index, checked.
    private func bytes(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
        guard !range.isEmpty else { return [] }
        guard range.upperBound <= Int(index.length) else {
            throw .damaged("the index refers to bytes outside of itself", offset: index.offset)
        }
        let length = FormatLimits.pageLength
        let (first, end) = (range.lowerBound / length, (range.upperBound + length - 1) / length)
        let pages = try source.read(
            index.part(
                offset: UInt64(first * length), length: UInt64(min(end * length, Int(index.length)) - first * length)))
        var cursor = ByteCursor(
            try source.read(sums.part(offset: 4 * UInt64(first), length: 4 * UInt64(end - first))), at: sums.offset)
        for page in first..<end {
            let start = (page - first) * length
            let sum: UInt32 = try cursor.integer()
            guard Checksum.of(pages[start..<min(start + length, pages.count)]) == sum else {
                throw .damaged(
                    "a page of the index does not match its checksum", offset: index.offset + UInt64(page * length))
            }
        }
        return Array(pages[range.lowerBound - first * length..<range.upperBound - first * length])
    }
}

extension ByteSource {
    /// Reads a part of the file. The caller has held its length against a limit.
    func read(_ extent: FileExtent) throws(ArchiveError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(extent.length))
        try bytes.withMutableBytes { (buffer) throws(ArchiveError) in try read(at: extent.offset, into: buffer) }
        return bytes
    }
}
