// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A buffer for one piece of work, freed with its last reference.
///
/// The memory of a block is reused for the next block. Otherwise, small long-lived allocations between short-lived buffers would fragment
/// the heap until no block fits.
final class ScratchBuffer {
    /// The memory, of the requested length; its content is initially undefined.
    let bytes: UnsafeMutableRawBufferPointer
    private let whole: KeptMemory

    /// Allocates memory, kept or new.
    ///
    /// - Parameter count: the number of bytes.
    init(_ count: Int) {
        whole = KeptMemory.take(count)
        bytes = UnsafeMutableRawBufferPointer(rebasing: whole.bytes[..<count])
    }

    deinit { whole.giveBack() }
}

/// A pool of a few pieces of memory of the length of blocks.
private struct KeptMemory: @unchecked Sendable {
    // One owner at a time has it: a buffer, or the list of those that are free.
    let bytes: UnsafeMutableRawBufferPointer

    /// The lengths that are kept, in bytes: those of blocks, compressed or not.
    private static let lengths = 64 << 10...1 << 20
    /// The number of pieces that are kept, about one for each working thread.
    private static let limit = 16
    private static let free = Mutex<[KeptMemory]>([])

    static func take(_ count: Int) -> KeptMemory {
        guard lengths.contains(count) else { return KeptMemory(bytes: .allocateInLargePages(count)) }
        let kept = free.withLock { free in
            free.firstIndex { $0.bytes.count >= count }.map { free.remove(at: $0) }
        }
        return kept ?? KeptMemory(bytes: .allocateInLargePages(count.roundedUpToPowerOfTwo))
    }

    func giveBack() {
        let isKept =
            Self.lengths.contains(bytes.count)
            && Self.free.withLock { free in
                guard free.count < Self.limit else { return false }
                free.append(self)
                return true
            }
        if !isKept { bytes.deallocate() }
    }
}

extension Int {
    /// The smallest power of two that is not less than this.
    fileprivate var roundedUpToPowerOfTwo: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
