// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A set of threads that does numbered pieces of work on several threads, and takes the results in the order of their numbers.
package struct ParallelWork: Sendable {
    /// The number of threads that work at once; at most 1: the calling one alone.
    package let threads: Int

    /// Creates a set of threads, which start with the work.
    package init(threads: Int) { self.threads = threads }

    /// Pieces after which results are merged, so that they never pile up.
    private static let roundLength = 1024

    /// Calls `work` for 0 to `count` - 1, with a worker's own state, and `merge` with the results that are not nil.
    ///
    /// Results are merged every 1,024 pieces, so that memory does not grow with their number. Waits for the end.
    ///
    /// - Parameters:
    ///   - count: the number of pieces.
    ///   - state: makes the state of one worker, which it has to itself.
    ///   - work: does one piece, on any thread, in any order.
    ///   - merge: takes the results in the order of the pieces, on the calling thread.
    package func run<WorkerState, Result: Sendable>(
        _ count: Int, state: @Sendable () -> WorkerState, work: @Sendable (inout WorkerState, Int) -> Result?,
        merge: (Result) -> Void
    ) {
        for start in stride(from: 0, to: count, by: Self.roundLength) {
            let end = min(start + Self.roundLength, count)
            guard threads > 1, end - start > 1 else {
                var state = state()
                for number in start..<end { work(&state, number).map(merge) }
                continue
            }
            let next = Atomic(start)
            let results = Mutex<[(number: Int, result: Result)]>([])
            DispatchQueue.concurrentPerform(iterations: min(threads, end - start)) { _ in
                var state = state()
                while true {
                    let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    guard number < end else { return }
                    guard let result = work(&state, number) else { continue }
                    results.withLock { $0.append((number, result)) }
                }
            }
            for (_, result) in results.withLock({ $0.sorted { $0.number < $1.number } }) { merge(result) }
        }
    }
}
