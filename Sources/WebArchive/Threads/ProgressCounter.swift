// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A counter of bytes that are done, out of a total that is known.
package final class ProgressCounter: Sendable {
    private let done = Atomic<UInt64>(0)
    private let total: UInt64
    private let report: (@Sendable (UInt64, UInt64) -> Void)?

    /// Creates a counter at which nothing is done.
    package init(total: UInt64, report: (@Sendable (UInt64, UInt64) -> Void)?) {
        (self.total, self.report) = (total, report)
    }

    /// Creates a counter that reports in the common shape.
    package convenience init(total: UInt64, progress: (@Sendable (WorkProgress) -> Void)?) {
        self.init(
            total: total,
            report: progress.map { progress -> @Sendable (UInt64, UInt64) -> Void in
                { done, total in
                    var now = WorkProgress()
                    (now.bytes, now.totalBytes) = (done, total)
                    progress(now)
                }
            })
    }

    /// Counts bytes that are done, from any thread.
    package func add(_ count: Int) {
        guard let report else { return }
        let now = done.wrappingAdd(UInt64(count), ordering: .relaxed).newValue
        report(min(now, total), total)
    }

    /// Reports that all is done, which parts that cannot be read would leave open.
    package func finish() { report?(total, total) }
}
