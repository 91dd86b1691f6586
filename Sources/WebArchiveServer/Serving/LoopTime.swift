// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The time that the requests of each address took on event loops lately, beyond which its next requests wait, one behind the other.
///
/// A short request may have blocks of a mebibyte decoded, and a client may send any number of them at once. An address gets half the time of
/// one event loop, so that those of others are answered in between.
final class LoopTime: Sendable {
    /// Pieces of work that take no longer are not counted: nearly all.
    private static let negligible = TimeAmount.microseconds(200)
    /// The time that an address is ahead by before it waits.
    private static let burst = TimeAmount.milliseconds(20)
    private static let mostAddresses = 4096

    private struct Waiting: Sendable {
        let loop: any EventLoop
        let work: @Sendable () -> Void
    }

    private struct Account {
        /// When the address will have waited as long as its work took.
        var end: NIODeadline
        var queue = CircularBuffer<Waiting>()
        /// Whether the next of the queue has its time.
        var isReleasing = false

        func delay(_ now: NIODeadline) -> TimeAmount { max(.zero, end - now - LoopTime.burst) }
        func isOver(_ now: NIODeadline) -> Bool { end <= now && !isReleasing }
    }

    private let accounts = Mutex<[String: Account]>([:])
    /// The count of `accounts`, which is 0 almost always.
    private let count = Atomic(0)
    private let clock: @Sendable () -> NIODeadline

    init(clock: @escaping @Sendable () -> NIODeadline = { .now() }) { self.clock = clock }

    func note(_ address: String, _ duration: TimeAmount) {
        guard duration > Self.negligible else { return }
        let now = clock()
        accounts.withLock { accounts in
            if accounts.count >= Self.mostAddresses { accounts = accounts.filter { !$0.value.isOver(now) } }
            guard accounts.count < Self.mostAddresses || accounts[address] != nil else { return }
            let end = max(accounts[address]?.end ?? now, now) + duration + duration
            accounts[address, default: Account(end: end)].end = end
            count.store(accounts.count, ordering: .relaxed)
        }
    }

    /// The time that the next request of an address waits; zero if it need not.
    func delay(_ address: String) -> TimeAmount {
        guard count.load(ordering: .relaxed) > 0 else { return .zero }
        let now = clock()
        return accounts.withLock { accounts in
            guard let account = accounts[address] else { return .zero }
            guard !account.isOver(now) else {
                accounts[address] = nil
                count.store(accounts.count, ordering: .relaxed)
                return .zero
            }
            return account.isReleasing ? max(account.delay(now), .nanoseconds(1)) : account.delay(now)
        }
    }

    /// Does work on an event loop when it is the request's turn. What it takes has to be noted before it returns.
    func wait(_ address: String, on loop: any EventLoop, _ work: @escaping @Sendable () -> Void) {
        accounts.withLock { accounts in
            accounts[address, default: Account(end: clock())].queue.append(Waiting(loop: loop, work: work))
            count.store(accounts.count, ordering: .relaxed)
        }
        releaseNext(address, afterOne: false)
    }

    /// - Parameter afterOne: whether the one before it has been released and is done.
    private func releaseNext(_ address: String, afterOne: Bool) {
        let next = accounts.withLock { accounts -> (Waiting, TimeAmount)? in
            guard var account = accounts[address], afterOne || !account.isReleasing else { return nil }
            let waiting = account.queue.popFirst()
            account.isReleasing = waiting != nil
            accounts[address] = account
            return waiting.map { ($0, account.delay(clock())) }
        }
        guard let (waiting, delay) = next else { return }
        waiting.loop.scheduleTask(in: delay) { [self] in
            waiting.work()
            releaseNext(address, afterOne: true)
        }
    }
}
