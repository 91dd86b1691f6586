// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The handler of SIGINT and SIGTERM, which removes the unfinished files of this process and ends it.
///
/// A process that SIGKILL ended leaves a `.partial` file, which the next writer takes over.
package final class Interruption {
    private let sources: [any DispatchSourceSignal]

    /// Watches for its lifetime. When a signal arrives, the unfinished files that this process has created are removed, if it writes an archive. A
    /// signal that arrives after the archive got its name does not end the process: the rest takes no time, and its exit status states the result.
    ///
    /// A commit that is being appended needs no removal: bytes after the last whole commit are ignored, and cut off by the next writer.
    ///
    /// - Parameters:
    ///   - archive: the archive; nil for none.
    ///   - finish: a function that is called when a signal arrives, to save the results so far; its text about them is printed.
    init(writing archive: FilePath? = nil, finishing finish: (@Sendable () -> String)? = nil) {
        let queue = DispatchQueue(label: "signals")
        let names = archive.map { [$0, (try? FilePlace(following: $0, isNew: true))?.path ?? $0] }
        sources = [SIGINT, SIGTERM].compactMap { number in
            // A signal that the parent ignores, as nohup does, stays ignored.
            if Self.isIgnored(number) { return nil }
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                guard let names else { Self.end(finish?()) }
                TemporaryFiles.removeAll(unlessFinished: names) { hasCommits in
                    Self.end(hasCommits ? "the same command continues behind the last commit" : "nothing was changed")
                }
            }
            source.resume()
            return source
        }
    }

    private static func end(_ outcome: String?) -> Never {
        Diagnostics.report(outcome.map { "stopped; \($0)" } ?? "stopped")
        _exit(ExitStatus.interrupted.rawValue)
    }

    /// Watches while `work` runs, which may write an archive with this path.
    package static func guarding<Value>(_ archive: FilePath? = nil, _ work: () throws -> Value) rethrows -> Value {
        let interruption = Interruption(writing: archive)
        defer { interruption.end() }
        return try work()
    }

    /// Watches while `work` runs, and calls `finish` when a signal arrives.
    package static func guarding<Value>(
        finishing finish: @escaping @Sendable () -> String, _ work: () throws -> Value
    ) rethrows -> Value {
        let interruption = Interruption(finishing: finish)
        defer { interruption.end() }
        return try work()
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        // SIG_IGN is the pointer 1, and function pointers cannot be compared.
        return unsafeBitCast(handler, to: Int.self) == 1
    }

    private func end() {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] where !sources.isEmpty { signal(number, SIG_DFL) }
    }
}
