// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
import Foundation
import Synchronization
import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A browser that runs, with all its processes in a group of their own.
///
/// Foundation's `Process` cannot give a child descriptors beyond the first three.
final class BrowserProcess: Sendable {
    private enum State { case running, ended }

    private let id: pid_t
    private let state = Mutex(State.running)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: the program's path and its arguments.
    ///   - environment: what is set beside the environment of this process.
    ///   - log: the file that takes what it prints.
    ///   - descriptors: become 3, 4 and so on in the child; it gets no others.
    ///   - whenEnded: called once, on a thread of its own, with how it ended.
    /// - Throws: `io` if it cannot be started.
    init(
        _ command: [String], environment: [String: String], log: FilePath, descriptors: [FileDescriptor],
        whenEnded: @escaping @Sendable (String) -> Void
    ) throws(ArchiveError) {
        id = try Self.spawn(command, environment, log, descriptors)
        let thread = Thread { [self] in whenEnded(wait()) }
        thread.name = "webarc.browser"
        thread.start()
    }

    /// Sends a signal to all its processes, if it still runs.
    func signal(_ number: Int32) {
        state.withLock { if $0 == .running { _ = kill(-id, number) } }
    }

    private func wait() -> String {
        var information = siginfo_t()
        // Seen, but not collected yet: until then nobody else can have its number.
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

    private static func spawn(
        _ command: [String], _ environment: [String: String], _ log: FilePath, _ descriptors: [FileDescriptor]
    ) throws(ArchiveError) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }

        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log.string, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        for (place, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor.rawValue, Int32(3 + place))
        }
        var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #if canImport(Darwin)
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            // The server's sockets, above all: a browser that outlives this process must not hold the port.
            webarchive_spawn_close_from(&actions, Int32(3 + descriptors.count))
        #endif
        // This process ignores what a terminal and a service manager send; the browser must not.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var id: pid_t = 0
        let failure = withCStrings(command) { arguments in
            withCStrings(variables.map { "\($0)=\($1)" }) { variables in
                posix_spawn(&id, command[0], &actions, &attributes, arguments, variables)
            }
        }
        guard failure == 0 else {
            throw ArchiveError(
                .io, "cannot start the browser", path: command[0], cause: Errno(rawValue: failure))
        }
        return id
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
