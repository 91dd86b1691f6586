// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The share of one connection, with all its streams, in the memory for unsent responses.
///
/// A connection whose address has used up its share continues in small pieces, one at a time: slower, and with little memory.
final class ContentShare: Sendable {
    /// The length of a small piece, in bytes.
    static let smallLength = 16 << 10
    /// The length of short fields, in bytes: they are kept while their response waits, and counted only while it is unsent.
    static let shortFieldsLength = 4 << 10
    /// The numbers of streams that may wait for room, and of bytes that may be held for streams, if the address has used up its share: more
    /// streams are refused (RFC 9113 section 8.7).
    static let maximumWaitingCount = 16
    /// The maximum number of bytes that are held for streams while the address has no room.
    static let maximumHeldLength = 64 << 10

    /// A handler that waits for room.
    private struct Waiter: Sendable {
        /// The identity of the handler, by which it is forgotten.
        let handler: ObjectIdentifier
        /// Whether it cannot continue in small pieces.
        let needsRoom: Bool
        /// A function that continues the handler, called on the event loop once.
        let resume: @Sendable () -> Void
    }

    /// The state of waiting, which the threads of the workers share with the event loop.
    private struct State {
        /// The handlers that wait, the one that has waited longest first.
        var waiters: [Waiter] = []
        /// Whether ``wake()`` has been scheduled and has not run yet.
        var isWaking = false
        /// Whether the budget will call ``wake()``.
        var isQueued = false
    }

    /// The budget of all connections.
    private let budget: ContentBudget
    /// The client, which all connections from one address share.
    let address: String
    private let eventLoop: any EventLoop
    /// The number of bytes that were passed to the connection and have not been sent.
    private let onItsWay = Atomic(0)
    /// The number of bytes of responses that wait to be passed on, and of the requests of streams.
    private let held = Atomic(0)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - address: the address of the client.
    ///   - eventLoop: the event loop of the connection, on which handlers are resumed.
    init(_ budget: ContentBudget, address: String, on eventLoop: any EventLoop) {
        self.budget = budget
        self.eventLoop = eventLoop
        self.address = Self.client(address)
    }

    /// Returns the client of an address. A client of IPv6 has a network of 64 bits, and shares it with itself.
    ///
    /// All addresses of such a network are one client, since a client can usually choose among them. Text that is not
    /// an IPv6 address stays as it is.
    static func client(_ address: String) -> String { IPAddressBytes("[\(address)]").map(\.clientText) ?? address }

    /// Whether the address has no room left.
    ///
    /// It is a hint: other threads change the budget meanwhile.
    var isShort: Bool { !budget.hasRoom(for: address) }

    /// Whether further streams are refused.
    ///
    /// Further streams are accepted as long as the address has room, for any number of waiting ones.
    var isCrowded: Bool {
        let isFull = held.load(ordering: .relaxed) > Self.maximumHeldLength
        return (isFull || state.withLock { $0.waiters.count } >= Self.maximumWaitingCount) && isShort
    }

    /// The maximum length of a piece that may be read now, in bytes; 0 until some bytes were sent.
    ///
    /// It is unlimited as long as the address has room.
    var allowance: Int {
        if !isShort { return .max }
        return onItsWay.load(ordering: .relaxed) == 0 ? Self.smallLength : 0
    }

    /// Counts bytes that were passed to the connection.
    ///
    /// They must be released with ``giveBack(_:)``, even if sending fails. Any thread may call it.
    func take(_ count: Int) {
        onItsWay.wrappingAdd(count, ordering: .relaxed)
        budget.take(count, for: address)
    }

    /// Releases bytes that were sent; the next small piece may follow.
    ///
    /// Any thread may call it, as may the handlers of a write's promise.
    func giveBack(_ count: Int) {
        let left = onItsWay.wrappingSubtract(count, ordering: .relaxed).newValue
        budget.giveBack(count, of: address)
        // A small piece may follow even without room.
        if left == 0, state.withLock({ !$0.waiters.isEmpty }) { wake() }
    }

    /// Counts bytes of a response that is held until it has been passed to the connection.
    ///
    /// Any thread may call it; the worker that made a response does.
    func hold(_ count: Int) {
        held.wrappingAdd(count, ordering: .relaxed)
        budget.take(count, for: address)
    }

    /// Releases bytes that were held: they were passed on, or their client has disconnected.
    func release(_ count: Int) {
        held.wrappingSubtract(count, ordering: .relaxed)
        budget.giveBack(count, of: address)
    }

    // MARK: - Waiting

    /// Resumes a handler once it can continue; on the event loop only.
    ///
    /// - Parameters:
    ///   - handler: the handler, which must call ``forget(_:)`` when it ends before it was resumed.
    ///   - needsRoom: whether it cannot continue in small pieces.
    ///   - resume: a function that is called at most once, on the event loop.
    func wait(_ handler: AnyObject, needsRoom: Bool = false, _ resume: @escaping @Sendable () -> Void) {
        let waiter = Waiter(handler: ObjectIdentifier(handler), needsRoom: needsRoom, resume: resume)
        state.withLock { $0.waiters.append(waiter) }
        // Bytes on their way may have left since the handler looked.
        if canResume(waiter) { wake() } else { queue() }
    }

    /// Returns whether a waiting handler can continue now.
    private func canResume(_ waiter: Waiter) -> Bool { waiter.needsRoom ? !isShort : allowance > 0 }

    /// Removes a handler whose connection or stream has ended.
    ///
    /// The last one also leaves the queue of the budget.
    func forget(_ handler: AnyObject) {
        let isLast = state.withLock { state in
            state.waiters.removeAll { $0.handler == ObjectIdentifier(handler) }
            guard state.waiters.isEmpty, state.isQueued else { return false }
            state.isQueued = false
            return true
        }
        if isLast { budget.remove(waiting: self, address) }
    }

    /// Resumes handlers on the event loop, soon.
    ///
    /// Any thread may call it. Calls before the handlers run count as one.
    func wake() {
        let isDue = state.withLock { state in
            state.isQueued = false
            defer { state.isWaking = true }
            return !state.isWaking
        }
        if isDue { eventLoop.execute { self.resume() } }
    }

    /// Registers the connection with the budget, or wakes it if its address has room by now.
    private func queue() {
        let isDue = state.withLock { state in
            defer { state.isQueued = true }
            return !state.isQueued
        }
        if isDue, !budget.add(waiting: self, address) { wake() }
    }

    /// Resumes the handlers that can continue, each once. Those that must wait again come last the next time.
    ///
    /// A handler that is forgotten meanwhile is not called.
    private func resume() {
        let waiters = state.withLock { state in
            state.isWaking = false
            return state.waiters
        }
        for waiter in waiters where canResume(waiter) {
            let isWaiting = state.withLock { state in
                guard let place = state.waiters.firstIndex(where: { $0.handler == waiter.handler }) else {
                    return false
                }
                state.waiters.remove(at: place)
                return true
            }
            if isWaiting { waiter.resume() }
        }
        if state.withLock({ !$0.waiters.isEmpty }) { queue() }
        // There may be room for another connection, at least of another address.
        budget.wakeNext()
    }
}
