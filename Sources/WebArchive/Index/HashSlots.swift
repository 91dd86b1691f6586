// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// The slots of a hash table, sorted into buckets. Specification section 8.4.
package struct HashSlots {
    /// A slot of the hash table.
    package struct Slot {
        /// The CRC of the key.
        package let hash: UInt32
        /// The first row of the key.
        package let entry: UInt32

        package init(hash: UInt32, entry: UInt32) { (self.hash, self.entry) = (hash, entry) }
    }

    /// The slots, bucket by bucket.
    package let slots: [Slot]
    /// The index in ``slots`` of the start of each bucket: 2^k of them.
    package let bucketStarts: [UInt32]

    /// Creates a table of about two slots to a bucket: short to scan, and cheap to store.
    package init(_ unsorted: [Slot]) {
        guard !unsorted.isEmpty else {
            (slots, bucketStarts) = ([], [])
            return
        }
        var bucketCount = 1
        while bucketCount * 2 < unsorted.count { bucketCount *= 2 }
        let mask = UInt32(bucketCount - 1)
        var starts = [UInt32](repeating: 0, count: bucketCount)
        for slot in unsorted { starts[Int(slot.hash & mask)] += 1 }
        var total: UInt32 = 0
        for bucket in starts.indices { (starts[bucket], total) = (total, total + starts[bucket]) }
        var next = starts
        var sorted = unsorted
        for slot in unsorted {
            let bucket = Int(slot.hash & mask)
            sorted[Int(next[bucket])] = slot
            next[bucket] += 1
        }
        (slots, bucketStarts) = (sorted, starts)
    }
}
