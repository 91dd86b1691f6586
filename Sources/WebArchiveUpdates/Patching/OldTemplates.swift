// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The commits of an old archive as templates: streams that those of new commits are coded against. Patch specification section 3.
///
/// The streams of the last template are kept, with the hash table and without: most patches have one for all their records.
final class OldTemplates {
    /// The streams of one commit.
    struct Streams {
        /// The stream *ends*, without the tree.
        let ends: [UInt8]
        /// The stream *block ends*.
        let blockEnds: [UInt8]
        /// The stream *index*.
        let index: [UInt8]
    }

    /// A commit that was taken apart.
    private struct Template {
        /// The number of the commit, from 0.
        let number: Int
        let image: CommitImage
        let ends: [UInt8]
        let blockEnds: [UInt8]
        /// The stream *index*, with the hash table and without.
        var indexes: [Bool: [UInt8]] = [:]

        /// Makes the streams other than that of the index, which costs a reading of the commit's bodies and blocks by row.
        init(_ image: CommitImage) throws(ArchiveError) {
            (number, self.image) = (image.number, image)
            ends = try image.ends(withTree: false)
            blockEnds = CommitDiffer.numbers(try image.contents().endsOfBodies)
        }

        /// Returns the stream *index*, which is made at the first call with each value.
        mutating func index(derivesHashTable: Bool) throws(ArchiveError) -> [UInt8] {
            if let known = indexes[derivesHashTable] { return known }
            let stream = try IndexStream(classes: image.classes, derivesHashTable: derivesHashTable)
                .encode(image.index(), ranks: image.ranks.ranks)
            indexes[derivesHashTable] = stream
            return stream
        }
    }

    private let old: OldBodies
    /// The template of the last call.
    private var last: Template?
    /// The commits that were taken apart at least once.
    private var known: Set<Int> = []

    /// The bytes that count as read for each row of a commit that is taken apart once more: it is sorted, and coded number by number.
    static let rowCost = 512
    /// The bytes that count as read for each byte of its index and of the sections beside the blocks.
    static let byteCost = 4

    /// Creates templates. It reads nothing yet.
    init(_ old: OldBodies) { self.old = old }

    /// Returns the streams of a commit.
    ///
    /// Each commit is taken apart once for nothing, and the last one is kept: a patch that names commits in turn has them taken apart again and again.
    ///
    /// - Parameters:
    ///   - number: the number of the commit, from 0.
    ///   - derivesHashTable: whether the stream of the index is without the hash table.
    /// - Throws: `damaged`, `io`; `limitExceeded` where the patch has too much read.
    func streams(of number: Int, derivesHashTable: Bool) throws(ArchiveError) -> Streams {
        var template: Template
        if let last, last.number == number {
            template = last
        } else {
            last = nil
            if !known.insert(number).inserted { try old.limits.take(cost(of: number)) }
            template = try Template(CommitImage(old.stored, number))
        }
        let index = try template.index(derivesHashTable: derivesHashTable)
        last = template
        return Streams(ends: template.ends, blockEnds: template.blockEnds, index: index)
    }

    /// Returns the bytes that count as read for a commit that is taken apart again.
    private func cost(of number: Int) -> Int {
        let rows = IndexClass.allCases.reduce(0) { $0 + old.stored.rows($1, ofCommit: number).count }
        let sections = old.stored.layouts[number].sections.sections
        let bytes = sections.reduce(0) { $1.kind == .blocks ? $0 : $0 + Int($1.extent.length) }
        return Self.rowCost * rows + Self.byteCost * bytes
    }
}
