// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// A timer that calls a function at an interval until it is released.
final class RepeatingTimer: Sendable {
    /// The timer of Dispatch. It is inactive until ``start(_:)``: releasing it before that is an error of Dispatch.
    // Dispatch objects may be used from any thread.
    private nonisolated(unsafe) let source: any DispatchSourceTimer

    /// Creates a timer whose first call is one interval after its creation.
    ///
    /// - Parameter interval: the interval in milliseconds.
    init(on queue: DispatchQueue, interval: Int) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.schedule(deadline: .now() + .milliseconds(interval), repeating: .milliseconds(interval))
    }

    deinit { source.cancel() }

    /// Begins to call a function. Call it once.
    ///
    /// - Parameter work: the function, which is called on the queue of the timer. It must not keep a strong reference
    ///   to the owner of the timer, since that reference would never end.
    func start(_ work: @escaping @Sendable () -> Void) {
        source.setEventHandler(handler: work)
        source.resume()
    }
}
