// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A state that one thread changes and another waits for.
final class WatchedState<State: Sendable>: Sendable {
    private let state: Mutex<State>
    private let changed = NSCondition()

    init(_ initial: State) { state = Mutex(initial) }

    var value: State { state.withLock { $0 } }

    @discardableResult
    func change<Result: Sendable>(_ change: (inout State) -> Result) -> Result {
        changed.lock()
        defer {
            changed.broadcast()
            changed.unlock()
        }
        return state.withLock { change(&$0) }
    }

    /// Waits until the state is the expected one, and returns true; returns false after ``waitingLimit`` without that.
    func wait(until isFulfilled: (State) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: waitingLimit)
        changed.lock()
        defer { changed.unlock() }
        while !state.withLock({ isFulfilled($0) }) {
            if !changed.wait(until: end) { return state.withLock { isFulfilled($0) } }
        }
        return true
    }
}
