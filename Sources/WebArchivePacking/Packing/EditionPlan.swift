// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The positions in an earlier edition for the files of a new one, by their URLs.
struct EditionPlan: Sendable {
    /// The edition, in which bodies are also found by their digests, under other URLs.
    let edition: EarlierEdition
    /// For each file the position of the earlier body of its URL; nil for a new URL.
    let places: [EarlierEdition.Place?]
    /// The last file with a position in a block, by the row of the block.
    private let lastFiles: [UInt32: Int]

    /// Looks up the URL of each file.
    ///
    /// - Throws: `invalidArgument` for a name that cannot become a URL; `damaged`, `limitExceeded` or `io` for the earlier edition.
    init(_ edition: EarlierEdition, _ tree: SourceTree, _ urls: SiteURLs) throws(ArchiveError) {
        var places: [EarlierEdition.Place?] = []
        places.reserveCapacity(tree.files.count)
        var lastFiles: [UInt32: Int] = [:]
        for file in tree.files.indices {
            let place = try edition.body(of: urls.url(of: file, in: tree)).flatMap(edition.place)
            if let place { lastFiles[place.block] = file }
            places.append(place)
        }
        (self.edition, self.places, self.lastFiles) = (edition, places, lastFiles)
    }

    /// Returns the row of the block in which no later file has a position; nil if there is none.
    func block(endingWith file: Int) -> UInt32? {
        guard let block = places[file]?.block, lastFiles[block] == file else { return nil }
        return block
    }
}
