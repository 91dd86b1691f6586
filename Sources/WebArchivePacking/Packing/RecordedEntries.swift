// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The entries that stand for URLs while a site is packed.
///
/// Entries of this commit are found by the keys that the writer holds anyway; a dictionary of URLs would be most of the memory that packing
/// takes for an entry.
struct RecordedEntries {
    private let writer: ArchiveWriter
    /// Entries of earlier commits, which stay as they are.
    private var earlier: [CanonicalURL: ArchiveWriter.EntryReference] = [:]

    init(_ writer: ArchiveWriter) { self.writer = writer }

    subscript(url: CanonicalURL) -> ArchiveWriter.EntryReference? {
        earlier[url] ?? writer.rememberedEntry(url)
    }

    /// The last one wins.
    mutating func set(_ entry: ArchiveWriter.EntryReference, for url: CanonicalURL) {
        earlier[url] = entry.isEarlier ? entry : nil
        writer.remember(entry)
    }
}
