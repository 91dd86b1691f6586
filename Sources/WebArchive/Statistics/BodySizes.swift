// SPDX-License-Identifier: Apache-2.0

/// The bytes that bodies take in an archive, in total and each at its first use. It takes a bit of memory for each body.
struct BodySizes {
    /// The bytes of all bodies but dictionaries, each once.
    private(set) var distinctBytes: UInt64 = 0
    /// The bytes that the blocks of dictionaries take.
    private(set) var dictionariesStored: UInt64 = 0
    /// The number of bodies that are dictionaries.
    let dictionaryCount: Int
    private var taken: RowSet

    init(_ archive: StoredArchive) throws(ArchiveError) {
        let dictionaries = try archive.dictionaryBodies()
        dictionaryCount = dictionaries.count
        taken = RowSet(capacity: archive.bodyCount)
        var (distinct, dictionaryBytes) = (UInt64(0), UInt64(0))
        try archive.forEachBody { body throws(ArchiveError) in
            if dictionaries.contains(body.number) {
                dictionaryBytes = dictionaryBytes.addingSaturated(try body.body.storedLength)
            } else {
                distinct = distinct.addingSaturated(body.length)
            }
        }
        (distinctBytes, dictionariesStored) = (distinct, dictionaryBytes)
    }

    /// Returns the bytes that a body takes, at the first call for it; 0 afterwards.
    mutating func takeStored(_ body: ArchiveBody) throws(ArchiveError) -> UInt64 {
        taken.insert(body.number) ? try body.storedLength : 0
    }
}
