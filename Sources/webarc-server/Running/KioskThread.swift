// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// A thread that runs the kiosk to its end.
final class KioskThread: Sendable {
    private let done = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Void) {
        Thread { [done] in
            work()
            done.signal()
        }.start()
    }

    /// Waits until the work is done.
    func wait() { done.wait() }
}
