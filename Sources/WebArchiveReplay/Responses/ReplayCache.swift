// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import NIOCore
import Synchronization
package import WebArchive

/// A cache of recent responses, of recently decoded blocks of long bodies, and of content in a coding.
///
/// A frequently requested page is looked up and assembled only once. The cache evicts with the clock algorithm (second chance), and its
/// size in bytes is bounded. Values of more than a quarter of it are not kept. Any thread may use it; a mutex is held for each access,
/// and no longer than the eviction takes. Values never go stale, since an open archive does not change.
package final class ReplayCache: Sendable {
    /// The identity of a value: its kind, and the URL, the capture, the block, or the body and its coding.
    private enum Key: Hashable {
        /// A response by the URL of its entry.
        case response(CanonicalURL)
        /// A response by its entry.
        case capture(Capture)
        /// A decoded block of a long body.
        case block(ArchiveBody.CodedBlock)
        /// The content of a body in a coding.
        case coded(ArchiveBody.Identity, ContentCoding)
    }

    /// A value, whose bytes are shared with the responses that use it.
    private enum Value {
        /// A response with its fields, and its content if that is short.
        case response(StoredResponse)
        /// The bytes of a block, or of content in a coding.
        case block(ByteBuffer)
    }

    /// A place of the clock with its value.
    private struct Slot {
        /// The key, by which an evicted value is removed from the index.
        let key: Key
        let value: Value
        /// The estimated memory of the value, in bytes.
        let cost: Int
        /// Whether the value was used since the hand passed it last.
        var isUsed: Bool
    }

    /// The state under the lock.
    private struct State {
        /// The numbers of slots by key.
        var numbers: [Key: Int] = [:]
        /// The slots; nil for one that is free. Their number never falls.
        var slots: [Slot?] = []
        /// The numbers of the free slots.
        var free: [Int] = []
        /// The number of the slot that the hand passed last.
        var hand = 0
        /// The estimated memory of all values, in bytes.
        var cost = 0
    }

    private let state = Mutex(State())
    /// The estimated memory that all values may take, in bytes.
    let capacity: Int

    /// Creates an empty cache.
    ///
    /// Memory is taken as values are added.
    ///
    /// - Parameter capacity: the estimated memory that all values may take, in bytes; 0 keeps nothing.
    package init(capacity: Int) { self.capacity = capacity }

    /// The response kept for a URL. Setting an existing one, or nil, changes nothing.
    ///
    /// It is the URL of the entry, which may differ from that of the request.
    subscript(url: CanonicalURL) -> StoredResponse? {
        get {
            guard case .response(let response)? = value(.response(url)) else { return nil }
            return response
        }
        set {
            guard let newValue else { return }
            insert(.response(newValue), for: .response(url), cost: 2 * url.bytes.count + Self.cost(newValue))
        }
    }

    /// An entry as a request finds it.
    struct Capture: Hashable {
        let entry: ArchiveEntry.Identity
        /// Whether others match the request that have other times, which the response states.
        let isOneOfSeveral: Bool
    }

    /// The response kept for a capture.
    ///
    /// Setting an existing one, or nil, changes nothing.
    subscript(capture: Capture) -> StoredResponse? {
        get {
            guard case .response(let response)? = value(.capture(capture)) else { return nil }
            return response
        }
        set {
            guard let newValue else { return }
            insert(.response(newValue), for: .capture(capture), cost: Self.cost(newValue))
        }
    }

    /// The decoded bytes of a stored block.
    ///
    /// Setting an existing one, or nil, changes nothing.
    package subscript(block: ArchiveBody.CodedBlock) -> ByteBuffer? {
        get {
            guard case .block(let bytes)? = value(.block(block)) else { return nil }
            return bytes
        }
        set {
            guard let newValue else { return }
            insert(.block(newValue), for: .block(block), cost: 256 + newValue.capacity)
        }
    }

    /// The content in a coding; empty if that is not shorter.
    ///
    /// Setting an existing one, or nil, changes nothing.
    subscript(body: ArchiveBody.Identity, coding: ContentCoding) -> ByteBuffer? {
        get {
            guard case .block(let bytes)? = value(.coded(body, coding)) else { return nil }
            return bytes
        }
        set {
            guard let newValue else { return }
            insert(.block(newValue), for: .coded(body, coding), cost: 256 + newValue.capacity)
        }
    }

    /// Returns a value, and marks it as used.
    private func value(_ key: Key) -> Value? {
        state.withLock { state in
            guard let number = state.numbers[key] else { return nil }
            state.slots[number]?.isUsed = true
            return state.slots[number]?.value
        }
    }

    /// Keeps a value, and evicts others until there is room. An existing value stays: two threads may have made the same.
    ///
    /// A value of more than a quarter of the capacity is not kept, so that one does not evict most others.
    ///
    /// - Parameter cost: the estimated memory of the value, in bytes.
    private func insert(_ value: Value, for key: Key, cost: Int) {
        guard cost <= capacity / 4 else { return }
        state.withLock { state in
            guard state.numbers[key] == nil else { return }
            while state.cost + cost > capacity { Self.removeOne(&state) }
            let slot = Slot(key: key, value: value, cost: cost, isUsed: false)
            if let number = state.free.popLast() {
                state.slots[number] = slot
                state.numbers[key] = number
            } else {
                state.numbers[key] = state.slots.count
                state.slots.append(slot)
            }
            state.cost += cost
        }
    }

    /// Evicts the next value that was not used since the hand passed it last. It terminates: on the second pass no value is marked as used any
    /// more.
    ///
    /// - Parameter state: the state, which must have a value.
    private static func removeOne(_ state: inout State) {
        while true {
            state.hand = (state.hand + 1) % state.slots.count
            guard let slot = state.slots[state.hand] else { continue }
            if slot.isUsed {
                state.slots[state.hand]?.isUsed = false
                continue
            }
            state.numbers[slot.key] = nil
            state.slots[state.hand] = nil
            state.free.append(state.hand)
            state.cost -= slot.cost
            return
        }
    }

    /// Returns the approximate memory of a response without its URL, in bytes: itself and its slot here, and for each field a name in two forms, a value in two
    /// lists, and their slots in these and in an index.
    private static func cost(_ response: StoredResponse) -> Int {
        let fields = response.fields.reduce(0) { $0 + 320 + 3 * $1.name.rawName.utf8.count + 2 * $1.value.utf8.count }
        return 1024 + fields + (response.content?.capacity ?? 0)
    }
}
