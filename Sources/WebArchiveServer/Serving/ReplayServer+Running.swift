// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import WebArchive

extension ReplayServer {
    /// Serves until the surrounding task is cancelled. Connections that are idle then end at once, others after their response, or ten
    /// seconds later.
    ///
    /// - Parameters:
    ///   - service: the service. One service may be served at several addresses.
    ///   - options: the address and the limits; port 8080 of `127.0.0.1` by default.
    ///   - whenListening: a function that is called once clients can connect, with the server, whose ``port`` is known then. Cancellation is
    ///     noticed when it has returned.
    /// - Throws: `io` if the address is in use or not of this machine; its ``ArchiveError/recovery`` suggests a different port or address.
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

    /// Performs blocking work on a thread that no task needs.
    ///
    /// The pool of Swift's tasks has a thread for each processor, and blocking one of them would delay other tasks.
    private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: work()) }
        }
    }
}
