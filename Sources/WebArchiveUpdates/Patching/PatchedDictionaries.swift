// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The dictionaries of a commit, which precede the blocks that were compressed against them in a patch.
struct PatchedDictionaries: Sendable {
    /// The ranks of the bodies of dictionaries, by row of `Dictionary` within the commit.
    private let ranks: [Int]
    /// The bytes of the dictionaries, by rank of the body.
    private let contents: [Int: [UInt8]]

    /// The ranks of the bodies that are dictionaries.
    var apart: Set<Int> { Set(ranks) }

    /// Reads the dictionaries that the old archive does not have.
    ///
    /// - Parameter references: the values of `Dictionary.body`, bodies by rank.
    init(
        _ input: inout PatchInput, _ bodies: BodyOrigins, _ references: [Int64], firstBody: Int64, _ old: OldBodies,
        _ coder: DeltaCoder
    ) throws(ArchiveError) {
        var ranks: [Int] = []
        for reference in references {
            let (rank, overflow) = reference.subtractingReportingOverflow(firstBody + 1)
            guard !overflow, rank >= 0, rank < Int64(bodies.origins.count) else {
                throw .damaged("the patch refers to missing dictionary \(reference)")
            }
            ranks.append(Int(rank))
        }
        self.ranks = ranks
        var (contents, total) = ([Int: [UInt8]](), 0)
        for rank in Set(ranks).sorted() {
            let (origin, length) = (bodies.origins[rank], bodies.lengths[rank])
            total += Int(min(length, UInt64(FormatLimits.maximumDictionaryLength) + 1))
            guard (1...UInt64(FormatLimits.maximumDictionaryLength)).contains(length),
                total <= CommitDiffer.maximumDictionariesLength
            else {
                throw .damaged("the dictionaries of the patch are too long")
            }
            if case .same(let row) = origin {
                var bytes: [UInt8] = []
                try old.append(old.body(row), 0..<length, to: &bytes)
                contents[rank] = bytes
                continue
            }
            var bases: [UInt32] = []
            for _ in 0..<(try input.number(atMost: UInt64(DictionaryBases.limit))) {
                let base = Int(try input.number(atMost: UInt64(UInt32.max)))
                guard base < old.ranks.rows.count else {
                    throw .damaged("the patch refers to missing body \(base)")
                }
                bases.append(old.ranks.rows[base])
            }
            contents[rank] = try coder.decode(
                input.frame(), prefix: Self.prefix(origin, bases, old), length: Int(length))
        }
        self.contents = contents
    }

    /// Returns the bytes of the old archive against which a dictionary is coded: the beginnings of pages, and its earlier form.
    ///
    /// - Parameter bases: the rows of bodies, at most ``DictionaryBases/limit``.
    static func prefix(_ origin: BodyOrigin, _ bases: [UInt32], _ old: OldBodies) throws(ArchiveError) -> [UInt8] {
        var prefix: [UInt8] = []
        for row in bases + (origin.oldRow.map { [$0] } ?? []) {
            let body = try old.body(row)
            try old.append(body, 0..<min(body.length, UInt64(FormatLimits.maximumDictionaryLength)), to: &prefix)
        }
        return prefix
    }

    /// Returns a dictionary by its row within the commit.
    func dictionary(_ row: Int) throws(ArchiveError) -> [UInt8] {
        guard ranks.indices.contains(row), let bytes = contents[ranks[row]] else {
            throw .damaged("the patch refers to missing dictionary \(row)")
        }
        return bytes
    }

    /// Returns the bytes of a body that is a dictionary.
    func body(_ rank: Int) -> [UInt8] { contents[rank] ?? [] }
}
