// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// The event-loop time that each client address used recently. Above a limit, the next requests of the address are queued.
///
/// A short request may decode blocks of a mebibyte, and a client may send any number of them at once. An address gets half the time of
/// one event loop, so that requests from other addresses are processed in between.
final class EventLoopQuota: Sendable {
    /// The duration up to which pieces of work are not counted: nearly all.
    static let negligible = TimeAmount.microseconds(200)
    /// The time that an address may be ahead before it waits.
    private static let burst = TimeAmount.milliseconds(20)

    /// A piece of work that waits.
    private struct Waiting: Sendable {
        /// The event loop on which it is performed.
        let loop: any EventLoop
        /// The work, which is called once.
        let work: @Sendable () -> Void
    }

    /// The account of one address. One of its waiting requests at a time is released.
    private struct Account {
        /// The time at which the address will have waited as long as its work took.
        var end: NIODeadline
        /// The work of all owners of the address, in the order in which it came.
        var queue = OwnedQueue<Waiting>()
        /// Whether the next request of the queue is being released.
        var isReleasing = false

        /// Returns the time until the address is no more than the burst ahead.
        func delay(_ now: NIODeadline) -> TimeAmount { max(.zero, end - now - EventLoopQuota.burst) }
        /// Returns whether the address has waited long enough, and none of its requests wait.
        func isOver(_ now: NIODeadline) -> Bool { end <= now && queue.isEmpty && !isReleasing }
    }

    /// The accounts of the addresses that are ahead or have work in the queue.
    private let accounts: AddressTable<Account>
    /// The clock by which work is measured, monotonic.
    private let clock: @Sendable () -> NIODeadline

    /// Creates an empty quota.
    ///
    /// - Parameter clock: the clock; that of the system by default, and one of a test.
    init(clock: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.clock = clock
        accounts = AddressTable { $0.isOver(clock()) }
    }

    /// The time by which work is measured.
    ///
    /// It costs a call of the clock.
    var now: NIODeadline { clock() }

    /// Charges an address for work: twice its duration must pass until it has waited long enough.
    ///
    /// Work that does not count costs neither a lock nor an account.
    ///
    /// - Parameters:
    ///   - address: the address of the client.
    ///   - duration: the duration of the work on an event loop.
    ///   - atLeast: the duration of work that counts.
    func note(_ address: String, _ duration: TimeAmount, atLeast: TimeAmount = negligible) {
        guard duration > atLeast else { return }
        let now = clock()
        accounts.withState(of: address) { account in
            var changed = account ?? Account(end: now)
            changed.end = max(changed.end, now) + duration + duration
            account = changed
        }
    }

    /// Returns the time that the next request of an address waits; zero if it need not.
    ///
    /// It costs one atomic read as long as no address is ahead.
    func delay(_ address: String) -> TimeAmount {
        guard !accounts.isEmpty else { return .zero }
        let now = clock()
        return accounts.withState(of: address) { account in
            guard let known = account else { return .zero }
            guard !known.isOver(now) else {
                account = nil
                return .zero
            }
            return known.isReleasing ? max(known.delay(now), .nanoseconds(1)) : known.delay(now)
        }
    }

    /// Performs work on an event loop when it is the request's turn. Its duration must be noted before it returns.
    ///
    /// Work is never performed at once, even if the address need not wait. An owner must be removed when its connection
    /// ends.
    ///
    /// - Parameters:
    ///   - address: the address of the client.
    ///   - owner: the owner of the work; see ``remove(_:of:)``.
    ///   - loop: the event loop of the connection.
    ///   - work: a function that is called once, on that event loop.
    func wait(_ address: String, of owner: AnyObject, on loop: any EventLoop, _ work: @escaping @Sendable () -> Void) {
        accounts.withState(of: address, isNeeded: true) { account in
            account = account ?? Account(end: clock())
            account?.queue.append(Waiting(loop: loop, work: work), of: ObjectIdentifier(owner))
        }
        releaseNext(address, afterOne: false)
    }

    /// Removes an owner's work whose turn has not come.
    ///
    /// Work that is being released is performed all the same.
    func remove(_ owner: AnyObject, of address: String) {
        guard !accounts.isEmpty else { return }
        accounts.withState(of: address) { $0?.queue.removeAll(of: ObjectIdentifier(owner)) }
    }

    /// Releases the next request.
    ///
    /// - Parameter afterOne: whether the previous one has been released and is done.
    private func releaseNext(_ address: String, afterOne: Bool) {
        let next = accounts.withState(of: address) { account -> (Waiting, TimeAmount)? in
            guard let isReleasing = account?.isReleasing, afterOne || !isReleasing else { return nil }
            // In place: a copy would take a queue of thousands with it.
            guard let waiting = account?.queue.popFirst(), let delay = account?.delay(clock()) else {
                account?.isReleasing = false
                return nil
            }
            account?.isReleasing = true
            return (waiting, delay)
        }
        guard let (waiting, delay) = next else { return }
        waiting.loop.scheduleTask(in: delay) { [self] in
            waiting.work()
            releaseNext(address, afterOne: true)
        }
    }
}
