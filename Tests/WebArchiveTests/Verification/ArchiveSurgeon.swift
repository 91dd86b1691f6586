// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WebArchive

/// Changes an archive at a named place and makes the checksums right again, so that only the rule is broken that is meant.
struct ArchiveSurgeon {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var archive: ArchiveReader { get throws { try ArchiveReader(bytes: bytes) } }

    func findings(_ depth: ArchiveVerifier.Depth = .full, threads: Int = 1) throws -> [VerificationFinding] {
        ArchiveVerifier(try archive, depth: depth, threads: threads).run()
    }

    mutating func flip(_ offset: Int, mask: UInt8 = 0x40) { bytes[offset] ^= mask }

    /// The position of a row's value in the file.
    func place(_ key: IndexKey, _ row: Int, commit: Int = 0) throws -> Int {
        Int(try archive.index.commits[commit].fileOffset(key, row))
    }

    /// Sets the value of a row, and repairs the sums. The column keeps its width, which must be enough, but not its base and step.
    mutating func set(_ key: IndexKey, _ row: Int, to value: Int64, commit: Int = 0) throws {
        let column = try #require(try classes(commit)[key.owner]?.keys.first { $0.key == key })
        let index = try archive.index.commits[commit]
        var values = try (0..<index.rowCount(key.owner)).map { try index.integer(key, $0) }
        values[row] = value
        let base = try #require(values.min())
        try change(key, commit: commit) { ($0.base, $0.step) = (base, 1) }
        for (row, value) in values.enumerated() {
            let stored = value - base
            try #require(column.width == 8 || stored < 1 << Int64(8 * column.width))
            let place = try place(key, row, commit: commit)
            for byte in 0..<column.width { bytes[place + byte] = UInt8(truncatingIfNeeded: stored >> Int64(8 * byte)) }
        }
        try repair(footersOf: [commit])
    }

    func value(_ key: IndexKey, _ row: Int, commit: Int = 0) throws -> Int64 {
        try archive.index.commits[commit].integer(key, row)
    }

    func classes(_ commit: Int = 0) throws -> ClassTable {
        let commit = try archive.index.commits[commit]
        let section = try #require(commit.sections[.classes])
        let text = Array(bytes[Int(section.extent.offset)..<Int(section.extent.end)])
        return try ClassTable(decoding: text, section: section, indexLength: UInt64(commit.pages?.length ?? 0))
    }

    /// Changes the class table, whose length must stay, and repairs the sums.
    mutating func changeClasses(commit: Int = 0, _ change: (inout ClassTable) throws -> Void) throws {
        var table = try classes(commit)
        try change(&table)
        let extent = try #require(try archive.index.commits[commit].sections[.classes]?.extent)
        let text = table.encoded()
        try #require(text.count == Int(extent.length))
        bytes.replaceSubrange(Int(extent.offset)..<Int(extent.end), with: text)
        try repair(footersOf: [commit])
    }

    /// Changes what the class table says of one key.
    mutating func change(_ key: IndexKey, commit: Int = 0, _ change: (inout ClassTable.Key) -> Void) throws {
        try changeClasses(commit: commit) { classes in
            let place = try #require(classes[key.owner]?.keys.firstIndex { $0.key == key })
            if let column = classes[key.owner]?.keys[place] {
                var column = column
                change(&column)
                classes[key.owner]?.keys[place] = column
            }
        }
    }

    /// Makes the sums of index pages right, and those of class table, section table and footer.
    mutating func repair(footersOf commits: [Int] = [0]) throws {
        // The footer is found again from the old sums, so the order is from the outside in.
        let chain = try CommitChain(reading: MemoryByteSource(bytes)).commits
        for commit in chain {
            guard let index = commit.sections[.index]?.extent, let sums = commit.sections[.indexSums]?.extent else {
                continue
            }
            for (page, start) in stride(from: Int(index.offset), to: Int(index.end), by: 4096).enumerated() {
                let sum = Checksum.of(bytes[start..<min(start + 4096, Int(index.end))])
                put(sum, at: Int(sums.offset) + 4 * page)
            }
        }
        for number in commits {
            let commit = chain[number]
            guard let section = commit.sections.sections.firstIndex(where: { $0.kind == .classes }) else { continue }
            let extent = commit.sections.sections[section].extent
            let table = Int(commit.footer.sectionTableOffset)
            put(Checksum.of(bytes[Int(extent.offset)..<Int(extent.end)]), at: table + 32 * section + 24)
            let footer = Int(commit.footer.offset)
            put(Checksum.of(bytes[table..<footer]), at: footer + 40)
            put(Checksum.of(bytes[footer..<footer + 60]), at: footer + 60)
        }
    }

    /// Changes the first section table's entry of a kind, and repairs the sums.
    mutating func changeSection(_ kind: SectionTable.Kind, offset: Int64, length: Int64) throws {
        let commit = try archive.index.commits[0]
        let number = try #require(commit.sections.sections.firstIndex { $0.kind == kind })
        let section = commit.sections.sections[number].extent
        let place = Int(commit.footer.sectionTableOffset) + 32 * number
        put(UInt64(Int64(section.offset) + offset), at: place + 8)
        put(UInt64(Int64(section.length) + length), at: place + 16)
        let footer = Int(commit.footer.offset)
        put(Checksum.of(bytes[Int(commit.footer.sectionTableOffset)..<footer]), at: footer + 40)
        put(Checksum.of(bytes[footer..<footer + 60]), at: footer + 60)
    }

    private mutating func put<Value: FixedWidthInteger>(_ value: Value, at place: Int) {
        withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(place..<place + $0.count, with: $0) }
    }
}
