// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The entries that represent URLs while a site is packed.
///
/// Entries of this commit are found by the keys that the writer holds anyway; a dictionary of URLs would be most of the memory that packing
/// takes for an entry.
struct RecordedEntries {
    private let builder: CommitBuilder
    /// The entries of earlier commits, which do not change.
    private var earlier: [CanonicalURL: CommitBuilder.EntryReference] = [:]

    init(_ builder: CommitBuilder) { self.builder = builder }

    /// The entry that represents a URL; nil without one. It is set by ``set(_:for:)``.
    subscript(url: CanonicalURL) -> CommitBuilder.EntryReference? {
        earlier[url] ?? builder.rememberedEntry(url)
    }

    /// Sets the entry for a URL; the last one wins.
    mutating func set(_ entry: CommitBuilder.EntryReference, for url: CanonicalURL) {
        earlier[url] = entry.isEarlier ? entry : nil
        builder.remember(entry)
    }
}
