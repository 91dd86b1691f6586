// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The rules for single rows of bodies, blocks and dictionaries. Specification sections 5 and 7.
extension RowCheck {
    /// Checks that a body has blocks exactly if it has bytes, and that an empty one has the digest of no bytes.
    func checkBody(_ row: Int) throws(ArchiveError) {
        let body = try ArchiveBody(place: place(row), store: store)
        guard body.length > 0 || body.digest == .ofNothing else {
            throw commit.damaged("the empty body has digest \(body.digest)", .bodyDigest, row)
        }
    }

    /// Checks that the body is not before the previous one.
    func checkDigestOrder(_ row: Int) throws(ArchiveError) {
        guard row > 0 else { return }
        let (before, here) = (try commit.digest(row - 1), try commit.digest(row))
        guard before <= here else {
            throw commit.damaged("the bodies are not sorted by digest", .bodyDigest, row)
        }
    }

    /// Checks lengths, coding and extent of a block.
    func checkBlock(_ row: Int) throws(ArchiveError) {
        _ = try store.describe(place(row))
    }

    /// Checks that a dictionary is a whole block without a dictionary.
    func checkDictionary(_ row: Int) throws(ArchiveError) {
        _ = try store.dictionaryBlock(place(row))
    }
}
