// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The captures of one URL of which the newest becomes a file. Specification section 8: the one with the largest time, and among equal ones that
/// of the later commit, which comes first.
struct NewestCaptures {
    /// An entry with the properties that are compared, which are decoded once.
    private typealias Capture = (entry: ArchiveEntry, time: ArchiveTime?, role: ArchiveEntry.Role)

    let url: CanonicalURL
    /// The newest capture other than aliases, which may be for unpacking only.
    private var newest: Capture?
    /// The newest capture that a server returns, which may be an alias.
    private var served: Capture?
    /// The entry of a folder without files, which hides no file.
    private var marker: ArchiveEntry?

    init(url: CanonicalURL) { self.url = url }

    /// Adds a capture of the URL. They come newest commit first, so that of equal times the first one stays.
    mutating func add(_ entry: ArchiveEntry) throws(ArchiveError) {
        let (time, role) = (try entry.time, try entry.role)
        // Its file would be empty.
        if role == .withoutBody { return }
        if role == .unpackOnly, try entry.kind == nil {
            marker = marker ?? entry
            return
        }
        if role.isServed, served.map({ ArchiveTime.isOlder($0.time, time) }) ?? true { served = (entry, time, role) }
        if role != .alias, newest.map({ ArchiveTime.isOlder($0.time, time) }) ?? true { newest = (entry, time, role) }
    }

    /// Returns the entry that becomes a file or a folder; nil if the URL now shows the file of a different one.
    ///
    /// - Parameter indexName: the index name of the file behind a folder's URL. It still exists if that URL leads elsewhere now.
    func file(indexName: [UInt8], in archive: ArchiveReader) throws(ArchiveError) -> ArchiveEntry? {
        let own = newest.flatMap { $0.role == .unpackOnly || served?.role != .alias ? $0.entry : nil }
        if try own?.kind == .response { return own }
        guard url.bytes.last == .ascii("/"), let served, let named = try? CanonicalURL(utf8: url.bytes + indexName),
            let index = try archive.newestServed(named), try index.role == .alias, try index.kind == .response,
            try !index.sharesResponse(with: served.entry)
        else { return own ?? marker }
        return index
    }
}
