// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WebArchive

/// A scheduler of work that is done later. Tests have their own.
struct DelayedWork: Sendable {
    /// Runs work on a queue after a time.
    let run: @Sendable (Duration, DispatchQueue, @escaping @Sendable () -> Void) -> Void

    static let dispatch = DelayedWork { delay, queue, work in
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay.nanoseconds)), execute: work)
    }
}

extension ArchiveTime {
    /// A moment that is later, or earlier, as far as 64 bits go.
    func advanced(by nanoseconds: Int64) -> ArchiveTime {
        let (sum, overflows) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        let held = overflows ? (nanoseconds < 0 ? .min : .max) : sum
        return ArchiveTime(nanoseconds: held) ?? ArchiveTime(nanoseconds: 1)!
    }
}
