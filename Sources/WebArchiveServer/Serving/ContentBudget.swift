// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A budget of memory for unsent content of all connections together: clients that read nothing must not exhaust it.
///
/// An address gets no more than remains for all others, so that some always does. Responses are counted whole, so that several addresses
/// may exceed the limit: up to twice the limit, an address that holds nothing gets a response all the same. Connections that wait for room
/// are resumed one at a time as others release some, so that waiting costs no processor time.
final class ContentBudget: Sendable {
    /// The counts of all connections, which one lock protects.
    private struct State {
        /// The number of bytes of all addresses together.
        var used = 0
        /// The number of bytes of each address that holds some.
        var usedByAddress: [String: Int] = [:]
        /// The connections that wait, by address, in the order in which they came.
        var waiting: [String: [ContentShare]] = [:]

        /// Returns whether an address may have more: less than remains for the others, or anything if it holds nothing.
        ///
        /// - Parameter limit: the limit in bytes; an address that holds nothing may exceed it, up to twice the limit in total.
        func hasRoom(for address: String, _ limit: Int) -> Bool {
            let own = usedByAddress[address, default: 0]
            return own < limit - used || own == 0 && used < 2 * limit
        }

        /// Takes a connection that waits and whose address has room; nil if there is none. It must be woken.
        mutating func takeWaiting(_ limit: Int) -> ContentShare? {
            // By chance, so that no address is preferred.
            guard let address = waiting.keys.filter({ hasRoom(for: $0, limit) }).randomElement() else { return nil }
            let share = waiting[address]?.removeFirst()
            if waiting[address]?.isEmpty == true { waiting[address] = nil }
            return share
        }
    }

    private let state = Mutex(State())
    /// The limit of all connections together, in bytes.
    private let limit: Int

    /// - Parameter limit: the limit in bytes.
    init(limit: Int) { self.limit = limit }

    /// Returns whether an address may have more now.
    ///
    /// The result is a hint, since other threads take bytes meanwhile.
    func hasRoom(for address: String) -> Bool { state.withLock { $0.hasRoom(for: address, limit) } }

    /// Counts bytes, even beyond the limit: the caller has checked that there is room.
    ///
    /// - Parameters:
    ///   - count: the number of bytes, which the caller gives back with ``giveBack(_:of:)``.
    ///   - address: the client, as ``ContentShare/client(_:)`` names it.
    func take(_ count: Int, for address: String) {
        state.withLock {
            $0.used += count
            $0.usedByAddress[address, default: 0] += count
        }
    }

    /// Releases bytes, and wakes one connection that can continue now.
    ///
    /// The connection is woken outside of the lock.
    ///
    /// - Parameter count: the number of bytes, at most as many as the address has taken.
    func giveBack(_ count: Int, of address: String) {
        let next = state.withLock { state -> ContentShare? in
            state.used -= count
            let left = state.usedByAddress[address, default: 0] - count
            state.usedByAddress[address] = left == 0 ? nil : left
            return state.takeWaiting(limit)
        }
        next?.wake()
    }

    /// Registers a connection, unless it already waits, to be woken when its address has room.
    ///
    /// The check and the registration are one step, so that no release in between is missed.
    ///
    /// - Returns: false if it has room already.
    func add(waiting share: ContentShare, _ address: String) -> Bool {
        state.withLock { state in
            guard !state.hasRoom(for: address, limit) else { return false }
            state.waiting[address, default: []].append(share)
            return true
        }
    }

    /// Removes a connection that ends or that no longer waits. It need not be registered.
    func remove(waiting share: ContentShare, _ address: String) {
        state.withLock { state in
            state.waiting[address]?.removeAll { $0 === share }
            if state.waiting[address]?.isEmpty == true { state.waiting[address] = nil }
        }
    }

    /// Wakes another connection if there is still room for it.
    ///
    /// It must be called after a connection was woken, since a release wakes only one.
    func wakeNext() { state.withLock { $0.takeWaiting(limit) }?.wake() }
}
