// SPDX-License-Identifier: Apache-2.0

/// A gate at which a server waits until the test lets it continue.
///
/// Each release lets one wait pass, also one that comes later; an open gate lets all pass.
public final class HTTPTestGate: Sendable {
    private struct State {
        var isOpen = false
        var permits = 0
        var arrivals = 0
        var nextKey = 0
        var waiting: [(key: Int, work: @Sendable () -> Void)] = []
    }

    private let state = WatchedState(State())

    public init() {}

    /// Lets all pass from now on.
    public func open() {
        let waiting = state.change { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting.map(\.work)
        }
        for work in waiting { work() }
    }

    /// Lets the next ones pass, and those after them wait.
    public func release(_ count: Int = 1) {
        let passing = state.change { state in
            state.permits += count
            let passing = min(state.permits, state.waiting.count)
            state.permits -= passing
            defer { state.waiting.removeFirst(passing) }
            return state.waiting.prefix(passing).map(\.work)
        }
        for work in passing { work() }
    }

    /// The number of arrivals at the gate.
    public var arrivals: Int { state.value.arrivals }

    /// Waits until the gate has been come to so often; false if a minute has gone by without that.
    public func waitForArrivals(_ count: Int = 1) -> Bool { state.wait { $0.arrivals >= count } }

    /// Calls `work` once the gate lets it pass: at once, or on the thread that opens it.
    ///
    /// - Returns: a key to ``cancel(_:)`` it; nil if it has been called.
    func pass(_ work: @escaping @Sendable () -> Void) -> Int? {
        let key: Int? = state.change { state in
            state.arrivals += 1
            if state.isOpen { return nil }
            if state.permits > 0 {
                state.permits -= 1
                return nil
            }
            state.nextKey += 1
            state.waiting.append((state.nextKey, work))
            return state.nextKey
        }
        if key == nil { work() }
        return key
    }

    /// Gives up a wait.
    func cancel(_ key: Int) {
        state.change { state in state.waiting.removeAll { $0.key == key } }
    }
}
