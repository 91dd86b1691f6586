// SPDX-License-Identifier: Apache-2.0

import Dispatch
package import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The handler of SIGINT and SIGTERM, which removes the unfinished file and ends the process.
///
/// A process that SIGKILL ended leaves a `.partial` file, which the next writer takes over.
package final class Interruption {
    private let sources: [any DispatchSourceSignal]

    /// Watches for its lifetime. When a signal arrives, the unfinished file beside `archive` is removed; nil: none is. A signal that arrives
    /// after the file got its name does not end the process: the rest takes no time, and its exit status states the result.
    ///
    /// A commit that is being appended needs no removal: bytes after the last whole commit are ignored, and cut off by the next writer.
    ///
    /// - Parameter finish: a function that is called when a signal arrives, to save the results so far; its text about them is printed.
    init(writing archive: FilePath? = nil, finishing finish: (@Sendable () -> String)? = nil) {
        let queue = DispatchQueue(label: "signals")
        let writesArchive = archive != nil
        let former = archive.flatMap { FileStatus(of: $0)?.number }
        let partialFile = archive.map { FilePath($0.string + ".partial") }
            .flatMap { Self.isHeldByAnotherWriter($0) ? nil : $0 }
        sources = [SIGINT, SIGTERM].compactMap { number in
            // A signal that the parent ignores, as nohup does, stays ignored.
            if Self.isIgnored(number) { return nil }
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                if let archive, let partialFile, unlink(partialFile.string) != 0,
                    FileStatus(of: archive)?.number != former
                {
                    return
                }
                let outcome = finish?() ?? (writesArchive ? "nothing was changed" : nil)
                Diagnostics.report(outcome.map { "stopped; \($0)" } ?? "stopped")
                _exit(ExitStatus.interrupted.rawValue)
            }
            source.resume()
            return source
        }
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

    /// Returns whether another writer has the file: then this process will be refused the lock, and must not remove another's file.
    private static func isHeldByAnotherWriter(_ file: FilePath) -> Bool {
        let descriptor: FileDescriptor
        do {
            // Opening a pipe would block until another process writes into it.
            descriptor = try FileDescriptor.open(file, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
        } catch {
            return (error as? Errno) != .noSuchFileOrDirectory
        }
        defer { try? descriptor.close() }
        guard FileStatus(of: descriptor)?.isOwnFile == true else { return true }
        return flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0
    }

    private func end() {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] where !sources.isEmpty { signal(number, SIG_DFL) }
    }
}
