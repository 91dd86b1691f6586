// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveReplay

/// An identifier of an entry of a site: `LAYER.COMMIT.ROW`, all counted from 0. After an archive was replaced, it identifies a different entry.
struct EntryID: Hashable, Sendable, CustomStringConvertible {
    let layer: Int
    let position: EntryPosition

    init(layer: Int, _ entry: ArchiveEntry) {
        self.layer = layer
        position = entry.position
    }

    /// Reads an identifier; nil for any other text.
    init?(_ text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt32($0) }
        guard numbers.count == 3, let layer = numbers[0], let commit = numbers[1], let row = numbers[2] else {
            return nil
        }
        self.layer = Int(layer)
        position = EntryPosition(commit: commit, row: row)
    }

    var description: String { "\(layer).\(position.commit).\(position.row)" }

    /// Returns the entry of this identifier; nil if the site has no such entry.
    func entry(in site: ReplaySite) -> ArchiveEntry? {
        layer < site.layers.count ? site.layers[layer].entry(at: position) : nil
    }
}
