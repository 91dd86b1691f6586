// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemPackage
import WebArchive
import WebArchiveRecording

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The outcome of work on another thread.
private final class Outcome<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, ArchiveError>?>(nil)
}

/// A running recording proxy, until a signal ends it.
final class RunningRecording {
    let proxy: RecordingProxy
    private let ended = DispatchSemaphore(value: 0)
    private var sources: [any DispatchSourceSignal] = []

    init(_ archive: FilePath, _ options: RecordingProxy.Options) throws(ArchiveError) {
        signal(SIGPIPE, SIG_IGN)
        // Before the first request, so that no signal is lost.
        sources = [SIGINT, SIGTERM].map { [ended] number in SignalSource.make(number) { ended.signal() } }
        proxy = try Self.waiting { () throws(ArchiveError) in
            try await RecordingProxy.start(archive, options: options, logger: DiagnosticsLogHandler.logger)
        }
    }

    /// Waits for SIGINT or SIGTERM, and then ends the recording with a last commit. A second signal ends at once.
    ///
    /// - Throws: errors of the last commit.
    func waitForSignal() throws(ArchiveError) {
        ended.wait()
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        try Self.waiting { [proxy] () throws(ArchiveError) in try await proxy.shutdown() }
    }

    /// Blocks the main thread, which no task needs, until some work is done.
    static func waiting<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(ArchiveError) -> Value
    ) throws(ArchiveError) -> Value {
        let done = DispatchSemaphore(value: 0)
        let result = Outcome<Value>()
        Task.detached {
            do throws(ArchiveError) {
                let value = try await work()
                result.value.withLock { $0 = .success(value) }
            } catch {
                result.value.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        done.wait()
        guard let result = result.value.withLock({ $0 }) else { throw ArchiveError(.cancelled, "no result") }
        return try result.get()
    }
}
