// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import WebArchive

/// A piece of asynchronous work for a command, whose thread waits for it.
final class WaitingTask<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, ArchiveError>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs the work, and waits for its end. To be called on the main thread, which no task needs.
    static func run(
        _ work: @escaping @Sendable () async throws(ArchiveError) -> Value
    ) throws(ArchiveError) -> Value {
        let waiting = WaitingTask()
        Task.detached {
            let result: Result<Value, ArchiveError>
            do throws(ArchiveError) {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            waiting.result.withLock { $0 = result }
            waiting.done.signal()
        }
        waiting.done.wait()
        guard let result = waiting.result.withLock({ $0 }) else { preconditionFailure("signalled without a result") }
        return try result.get()
    }
}
