// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A signal of changes, for tasks that wait for a condition or for a moment.
final class VisitSignal: Sendable {
    private struct State {
        var generation = 0
        var lastNumber = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// A number that grows with each change: read it before the condition.
    var generation: Int { state.withLock { $0.generation } }

    /// Notes a change, and resumes the tasks that wait.
    func fire() {
        let waiting = state.withLock { state in
            state.generation += 1
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for one in waiting { one.resume() }
    }

    /// Waits until there is a change after a generation, or until a moment has come.
    func change(after generation: Int, before deadline: ContinuousClock.Instant) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let timer = Task { [self] in
            try? await Task.sleep(until: deadline)
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        await withCheckedContinuation { continuation in
            let hasChanged = state.withLock { state in
                guard state.generation == generation, ContinuousClock.now < deadline else { return true }
                state.waiting[number] = continuation
                return false
            }
            if hasChanged { continuation.resume() }
        }
        timer.cancel()
    }
}
