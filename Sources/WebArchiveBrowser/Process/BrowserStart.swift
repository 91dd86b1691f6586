// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The start of one program as a child of this process.
struct BrowserStart {
    /// The program's path and its arguments.
    let command: [String]
    /// All variables of the child.
    let environment: [String: String]
    /// A folder whose files the child sees in `/etc`.
    let etc: FilePath?
    /// The file for the output of the child.
    let log: FilePath
    /// The descriptors that become 3, 4 and so on in the child.
    let descriptors: [FileDescriptor]
    /// The network namespace of the child; nil for that of this process.
    var namespace: NetworkNamespace?

    /// Starts the program, with `etc` if the system permits it, otherwise without; never outside of `namespace`.
    ///
    /// - Returns: its number, which is that of its process group as well.
    /// - Throws: `io`.
    func run() throws(ArchiveError) -> pid_t {
        do {
            let input = try FileDescriptor.open("/dev/null", .readOnly, options: [.closeOnExec])
            defer { try? input.close() }
            let output = try FileDescriptor.open(
                log, .writeOnly, options: [.create, .append, .closeOnExec], permissions: .ownerReadWrite)
            defer { try? output.close() }
            return try start([input, output, output] + descriptors)
        } catch {
            throw ArchiveError(.io, "cannot start the browser", path: command[0], cause: error)
        }
    }

    #if canImport(Darwin)
        private func start(_ descriptors: [FileDescriptor]) throws -> pid_t {
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            for (place, descriptor) in descriptors.enumerated() {
                posix_spawn_file_actions_adddup2(&actions, descriptor.rawValue, Int32(place))
            }
            // This process ignores the signals of a terminal and a service manager; the browser must not.
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, number) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            posix_spawnattr_setpgroup(&attributes, 0)
            let flags =
                POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT
            posix_spawnattr_setflags(&attributes, Int16(flags))
            var id: pid_t = 0
            let failure = withCStrings(command) { arguments in
                withCStrings(environment.map { "\($0)=\($1)" }) { variables in
                    posix_spawn(&id, command[0], &actions, &attributes, arguments, variables)
                }
            }
            guard failure == 0 else { throw Errno(rawValue: failure) }
            return id
        }
    #else
        private func start(_ descriptors: [FileDescriptor]) throws -> pid_t {
            if let etc {
                // Containers and AppArmor may refuse the namespaces. The kiosk then finds that its policies are not in force.
                let (step, id, _) = launch(descriptors, etc.string)
                if step == WEBARCHIVE_LAUNCH_DONE { return id }
            }
            let (step, id, error) = launch(descriptors, nil)
            guard step == WEBARCHIVE_LAUNCH_DONE else { throw error }
            return id
        }

        /// Starts the program by `CWebArchiveSystem`, and reports the step at which it failed.
        private func launch(
            _ descriptors: [FileDescriptor], _ etc: String?
        ) -> (step: webarchive_launch_step, id: pid_t, error: Errno) {
            var id: pid_t = 0
            var error: Int32 = 0
            let step = withCStrings(command) { arguments in
                withCStrings(environment.map { "\($0)=\($1)" }) { variables in
                    withCStrings(etc.map { [$0] } ?? []) { etc in
                        descriptors.map(\.rawValue).withUnsafeBufferPointer { numbers in
                            withNamespace { inside in
                                var request = webarchive_launch(
                                    arguments: arguments, environment: variables, descriptors: numbers.baseAddress,
                                    descriptor_count: Int32(numbers.count), etc: etc[0], inside: inside)
                                return webarchive_launch(&request, &id, &error)
                            }
                        }
                    }
                }
            }
            return (step, id, Errno(rawValue: error))
        }

        private func withNamespace<Result>(_ body: (UnsafePointer<webarchive_namespace>?) -> Result) -> Result {
            guard let namespace else { return body(nil) }
            return withExtendedLifetime(namespace) { withUnsafePointer(to: namespace.numbers) { body($0) } }
        }
    #endif

    /// Calls `body` with C strings, followed by NULL, that are valid until the end of the call.
    private func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        copies.append(nil)
        return copies.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
    }
}
