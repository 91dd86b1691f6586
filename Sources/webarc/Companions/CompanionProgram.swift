// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive
import WebarcCommandLine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A program beside `webarc` for some of its commands, so that `webarc` needs none of their libraries.
struct CompanionProgram {
    let name: String
    /// The names of its commands, for people.
    let commands: String

    /// The program with Foundation's networking.
    static let network = CompanionProgram(name: "webarc-net", commands: "fetch and get")
    /// The program with SwiftNIO and TLS.
    static let server = CompanionProgram(
        name: "webarc-server", commands: "serve, kiosk, ca, update, record, crawl and prove")

    /// Continues as that program, with the arguments, streams and process of this one. It is beside this one, or in `PATH`.
    ///
    /// - Throws: `ExitCode` if it is missing, after reporting the remedy; `io` if it cannot be run.
    func takeOver() throws -> Never {
        var candidates = [FilePath(name)]
        if let folder = Self.ownFolder { candidates.insert(folder.appending(name), at: 0) }
        for path in candidates {
            // The original bytes, which need not be UTF-8. A name without a slash is searched in PATH.
            path.withPlatformString { _ = execvp($0, CommandLine.unsafeArgv) }
            let failure = Errno(rawValue: errno)
            // PATH may have folders that this user cannot enter; they end no search.
            let isSearched = path.components.count == 1 && failure == .permissionDenied
            guard isSearched || failure == .noSuchFileOrDirectory || failure == .notDirectory else {
                throw ArchiveError(.io, "cannot run this program", path: path.string, cause: failure)
            }
        }
        Diagnostics.report(
            "\(commands) need the program \(name), which is neither beside webarc nor in PATH; install the package "
                + "\(name), or build it beside webarc with Tools/build \(name)")
        throw ExitStatus.unavailable.exitCode
    }

    /// The folder of this program, with symbolic links resolved.
    private static var ownFolder: FilePath? {
        #if canImport(Darwin)
            var length: UInt32 = 0
            _NSGetExecutablePath(nil, &length)
            var name = [CChar](repeating: 0, count: Int(length))
            guard _NSGetExecutablePath(&name, &length) == 0 else { return nil }
        #else
            let name = "/proc/self/exe"
        #endif
        guard let path = realpath(name, nil) else { return nil }
        defer { free(path) }
        return FilePath(platformString: path).removingLastComponent()
    }
}
