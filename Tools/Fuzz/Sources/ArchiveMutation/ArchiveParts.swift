// SPDX-License-Identifier: Apache-2.0

import Mutation

/// An archive taken apart, so that a part can change its length and all that depends on it still be right.
///
/// Specification sections 3 and 4. The rules that a mutation breaks on purpose are nobody's business here.
struct ArchiveParts {
    struct Section {
        /// Type and flags, as they stand in the section table.
        var head: [UInt8]
        var bytes: [UInt8]

        func isOf(_ type: String) -> Bool { head.starts(with: type.utf8) }
    }

    struct Commit {
        var sections: [Section]

        /// Gives the index as many sums as it has pages.
        mutating func fitSums() {
            guard let index = sections.first(where: { $0.isOf("INDX") }),
                let sums = sections.firstIndex(where: { $0.isOf("ISUM") })
            else { return }
            sections[sums].bytes = Array(repeating: 0, count: 4 * ((index.bytes.count + 4095) / 4096))
        }
    }

    static let headerLength = 96
    static let footerLength = 64
    static let sectionLength = 32
    static let footerSignature = [0x89] + Array("WEBEND\n".utf8)

    var header: [UInt8]
    var commits: [Commit] = []
    /// The bytes behind the last footer.
    var tail: [UInt8]

    /// Nil if there is no footer.
    init?(_ archive: [UInt8]) {
        let footers = Self.footers(of: archive)
        guard let last = footers.last else { return nil }
        header = Array(archive[..<Self.headerLength])
        tail = Array(archive[(last + Self.footerLength)...])
        var start = Self.headerLength
        for footer in footers {
            let count = Int(archive.number(at: footer + 28, width: 4))
            var sections: [Section] = []
            for number in 0..<min(count, 64, (footer - start) / Self.sectionLength) {
                let entry = footer - (min(count, 64) - number) * Self.sectionLength
                guard entry >= start, let offset = archive.place(at: entry + 8),
                    let length = archive.place(at: entry + 16), offset + length <= archive.count
                else { continue }
                sections.append(
                    Section(head: Array(archive[entry..<entry + 8]), bytes: Array(archive[offset..<offset + length])))
            }
            commits.append(Commit(sections: sections))
            start = footer + Self.footerLength
        }
    }

    /// The places of footers, told by their signatures.
    static func footers(of archive: [UInt8]) -> [Int] {
        var footers: [Int] = []
        var place = headerLength
        while place + footerLength <= archive.count {
            if archive[place] == footerSignature[0], archive[place...].starts(with: footerSignature) {
                footers.append(place)
                place += footerLength
            } else {
                place += 1
            }
        }
        return footers
    }

    /// The archive, with offsets, sums and the chain of footers as they must be.
    func assembled() -> [UInt8] {
        var archive = header
        var previous = 0
        for (number, var commit) in commits.enumerated() {
            commit.fitSums()
            let start = archive.count
            var table: [UInt8] = []
            for section in commit.sections {
                table += section.head + Array(repeating: 0, count: 24)
                table.setNumber(UInt64(archive.count), at: table.count - 24, width: 8)
                table.setNumber(UInt64(section.bytes.count), at: table.count - 16, width: 8)
                archive += section.bytes
            }
            archive += table
            let footer = archive.count
            archive += Self.footerSignature + Array(repeating: 0, count: Self.footerLength - 8)
            archive.setNumber(UInt64(footer), at: footer + 8, width: 8)
            archive.setNumber(UInt64(previous), at: footer + 16, width: 8)
            archive.setNumber(UInt64(number), at: footer + 24, width: 4)
            archive.setNumber(UInt64(commit.sections.count), at: footer + 28, width: 4)
            archive.setNumber(UInt64(start), at: footer + 32, width: 8)
            previous = footer
        }
        archive += tail
        return ChecksumRepair.repaired(archive)
    }
}
