// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SystemPackage
import WebArchive
import WebArchiveRecording

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A running recording proxy, until a signal ends it.
final class RunningRecording {
    let proxy: RecordingProxy
    private let ended = DispatchSemaphore(value: 0)
    private var sources: [any DispatchSourceSignal] = []

    init(_ archive: FilePath, _ options: RecordingProxy.Options) throws(ArchiveError) {
        signal(SIGPIPE, SIG_IGN)
        // Before the first request, so that no signal is lost.
        sources = [SIGINT, SIGTERM].map { [ended] number in SignalSource.make(number) { ended.signal() } }
        proxy = try WaitingTask.run { () throws(ArchiveError) in
            try await RecordingProxy.start(archive, options: options, logger: DiagnosticsLogHandler.logger)
        }
    }

    /// Raises the limit of open files, and returns the number of connections that it permits: each of a client can take one to a server, and one to
    /// a file.
    static func connections(atMost count: Int) -> Int { min(count, max(1, (FileLimit.raise() - 128) / 3)) }

    /// Waits for SIGINT or SIGTERM, and then ends the recording with a last commit. A second signal ends at once.
    ///
    /// - Throws: errors of the last commit.
    func waitForSignal() throws(ArchiveError) {
        ended.wait()
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        try WaitingTask.run { [proxy] () throws(ArchiveError) in try await proxy.shutdown() }
    }
}
