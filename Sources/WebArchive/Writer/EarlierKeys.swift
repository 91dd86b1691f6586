// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A table of which commits hold which keys, for a writer that looks up thousands of them in an archive of many commits.
///
/// Without it, each of 5,000 files would be searched for in each of 1,000 commits.
struct EarlierKeys {
    /// Commits with more entries than this are searched as readers do; an archive has few of them.
    private static let longestCommit = 1 << 18
    /// Keys of all commits in the table, which takes 8 bytes for each.
    private static let capacity = 1 << 23
    /// Bytes of keys that are hashed: keys share what they have in common, so that a small file can hold many long ones.
    private static let longestText = 256 << 20

    /// The hash of a key and the number of a commit that holds one of this hash, sorted.
    private var places: [UInt64] = []
    /// Commits that are not in the table.
    private var others: [Int] = []
    private var hashedByteCount = 0
    /// Commits not in the table that are searched for any key.
    private static let mostOthers = 64
    /// Searches of such commits beyond that. Only an archive that is made for it, or damaged all over, needs more.
    private var searchesLeft: Int

    init(_ index: ArchiveIndex, searches: Int = 1 << 20) {
        searchesLeft = searches
        for (number, commit) in index.commits.enumerated().reversed() where commit.entryCount > 0 {
            let count = places.count
            let isShort = commit.entryCount <= min(Self.longestCommit, Self.capacity - count)
            // A damaged key is an error only for a lookup that meets it.
            guard isShort, (try? add(commit, number)) == true else {
                places.removeSubrange(count...)
                others.append(number)
                continue
            }
        }
        places.sort()
        // Keys of one hash are easy to make; each commit is searched once.
        places = zip(places, places.dropFirst() + [.max]).filter { $0 != $1 }.map(\.0)
    }

    /// The commits that may hold a key, newest first.
    ///
    /// - Throws: `limitExceeded` after some million searches of damaged or long commits.
    mutating func commits(for key: UnsafeRawBufferPointer) throws(ArchiveError) -> [Int] {
        searchesLeft -= max(0, others.count - Self.mostOthers)
        guard searchesLeft >= 0 else {
            throw ArchiveError(
                .limitExceeded,
                "\(others.count) commits have damaged or very many keys; compact the archive to another file first")
        }
        let hash = UInt64(Checksum.of(key))
        let first = places.indices.partitioningIndex { places[$0] >= hash << 32 }
        let found = places[first...].prefix { $0 >> 32 == hash }.map { Int($0 & 0xFFFF_FFFF) }
        return (others + found).sorted(by: >)
    }

    /// Whether there was room for the hashes of the keys of a commit.
    private mutating func add(_ commit: CommitIndex, _ number: Int) throws(ArchiveError) -> Bool {
        var key: [UInt8] = []
        var hash: UInt32?
        for start in stride(from: 0, to: commit.entryCount, by: FormatLimits.keysPerBlock) {
            var cursor = KeyBlock.Cursor(try commit.keyBlock(start / FormatLimits.keysPerBlock))
            key.removeAll(keepingCapacity: true)
            for item in 0..<min(FormatLimits.keysPerBlock, commit.entryCount - start) {
                let (shared, rest) = try cursor.next()
                if item > 0, rest.isEmpty, shared == key.count { continue }
                key.removeSubrange(shared...)
                key.append(contentsOf: rest)
                hashedByteCount += key.count
                guard hashedByteCount <= Self.longestText else { return false }
                let own = key.withUnsafeBytes { Checksum.of($0) }
                if own != hash { places.append(UInt64(own) << 32 | UInt64(number)) }
                hash = own
            }
        }
        return true
    }
}
