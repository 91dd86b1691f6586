// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// The commits of an old archive as templates: streams that those of new commits are coded against. Patch specification section 3.
///
/// The streams of the last template are kept: most patches have one for all their records.
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

    private let old: OldBodies
    private var last: (number: Int, derivesHashTable: Bool, streams: Streams)?

    /// Creates templates. It reads nothing yet.
    init(_ old: OldBodies) { self.old = old }

    /// Returns the streams of a commit.
    ///
    /// - Parameters:
    ///   - number: the number of the commit, from 0.
    ///   - derivesHashTable: whether the stream of the index is without the hash table.
    /// - Throws: `damaged`, `io`; `limitExceeded` where the patch has too much read.
    func streams(of number: Int, derivesHashTable: Bool) throws(ArchiveError) -> Streams {
        if let last, last.number == number, last.derivesHashTable == derivesHashTable { return last.streams }
        last = nil
        let image = try CommitImage(old.stored, number)
        let stream = IndexStream(classes: image.classes, derivesHashTable: derivesHashTable)
        let streams = Streams(
            ends: try image.ends(withTree: false),
            blockEnds: CommitDiffer.numbers(try image.contents().endsOfBodies),
            index: try stream.encode(image.index(), ranks: image.ranks.ranks))
        // Number by number: that costs more than copying.
        try old.limits.take(4 * streams.index.count)
        last = (number, derivesHashTable, streams)
        return streams
    }
}
