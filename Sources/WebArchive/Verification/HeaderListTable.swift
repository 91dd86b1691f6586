// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The profiles of the header lists of an archive: each list is read once, for any number of rows that use it.
struct HeaderListTable: Sendable {
    /// A profile in 8 bytes, since there can be as many lists as rows.
    private struct Row {
        /// The length in bytes, clamped to the largest number, which is far beyond the limit for a list.
        let length: UInt32
        let fillCount: UInt16
        /// The index in the list of the first derived field, from 1; 0 for none.
        let derivedPlace: UInt16

        static let damaged = Row(length: 0, fillCount: .max, derivedPlace: 0)
        var isDamaged: Bool { fillCount == .max }
    }

    private struct Part: Sendable {
        var rows: [Row] = []
        var errors: [(list: RowPlace, error: ArchiveError)] = []
    }

    private let index: ArchiveIndex
    /// The profiles by commits; fewer than the lists of a commit once too many fields were read.
    private var rows: [[Row]] = []
    private var errors: [RowPlace: ArchiveError] = [:]
    private static let maximumErrorCount = 1000

    /// Reads the lists, until they reach far more fields than are stored.
    init(_ index: ArchiveIndex, _ parallel: ParallelWork) {
        self.index = index
        let stored = min(index.rowCount(.headerField), Int(clamping: index.source.length))
        var fieldsLeft = 2 * stored + 1 << 19
        for (number, commit) in index.commits.enumerated() {
            let count = Self.count(of: commit, &fieldsLeft)
            var rows: [Row] = []
            rows.reserveCapacity(count)
            let length = ParallelWork.partLength
            parallel.run(
                (count + length - 1) / length, state: {},
                work: { _, part in
                    Self.walk(part * length..<min((part + 1) * length, count), of: number, in: index)
                },
                merge: { part in
                    rows += part.rows
                    for (list, error) in part.errors.prefix(Self.maximumErrorCount - errors.count) {
                        errors[list] = error
                    }
                })
            self.rows.append(rows)
            index.trimPages()
        }
    }

    /// Returns the number of lists of a commit, from the first, that may be read.
    private static func count(of commit: CommitIndex, _ fieldsLeft: inout Int) -> Int {
        for row in 0..<commit.rowCount(.headerList) {
            let count = (try? commit.count(.listCount, row, atMost: FormatLimits.maximumFieldCount)) ?? 0
            guard count <= fieldsLeft else { return row }
            fieldsLeft -= count
        }
        return commit.rowCount(.headerList)
    }

    private static func walk(_ rows: Range<Int>, of commit: Int, in index: ArchiveIndex) -> Part {
        var part = Part()
        part.rows.reserveCapacity(rows.count)
        for row in rows {
            let list = RowPlace(commit: UInt32(commit), row: UInt32(row))
            do throws(ArchiveError) {
                let profile = try HeaderListProfile(list, in: index)
                part.rows.append(
                    Row(
                        length: UInt32(clamping: profile.length), fillCount: UInt16(profile.fillCount),
                        derivedPlace: UInt16(profile.derivedPlace.map { $0 + 1 } ?? 0)))
            } catch {
                part.rows.append(.damaged)
                if part.errors.count < maximumErrorCount { part.errors.append((list, error)) }
            }
        }
        return part
    }

    /// Returns the profile of a list; nil if too many fields were read before it.
    ///
    /// - Throws: `damaged` for a list that cannot be read.
    func profile(_ list: RowPlace) throws(ArchiveError) -> HeaderListProfile? {
        guard list.row < rows[Int(list.commit)].count else { return nil }
        let row = rows[Int(list.commit)][Int(list.row)]
        guard !row.isDamaged else {
            throw errors[list]
                ?? index.commit(list).damaged("unreadable header list", .listFirst, Int(list.row))
        }
        return HeaderListProfile(
            fillCount: Int(row.fillCount), length: Int(row.length),
            derivedPlace: row.derivedPlace == 0 ? nil : Int(row.derivedPlace) - 1)
    }
}
