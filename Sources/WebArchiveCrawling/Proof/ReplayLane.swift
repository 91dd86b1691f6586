// SPDX-License-Identifier: Apache-2.0

import Logging
import SystemPackage
import WebArchive
import WebArchiveServer

/// A proxy for one page at a time, so that each request that it gets is of that page: those of workers and of the browser itself as well.
final class ReplayLane: Sendable {
    /// The proxy, whose port no other page uses.
    let server: ReplayServer
    /// The collector of its requests.
    let witness = ProxyWitness()

    /// Starts the proxy.
    ///
    /// - Parameters:
    ///   - library: the archive, which lanes share with its cache.
    ///   - authority: the authority that the browser trusts.
    ///   - socket: a socket that listens already, in a namespace; nil for one of this machine.
    /// - Throws: `io`; `invalidArgument` for an authority that TLS cannot use.
    init(
        _ library: ArchiveLibrary, authority: DeviceAuthority, socket: FileDescriptor?, logger: Logger
    ) throws(ArchiveError) {
        var options = ReplayService.Options()
        options.hasServerPages = false
        options.onResponse = { [witness] in witness.note($0, $1) }
        var listening = ReplayServer.Options()
        listening.port = 0
        listening.threads = 1
        listening.authority = authority
        listening.socket = socket?.rawValue
        server = try ReplayServer(ReplayService(library, options: options, logger: logger), options: listening)
    }

    /// Ends the proxy; call it once the browser has ended.
    func stop() { server.stop(within: .seconds(1)) }
}
