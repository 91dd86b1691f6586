// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The event-loop time of one connection that its later handlers charge themselves, or that is free.
///
/// ``ReadTurn`` charges the rest of the time that a read takes.
final class AccountedTime: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    /// The sum; only differences count.
    var total: TimeAmount { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }

    /// Adds the duration of work.
    func add(_ duration: TimeAmount) { nanoseconds.wrappingAdd(duration.nanoseconds, ordering: .relaxed) }
}
