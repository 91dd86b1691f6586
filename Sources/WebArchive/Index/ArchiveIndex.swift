// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The position of a row of a class: its commit, and its number there.
struct RowPlace: Hashable, Sendable {
    /// The number of the commit, from 0.
    let commit: UInt32
    /// The number of the row in that commit, from 0.
    let row: UInt32

    /// The row after this one, which need not exist.
    var next: RowPlace { RowPlace(commit: commit, row: row + 1) }
}

/// The commits of an archive as one index, in which rows are numbered through all commits. Specification section 6.
final class ArchiveIndex: Sendable {
    /// The bytes of the file.
    let source: any ByteSource
    /// The header, as it was when the archive was opened.
    let header: ArchiveHeader
    /// The commits, the oldest first.
    let commits: [CommitIndex]
    /// For each class, and each commit, the number of rows in it and in earlier ones.
    private let ends: [[Int]]
    /// The budget for decoded data; nil without a limit.
    let budget: DecodingBudget?
    /// Whether ``trimPages()`` has an effect: no other object uses this index.
    private let isPrivate: Bool

    /// Joins the commits of an archive into an index.
    ///
    /// - Parameters:
    ///   - commits: the oldest first.
    ///   - isPrivate: whether no other object uses this index, so that it may release memory.
    /// - Throws: `damaged` where commits disagree about the numbers of rows, or have too many; `limitExceeded` for more
    ///   rows of width 0 than section 10 allows.
    init(
        source: any ByteSource, header: ArchiveHeader, commits: [CommitIndex], isPrivate: Bool = false
    ) throws(ArchiveError) {
        self.source = source
        self.header = header
        self.commits = commits
        var ends: [[Int]] = []
        for owner in IndexClass.allCases {
            var total = 0
            var ownEnds: [Int] = []
            for commit in commits {
                // A commit that does not list a class has no rows of it, and no information about earlier ones.
                guard !commit.lists(owner) || commit.firstRow(owner) == total else {
                    throw .damaged(
                        "\(owner.name) starts at row \(commit.firstRow(owner)), expected \(total)",
                        offset: commit.footer.offset)
                }
                total += commit.rowCount(owner)
                ownEnds.append(total)
            }
            guard total <= FormatLimits.maximumRowCount else {
                throw .damaged(
                    "the number of rows of \(owner.name) exceeds \(FormatLimits.maximumRowCount)",
                    offset: commits.last?.footer.offset)
            }
            ends.append(ownEnds)
        }
        self.ends = ends
        budget = nil
        self.isPrivate = isPrivate
        try Self.checkFreeRows(commits)
    }

    /// Refuses too many rows without bytes: each class of each commit may have some.
    ///
    /// A reference to a row takes a byte at least, so that no honest archive has more of them than bytes. Specification section 10.
    private static func checkFreeRows(_ commits: [CommitIndex]) throws(ArchiveError) {
        let count = commits.reduce(0) { total, commit in
            IndexClass.allCases.reduce(total) { $0 + commit.zeroWidthRowCount($1) }
        }
        let end = commits.last?.footer.offset ?? 0
        let limit = Int(FormatLimits.maximumZeroWidthRowCount) + Int(end)
        guard count <= limit else {
            throw ArchiveError(.limitExceeded, "\(count) rows have width 0; the limit is \(limit)", offset: end)
        }
    }

    /// Shares everything with a different index, except for the budget.
    init(sharing other: ArchiveIndex, budget: DecodingBudget) {
        (source, header, commits, ends) = (other.source, other.header, other.commits, other.ends)
        self.budget = budget
        isPrivate = false
    }

    /// The memory of checked pages beyond which they are released, in bytes.
    private static let maximumResidentLength = 64 << 20

    /// Releases the memory of checked pages if they take much of it.
    ///
    /// Call it only with exclusive use of the index, while no data that were read from it are in use.
    func trimPages() {
        guard isPrivate, commits.reduce(0, { $0 + ($1.pages?.residentLength ?? 0) }) > Self.maximumResidentLength else {
            return
        }
        for commit in commits { commit.pages?.release() }
    }

