// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import WebArchiveServer

/// An exchange of the proxy itself that another thread can end.
final class RunningLoad: Sendable {
    private enum State: Sendable {
        case waiting, cancelled
        case running(NIOLoopBound<Exchange>)
    }

    private let state = Mutex(State.waiting)

    /// Notes the exchange, on its event loop, and ends it if the load was cancelled before.
    func begin(_ exchange: Exchange, on eventLoop: any EventLoop) {
        let bound = NIOLoopBound(exchange, eventLoop: eventLoop)
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .running(bound)
            return false
        }
        if isCancelled { exchange.abandon("time") }
    }

    /// Ends the exchange; from any thread.
    func cancel() {
        let former = state.withLock { state in
            defer { state = .cancelled }
            return state
        }
        guard case .running(let exchange) = former else { return }
        exchange.execute { $0.abandon("time") }
    }
}
