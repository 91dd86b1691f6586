// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A task that can be cancelled from elsewhere, even before it is created.
final class TaskBox: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func set(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            return state.task.take()
        }?.cancel()
    }
}
