// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WebArchive

/// A scheduler of delayed work. Tests have their own.
struct DelayedWork: Sendable {
    /// Runs work on a queue after a time.
    let run: @Sendable (Duration, DispatchQueue, @escaping @Sendable () -> Void) -> Void

    static let dispatch = DelayedWork { delay, queue, work in
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay.nanoseconds)), execute: work)
    }
}

extension ArchiveTime {
    /// Returns a later or earlier moment, clamped to 64 bits.
    func advanced(by nanoseconds: Int64) -> ArchiveTime {
        let (sum, overflows) = self.nanoseconds.addingReportingOverflow(nanoseconds)
        let held = overflows ? (nanoseconds < 0 ? .min : .max) : sum
        return ArchiveTime(nanoseconds: held) ?? ArchiveTime(nanoseconds: 1)!
    }
}
