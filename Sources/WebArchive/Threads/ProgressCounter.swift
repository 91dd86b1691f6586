// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A counter of processed bytes, out of a known total.
package final class ProgressCounter: Sendable {
    private let done = Atomic<UInt64>(0)
    private let total: UInt64
    private let progress: (@Sendable (WorkProgress) -> Void)?

    /// Creates a counter at zero.
    package init(total: UInt64, progress: (@Sendable (WorkProgress) -> Void)?) {
        (self.total, self.progress) = (total, progress)
    }

    /// Counts processed bytes, from any thread.
    package func add(_ count: Int) {
        guard progress != nil else { return }
        report(min(done.wrappingAdd(UInt64(count), ordering: .relaxed).newValue, total))
    }

    /// Reports completion, even if parts could not be read.
    package func finish() { report(total) }

    private func report(_ bytes: UInt64) {
        var now = WorkProgress()
        (now.bytes, now.totalBytes) = (bytes, total)
        progress?(now)
    }
}
