// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import SystemPackage
import WebArchive
import WebArchiveReplay
import WebarcCommandLine

/// The options of every command that answers from archives over HTTP.
struct ReplayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Where requests are logged: a file, - for standard output, or none.", valueName: "file"))
    var accessLog = "-"

    @Option(help: ArgumentHelp("Memory for decoded pages: 64M, 1G.", valueName: "size"))
    var cache = SizeArgument(bytes: ArchiveLibrary.Options().cacheCapacity)

    @Flag(help: "Leave out the server's own pages: /-/health, /-/metrics and the explorer at /-/.")
    var noOwnPages = false

    @Option(
        help: ArgumentHelp(
            """
            A name or an address under which the archives and the server's own pages are answered, beside localhost and the address of \
            --host. May be given several times.
            """,
            valueName: "name"))
    var name: [String] = []

    @Option(help: ArgumentHelp("Connections that are open at a time.", valueName: "number"))
    var maxConnections = 20_000

    @Option(
        help: ArgumentHelp(
            "A query parameter that does not count, a cache buster say; * at the end stands for anything. May be given several times.",
            valueName: "name"))
    var ignoreParameter: [String] = []

    @OptionGroup var threads: ThreadsOption

    func validate() throws {
        guard maxConnections > 0 else { throw ValidationError("--max-connections takes a number from 1") }
    }

    func library(
        _ files: [String], standIns: [FilePath: FilePath] = [:]
    ) throws(ArchiveError) -> ArchiveLibrary {
        var options = ArchiveLibrary.Options()
        options.cacheCapacity = cache.bytes
        options.threads = threads.count
        options.matching.ignoredParameters = ignoreParameter
        return try ArchiveLibrary(files.map { FilePath($0) }, standIns: standIns, options: options)
    }

    func log() throws(ArchiveError) -> AccessLog? {
        switch accessLog {
        case "none": return nil
        case "-": return AccessLog(.standardOutput)
        default:
            do {
                return AccessLog(
                    try FileDescriptor.open(
                        FilePath(accessLog), .writeOnly, options: [.append, .create, .closeOnExec],
                        permissions: [.ownerReadWrite, .groupRead]))
            } catch {
                throw ArchiveError(.io, "cannot write the log", path: accessLog, cause: error)
            }
        }
    }

    var service: ReplayService.Options {
        var options = ReplayService.Options()
        options.hasOwnPages = !noOwnPages
        options.ownNames = Set(name.map { $0.lowercased() })
        return options
    }
}
