// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A set of threads for numbered pieces of work, with results in the order of their numbers.
package struct ParallelWork: Sendable {
    /// The number of threads that work at once; at most 1 selects the calling one alone.
    package let threads: Int

    /// Creates a set of threads, which start with the work.
    package init(threads: Int) { self.threads = threads }

    /// The number of pieces after which results are merged, so that they never accumulate.
    private static let roundLength = 1024

    /// Calls `work` for 0 to `count` - 1, with a worker's own state, and `merge` with the results that are not nil.
    ///
    /// Results are merged every 1,024 pieces, so that memory does not grow with their number. Waits for the end.
    ///
    /// - Parameters:
    ///   - count: the number of pieces.
    ///   - state: a function that makes the state of one worker, which it has to itself.
    ///   - work: a function that does one piece, on any thread, in any order.
    ///   - merge: a function that takes the results in the order of the pieces, on the calling thread.
    package func run<WorkerState, Result: Sendable>(
        _ count: Int, state: @Sendable () -> WorkerState, work: @Sendable (inout WorkerState, Int) -> Result?,
        merge: (Result) -> Void
    ) {
        var workers: [WorkerState?] = []
        run(count, workers: &workers, state: state, work: work, merge: merge)
    }

    /// Calls `work` with reusable workers: if creating the state of one is expensive, a caller of many runs keeps them.
    ///
    /// - Parameter workers: the workers; empty before the first run.
    package func run<WorkerState, Result: Sendable>(
        _ count: Int, workers: inout [WorkerState?], state: @Sendable () -> WorkerState,
        work: @Sendable (inout WorkerState, Int) -> Result?, merge: (Result) -> Void
    ) {
        while workers.count < max(1, threads) { workers.append(nil) }
        for start in stride(from: 0, to: count, by: Self.roundLength) {
            let end = min(start + Self.roundLength, count)
            guard threads > 1, end - start > 1 else {
                var worker = workers[0] ?? state()
                for number in start..<end { work(&worker, number).map(merge) }
                workers[0] = worker
                continue
            }
            let next = Atomic(start)
            let results = Mutex<[(number: Int, result: Result)]>([])
            workers.withUnsafeMutableBufferPointer { workers in
                // Each iteration has the worker of its own number to itself, until all have ended.
                nonisolated(unsafe) let workers = workers
                DispatchQueue.concurrentPerform(iterations: min(threads, end - start)) { iteration in
                    var worker = workers[iteration] ?? state()
                    while true {
                        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                        guard number < end else { break }
                        guard let result = work(&worker, number) else { continue }
                        results.withLock { $0.append((number, result)) }
                    }
                    workers[iteration] = worker
                }
            }
            for (_, result) in results.withLock({ $0.sorted { $0.number < $1.number } }) { merge(result) }
        }
    }
}
