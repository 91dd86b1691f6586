// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// An earlier edition of the packed site, whose blocks and dictionaries the new one keeps.
///
/// Nothing in it is trusted: it states which bodies share a block and the dictionaries of blocks. Its stored bytes are used only
/// if they decode to the bytes of the files.
struct EarlierEdition: Sendable {
    /// The position of a body.
    struct Place: Sendable {
        /// The row of the first block.
        let block: UInt32
        /// The offset of the body in that block, in bytes.
        let offset: UInt32
    }

    /// The archive by the rows of its blocks, bodies and dictionaries.
    let stored: StoredArchive
    /// The same archive with one budget for the entries of all files.
    private let limited: ArchiveReader

    /// Throws `damaged` if the last commit was whole once and no longer is.
    init(_ archive: ArchiveReader) throws(ArchiveError) {
        stored = StoredArchive(archive)
        limited = archive.limitedToOnePass()
        if let error = stored.lastCommitDamage { throw error.at(path: archive.name) }
    }

    /// Finds the body of the response to a URL.
    func body(of url: CanonicalURL) throws(ArchiveError) -> ArchiveBody? { try limited.entry(for: url)?.body }

    /// Finds a body by its digest, which is not proof that the bytes are the same.
    func place(of digest: ContentDigest, length: UInt64) throws(ArchiveError) -> Place? {
        try stored.reader.bodies(digest, length: length).first.flatMap(place)
    }

    /// Returns the position of a body; nil for an empty one.
    func place(of body: ArchiveBody) -> Place? {
        stored.start(of: body).map { Place(block: UInt32($0.block), offset: UInt32($0.offset)) }
    }
}
