// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// How many bytes each body takes in the archive. 40 bytes of memory for each.
struct BodySizes {
    private struct Size {
        let digest: ContentDigest
        let length: UInt64
        let stored: UInt64
        var isTaken = false
    }

    private var sizes: [Size] = []
    private(set) var distinctBytes: UInt64 = 0
    private(set) var dictionariesStored: UInt64 = 0
    let dictionaryCount: Int

    init(_ archive: StoredArchive) throws(ArchiveError) {
        let dictionaries = try archive.dictionaryBodies()
        dictionaryCount = dictionaries.count
        var sizes: [Size] = []
        var (distinct, dictionaryBytes) = (UInt64(0), UInt64(0))
        try archive.forEachBody { body throws(ArchiveError) in
            let size = Size(digest: body.digest, length: body.length, stored: try body.body.storedLength)
            if dictionaries.contains(body.number) {
                dictionaryBytes += size.stored
            } else {
                distinct += body.length
                sizes.append(size)
            }
        }
        // The bodies of a commit are sorted, those of several are not.
        if archive.commits.count > 1 { sizes.sort { $0.digest < $1.digest } }
        (self.sizes, distinctBytes, dictionariesStored) = (sizes, distinct, dictionaryBytes)
    }

    /// What a body takes, at the first call for it; 0 afterwards.
    mutating func takeStored(_ body: ArchiveBody) -> UInt64 {
        var (low, high) = (0, sizes.count)
        while low < high {
            let middle = (low + high) / 2
            if sizes[middle].digest < body.digest { low = middle + 1 } else { high = middle }
        }
        while low < sizes.count, sizes[low].digest == body.digest {
            if sizes[low].length == body.length, !sizes[low].isTaken {
                sizes[low].isTaken = true
                return sizes[low].stored
            }
            low += 1
        }
        return 0
    }
}
