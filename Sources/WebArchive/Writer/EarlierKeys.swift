// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A table of the positions of keys, for a writer that looks up thousands of them in an archive of many commits.
///
/// Without it, each of 5,000 files would be searched for in each of 1,000 commits.
struct EarlierKeys {
    /// The number of entries beyond which a commit is searched as readers do; an archive has few such commits.
    private static let maximumCommitEntryCount = 1 << 18
    /// The maximum number of keys of all commits in the table, which takes 16 bytes for each.
    private static let capacity = 1 << 22
    /// The maximum length of keys that are hashed, in bytes: keys share common prefixes, so a small file can hold many long ones.
    private static let maximumTextLength = 256 << 20

    private struct HashedKey {
        /// The hash of a key and the number of its commit.
        let hashAndCommit: UInt64
        /// The first row of the key.
        let row: UInt32
    }

    /// The keys, sorted by hash and commit.
    private var keys: [HashedKey] = []
    /// The commits that are not in the table.
    private var others: [Int] = []
    private var hashedByteCount = 0
    /// The maximum number of commits outside the table that are searched for any key.
    private static let maximumOtherCount = 64
    /// The remaining searches of such commits beyond that. Only a hostile or thoroughly damaged archive needs more.
    private var searchesLeft: Int

    /// Hashes the keys of all commits, the newest first.
    ///
    /// - Parameter searches: the number of searches of commits that are not in the table, beyond which lookup ends.
    init(_ index: ArchiveIndex, searches: Int = 1 << 20) {
        searchesLeft = searches
        for (number, commit) in index.commits.enumerated().reversed() where commit.entryCount > 0 {
            let count = keys.count
            let isShort = commit.entryCount <= min(Self.maximumCommitEntryCount, Self.capacity - count)
            // A damaged key is an error only for a lookup that meets it.
            guard isShort, (try? add(commit, number)) == true else {
                keys.removeSubrange(count...)
                others.append(number)
                continue
            }
        }
        keys.sort { $0.hashAndCommit < $1.hashAndCommit }
    }

    /// Returns the commits that may hold a key, newest first.
    ///
    /// - Throws: `limitExceeded` after some million searches of damaged or long commits.
    mutating func places(of key: UnsafeRawBufferPointer) throws(ArchiveError) -> [CaptureList.Place] {
        searchesLeft -= max(0, others.count - Self.maximumOtherCount)
        guard searchesLeft >= 0 else {
            throw ArchiveError(
                .limitExceeded,
                "\(others.count) commits have damaged or too many keys; compact the archive into another file first")
        }
        let hash = UInt64(Checksum.of(key))
        let first = keys.indices.partitioningIndex { keys[$0].hashAndCommit >= hash << 32 }
        var places = others.map { CaptureList.Place(commit: $0, row: nil) }
        let start = places.count
        for key in keys[first...].prefix(while: { $0.hashAndCommit >> 32 == hash }) {
            let commit = Int(key.hashAndCommit & 0xFFFF_FFFF)
            // Keys of one hash are easy to make; each commit is searched once.
            if places.count > start, places.last?.commit == commit {
                places[places.count - 1] = CaptureList.Place(commit: commit, row: nil)
            } else {
                places.append(CaptureList.Place(commit: commit, row: Int(key.row)))
            }
        }
        return places.sorted { $0.commit > $1.commit }
    }

    /// Returns whether there was space for the hashes of the keys of a commit.
    private mutating func add(_ commit: CommitIndex, _ number: Int) throws(ArchiveError) -> Bool {
        var (key, last): ([UInt8], [UInt8]) = ([], [])
        for start in stride(from: 0, to: commit.entryCount, by: FormatLimits.keysPerBlock) {
            var cursor = KeyBlock.Cursor(try commit.keyBlock(start / FormatLimits.keysPerBlock))
            swap(&key, &last)
            key.removeAll(keepingCapacity: true)
            for item in 0..<min(FormatLimits.keysPerBlock, commit.entryCount - start) {
                let (shared, rest) = try cursor.next()
                if item > 0, rest.isEmpty, shared == key.count { continue }
                key.removeSubrange(shared...)
                key.append(contentsOf: rest)
                if item == 0, key == last { continue }
                hashedByteCount += key.count
                guard hashedByteCount <= Self.maximumTextLength else { return false }
                let own = key.withUnsafeBytes { Checksum.of($0) }
                keys.append(HashedKey(hashAndCommit: UInt64(own) << 32 | UInt64(number), row: UInt32(start + item)))
            }
        }
        return true
    }
}