    /// Returns the number of rows of a class in all commits.
    func rowCount(_ owner: IndexClass) -> Int { ends[owner.rawValue].last ?? 0 }

    /// Returns the commit of a row.
    func commit(_ place: RowPlace) -> CommitIndex { commits[Int(place.commit)] }

    /// Finds a row by its number through all commits; nil if there is no such row.
    func place(_ owner: IndexClass, row: Int) -> RowPlace? {
        if commits.count == 1 {
            return row < commits[0].rowCount(owner) ? RowPlace(commit: 0, row: UInt32(row)) : nil
        }
        let ends = ends[owner.rawValue]
        let number = ends.indices.partitioningIndex { ends[$0] > row }
        guard row >= 0, number < ends.count else { return nil }
        return RowPlace(commit: UInt32(number), row: UInt32(row - commits[number].firstRow(owner)))
    }

    /// Returns the number of a row through all commits.
    func number(_ owner: IndexClass, _ place: RowPlace) -> Int { commit(place).firstRow(owner) + Int(place.row) }

    /// Follows a reference to a class and a row; nil for null. Specification section 6.2.
    ///
    /// - Throws: `damaged` if the row does not exist, or is of a later commit.
    func reference(_ key: IndexKey, _ place: RowPlace) throws(ArchiveError) -> (owner: IndexClass, place: RowPlace)? {
        let commit = commit(place)
        let value = try commit.integer(key, Int(place.row))
        guard value != 0 else { return nil }
        // A negative number first of all: the least one cannot be counted down.
        if value > 0 {
            let targets = key.targets
            let number = Int(value - 1)
            let owner = targets[number % targets.count]
            if let target = self.place(owner, row: number / targets.count), target.commit <= place.commit {
                return (owner, target)
            }
        }
        throw commit.damaged(
            "\(key.name) refers to missing row \(value > 0 ? (value - 1) / Int64(key.targets.count) : value)", key,
            Int(place.row))
    }

    /// Follows a reference of a key with one target class; nil for null.
    func row(_ key: IndexKey, _ place: RowPlace) throws(ArchiveError) -> RowPlace? {
        try reference(key, place)?.place
    }

    /// Finds the bytes of the string that a key refers to; nil for null. They are valid for the lifetime of the index.
    func string(_ key: IndexKey, _ place: RowPlace) throws(ArchiveError) -> UnsafeRawBufferPointer? {
        guard let target = try row(key, place) else { return nil }
        return try string(target)
    }

    /// Finds the bytes of a string, at most 1 MiB, valid for the lifetime of the index.
    func string(_ place: RowPlace) throws(ArchiveError) -> UnsafeRawBufferPointer {
        try commit(place).text(.stringText, Int(place.row), atMost: FormatLimits.maximumStringLength)
    }

    /// Reads the string that a key refers to, as text; bytes that are not UTF-8 are replaced.
    func text(_ key: IndexKey, _ place: RowPlace) throws(ArchiveError) -> String? {
        try textBytes(key, place).map { String(untrusted: $0) }
    }

    /// Finds the bytes of such a string. Charges the cost of converting them to text to the budget.
    func textBytes(_ key: IndexKey, _ place: RowPlace) throws(ArchiveError) -> UnsafeRawBufferPointer? {
        guard let bytes = try string(key, place) else { return nil }
        // Repairing and checking bytes that are not ASCII takes several times as long.
        if let budget { try budget.take(bytes.allSatisfy { $0 < 0x80 } ? bytes.count : 8 * bytes.count) }
        return bytes
    }

    /// Reads the canonical URL of a row of `Entry`.
    func key(_ place: RowPlace) throws(ArchiveError) -> [UInt8] {
        let key = try commit(place).key(Int(place.row))
        try budget?.take(key.count)
        return key
    }
}
