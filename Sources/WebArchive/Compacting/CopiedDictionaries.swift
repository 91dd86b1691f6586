// SPDX-License-Identifier: Apache-2.0

/// The dictionaries of the archives that are copied into one commit; equal ones become one.
final class CopiedDictionaries {
    private let builder: CommitBuilder
    private var numbers: [ByteKey: UInt32] = [:]
    /// The remaining length for all dictionaries with their names, in bytes: they are in memory until the commit is written.
    private let limit: UInt64
    private var left: UInt64

    /// - Parameter archives: the archives that are copied.
    init(_ builder: CommitBuilder, of archives: [StoredArchive]) {
        self.builder = builder
        let length = archives.reduce(UInt64(0)) { $0.addingSaturated($1.fileLength) }
        // Zeros by the megabyte take next to no room in an archive, nor does a name that many share.
        limit = length.multipliedSaturated(by: 16).addingSaturated(64 << 20)
        left = limit
    }

    /// Adds a dictionary unless an equal one exists, and returns its number in the new archive.
    ///
    /// - Parameter number: its row in the archive that it comes from.
    /// - Throws: `limitExceeded` if all dictionaries together are too long.
    func add(_ number: Int, of archive: StoredArchive) throws(ArchiveError) -> UInt32 {
        let contents = try archive.dictionaryContents(number)
        let key = ByteKey(contents)
        if let same = numbers[key] { return same }
        let name = try archive.dictionaryName(number)
        let length = UInt64(contents.count + (name?.count ?? 0))
        guard length <= left else {
            throw ArchiveError(.limitExceeded, "the dictionaries exceed \(limit) bytes in total")
        }
        left -= length
        let new = try builder.addDictionary(contents, name: name)
        numbers[key] = new
        return new
    }
}
