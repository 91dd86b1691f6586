// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import SystemPackage
package import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A running browser, with all its processes in a group of their own.
///
/// Foundation's `Process` cannot pass descriptors beyond the first three to a child.
package final class BrowserProcess: Sendable {
    private enum State { case running, ended }

    private let id: pid_t
    /// The folder of its data, without symbolic links.
    private let data: FilePath?
    private let state = Mutex(State.running)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - environment: the variables that are set in addition to those of this process.
    ///   - etc: a folder whose files the program sees in `/etc`, if the system permits it.
    ///   - data: the folder of the browser's data; its deleted files that the browser has open count as memory.
    ///   - log: the file for the output of the browser.
    ///   - descriptors: the descriptors that become 3, 4 and so on in the child; it gets no others.
    ///   - namespace: the network namespace of the program; nil, as by default, for that of this process.
    ///   - whenEnded: a function that is called once, on a thread of its own, with how it ended.
    /// - Throws: `io` if it cannot be started.
    package init(
        _ command: [String], environment: [String: String], etc: FilePath? = nil, data: FilePath? = nil, log: FilePath,
        descriptors: [FileDescriptor], namespace: NetworkNamespace? = nil,
        whenEnded: @escaping @Sendable (String) -> Void
    ) throws(ArchiveError) {
        self.data = data.map { FilePath(URL(fileURLWithPath: $0.string).resolvingSymlinksInPath().path) }
        id = try BrowserStart(
            command: command, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, etc: etc,
            log: log, descriptors: descriptors, namespace: namespace
        ).run()
        let thread = Thread { [self] in whenEnded(wait()) }
        thread.name = "webarc.browser"
        thread.start()
    }

    /// Sends a signal to all its processes, if it still runs. A browser that has ended is collected under the same lock, so that no other
    /// process gets it.
    package func signal(_ number: Int32) {
        state.withLock { if $0 == .running { _ = kill(-id, number) } }
    }

    /// Lowers the priority of all its processes to the least, for the rest of their time.
    package func giveWay() {
        state.withLock { if $0 == .running { _ = setpriority(Self.group, id_t(id), 19) } }
    }

    #if canImport(Darwin)
        private static let group = PRIO_PGRP
    #else
        private static let group = Int32(PRIO_PGRP.rawValue)
    #endif

    /// Whether its first process has not been collected yet.
    package var isRunning: Bool { state.withLock { $0 == .running } }

    /// The memory of its processes, in bytes; nil if it has ended, or the system does not report it.
    package var memory: Int? {
        state.withLock { $0 == .running ? ProcessMemory.ofGroup(id, data: data) : nil }
    }

    /// Waits for the end of the first process, ends the rest of its group, and collects it. Returns a description of its end, for people.
    private func wait() -> String {
        var information = siginfo_t()
        // Observed, but not collected yet: until then no other process can have its number.
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return state.withLock { state in
            kill(-id, SIGKILL)
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            state = .ended
            // As the macros WIFSIGNALED and WEXITSTATUS take the number apart.
            let signal = status & 0x7F
            return signal == 0 ? "status \((status >> 8) & 0xFF)" : "signal \(signal)"
        }
    }
}
