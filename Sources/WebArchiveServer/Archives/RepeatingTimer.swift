// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A timer that calls a function at an interval until it is released.
final class RepeatingTimer: Sendable {
    // Dispatch objects may be used from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceTimer

    /// - Parameter interval: the interval in milliseconds.
    init(on queue: DispatchQueue, interval: Int) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.schedule(deadline: .now() + .milliseconds(interval), repeating: .milliseconds(interval))
    }

    deinit { source.cancel() }

    /// Begins to call a function. Call it once.
    func start(_ work: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: work)
        source.resume()
    }
}
