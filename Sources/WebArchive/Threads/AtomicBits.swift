// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A set of bits, one for each row of a class, set from any thread. Memory is allocated only where bits are set.
final class AtomicBits: @unchecked Sendable {
    // The words are atomic; nothing else changes.
    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Creates bits that are all clear.
    init(count: Int) {
        let wordCount = count / 64 + 1
        // Swift's own allocation ends the process without memory, too, but it would have to write all the zeros.
        guard let memory = calloc(wordCount, 8) else { fatalError("no memory for \(count) bits") }
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: wordCount)
    }

    deinit { free(words) }

    /// Sets a bit, and returns whether it was set before.
    @discardableResult
    func insert(_ row: Int) -> Bool {
        let mask = 1 << UInt64(row & 63) as UInt64
        return words[row >> 6].bitwiseOr(mask, ordering: .relaxed).oldValue & mask != 0
    }

    /// Returns whether a bit is set. It may miss bits that other threads set meanwhile.
    func contains(_ row: Int) -> Bool {
        words[row >> 6].load(ordering: .relaxed) & (1 << UInt64(row & 63)) != 0
    }
}
