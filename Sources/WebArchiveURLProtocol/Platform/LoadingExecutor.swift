// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// An executor that runs the tasks of loads on threads of its own: an app that blocks the shared threads of all tasks, in a test say, still
/// gets its responses.
final class LoadingExecutor: TaskExecutor {
    static let shared = LoadingExecutor()

    private let queue = DispatchQueue(label: "webarc.loads", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
