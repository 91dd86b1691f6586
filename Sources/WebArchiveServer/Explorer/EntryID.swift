// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveReplay

/// An identifier of an entry of a site: `LAYER.COMMIT.ROW`, all counted from 0. After an archive was replaced, it identifies a different entry.
struct EntryID: Hashable, Sendable, CustomStringConvertible {
    /// The number of the archive among the layers of the site.
    let layer: Int
    /// The place of the entry in its archive: commit and row.
    let position: EntryPosition

    /// Creates the identifier of an entry.
    ///
    /// - Parameter layer: the number of the layer from which the entry was read.
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

    /// The text that ``init(_:)`` reads, three decimal numbers separated by dots.
    var description: String { "\(layer).\(position.commit).\(position.row)" }

    /// Returns the entry of this identifier; nil if the site has no such entry.
    ///
    /// It costs no search, since the position is that of a row.
    func entry(in site: ReplaySite) -> ArchiveEntry? {
        layer < site.layers.count ? site.layers[layer].entry(at: position) : nil
    }
}
