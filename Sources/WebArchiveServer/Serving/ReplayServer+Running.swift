// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import WebArchive

extension ReplayServer {
    /// Serves until the surrounding task is cancelled. Connections that are idle then end at once, others after their response, or ten
    /// seconds later.
    ///
    /// - Parameters:
    ///   - service: what is served.
    ///   - whenListening: called once clients can connect, with the server, whose ``port`` is known then.
    /// - Throws: `io` if the address is in use or not of this machine.
    public static func run(
        _ service: ReplayService, options: Options = Options(),
        whenListening: @Sendable (ReplayServer) async -> Void = { _ in }
    ) async throws(ArchiveError) {
        let server = try await onThread {
            Result { () throws(ArchiveError) in try ReplayServer(service, options: options) }
        }.get()
        await whenListening(server)
        let (cancellation, cancelled) = AsyncStream.makeStream(of: Never.self)
        await withTaskCancellationHandler {
            for await _ in cancellation {}
        } onCancel: {
            cancelled.finish()
        }
        await onThread { server.stop() }
    }

    /// Does work that blocks on a thread that no task needs.
    private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: work()) }
        }
    }
}
