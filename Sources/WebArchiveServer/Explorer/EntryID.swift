// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveReplay

/// An identifier that names an entry of a site: `LAYER.COMMIT.ROW`, all counted from 0. Another entry has the name after an archive was replaced.
struct EntryID: Hashable, Sendable, CustomStringConvertible {
    let layer: Int
    let position: EntryPosition

    init(layer: Int, _ entry: ArchiveEntry) {
        self.layer = layer
        position = entry.position
    }

    /// Nil for what is no such name.
    init?(_ text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt32($0) }
        guard numbers.count == 3, let layer = numbers[0], let commit = numbers[1], let row = numbers[2] else {
            return nil
        }
        self.layer = Int(layer)
        position = EntryPosition(commit: commit, row: row)
    }

    var description: String { "\(layer).\(position.commit).\(position.row)" }

    /// Returns the entry of this name; nil if the site has no such entry.
    func entry(in site: ReplaySite) -> ArchiveEntry? {
        layer < site.layers.count ? site.layers[layer].entry(at: position) : nil
    }
}
