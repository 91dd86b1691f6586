// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The time that the requests of each address took on event loops lately, beyond which its next requests wait.
///
/// A short request may have blocks of a mebibyte decoded, and a client may send any number of them at once. An address gets half the time of
/// one event loop, so that those of others are answered in between.
final class LoopTime: Sendable {
    /// Pieces of work that take no longer are not counted: nearly all.
    private static let negligible = TimeAmount.microseconds(200)
    /// The time that an address is ahead by before it waits.
    private static let burst = TimeAmount.milliseconds(20)
    private static let mostAddresses = 4096

    /// When each address will have waited as long as its work took.
    private let ends = Mutex<[String: NIODeadline]>([:])
    /// The count of `ends`, which is 0 almost always.
    private let count = Atomic(0)

    func note(_ address: String, _ duration: TimeAmount, now: NIODeadline = .now()) {
        guard duration > Self.negligible else { return }
        ends.withLock { ends in
            if ends.count >= Self.mostAddresses { ends = ends.filter { $0.value > now } }
            guard ends.count < Self.mostAddresses || ends[address] != nil else { return }
            ends[address] = max(ends[address] ?? now, now) + duration + duration
            count.store(ends.count, ordering: .relaxed)
        }
    }

    /// The time that the next request of an address waits.
    func delay(_ address: String, now: NIODeadline = .now()) -> TimeAmount {
        guard count.load(ordering: .relaxed) > 0 else { return .zero }
        return ends.withLock { ends in
            guard let end = ends[address] else { return .zero }
            guard end > now else {
                ends[address] = nil
                count.store(ends.count, ordering: .relaxed)
                return .zero
            }
            return max(.zero, end - now - Self.burst)
        }
    }
}
