// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import WebArchive

/// The queue of events around a kiosk, which any thread may add to.
final class KioskEvents: Sendable {
    private let events = Mutex<[KioskSupervisor.Event]>([])
    private let count = DispatchSemaphore(value: 0)

    func post(_ event: KioskSupervisor.Event) {
        events.withLock { $0.append(event) }
        count.signal()
    }

    /// Waits for the next event; nil if none arrived in time.
    ///
    /// - Parameter limit: the maximum time; nil to wait forever.
    func next(within limit: Duration?) -> KioskSupervisor.Event? {
        if let limit {
            let nanoseconds = Int(max(0, limit.nanoseconds))
            guard count.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else { return nil }
        } else {
            count.wait()
        }
        return events.withLock { $0.removeFirst() }
    }
}
