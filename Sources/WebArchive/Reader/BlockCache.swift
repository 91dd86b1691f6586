// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A decoded block that several threads may read.
final class DecodedBlock: @unchecked Sendable {
    // Filled once, before it is shared.
    private let buffer: UnsafeMutableRawBufferPointer

    init(count: Int) { buffer = .allocate(byteCount: count, alignment: 16) }
    deinit { buffer.deallocate() }

    /// Fills the memory, once, before it is shared.
    func fill(from bytes: UnsafeRawBufferPointer) { buffer.copyMemory(from: bytes) }

    /// Calls `work` with the bytes, which are valid for the lifetime of this object.
    func withBytes(
        _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        try work(UnsafeRawBufferPointer(buffer))
    }
}

/// A cache of a fixed number of most recently used blocks.
final class BlockCache: Sendable {
    private struct Item {
        let place: RowPlace
        let block: DecodedBlock
        var lastUse: UInt64
    }

    private struct State {
        var items: [Item] = []
        var clock: UInt64 = 0
    }

    private let state = Mutex(State())
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// The block of a row; nil if it is not kept. An access keeps it longer.
    ///
    /// Holds the mutex while it scans all items, which are few.
    subscript(place: RowPlace) -> DecodedBlock? {
        get {
            state.withLock { state in
                guard let found = state.items.firstIndex(where: { $0.place == place }) else { return nil }
                state.clock += 1
                state.items[found].lastUse = state.clock
                return state.items[found].block
            }
        }
        set {
            guard let newValue else { return }
            state.withLock { state in
                state.clock += 1
                let item = Item(place: place, block: newValue, lastUse: state.clock)
                if let found = state.items.firstIndex(where: { $0.place == place }) {
                    state.items[found] = item
                } else if state.items.count < capacity {
                    state.items.append(item)
                } else if let oldest = state.items.indices.min(by: { state.items[$0].lastUse < state.items[$1].lastUse }
                ) {
                    state.items[oldest] = item
                }
            }
        }
    }
}
