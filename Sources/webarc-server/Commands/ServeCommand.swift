// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive
import WebArchiveReplay
import WebArchiveServer
import WebarcCommandLine

struct ServeCommand: ParsableCommand {
    static let configuration = ServeArguments.command

    @OptionGroup var arguments: ServeArguments

    func run() throws {
        let authority = arguments.proxy ? try arguments.authority.read(for: arguments.file) : nil
        let replay = try RunningReplay(
            try arguments.replay.library(arguments.file), arguments.replay, host: arguments.host, port: arguments.port,
            authority: authority)
        announce(replay.server, authority)
        replay.waitForSignal()
    }

    private func announce(_ server: ReplayServer, _ authority: DeviceAuthority?) {
        let host = arguments.host
        let name = host.contains(":") ? "[\(host)]" : host
        if let authority {
            let hosts = authority.hosts
            let more = hosts.count > 3 ? " and \(hosts.count - 3) more" : ""
            Diagnostics.say(
                "webarc: a proxy at \(name):\(server.port), for \(hosts.prefix(3).joined(separator: ", "))\(more)")
        }
        let page = server.service.library.responder.site.mainPage
        Diagnostics.say("Serving \(page) at http://\(name):\(server.port)/ (press Ctrl-C to stop)")
    }
}
