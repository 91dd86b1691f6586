// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchiveReplay
import WebarcCommandLine

struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show archives in any browser, or as a proxy at their own addresses.",
        discussion: """
            The site of the first archive's main page is at http://127.0.0.1:8080/, as its own server would show it. Of several archives the first that \
            has an answer wins: a patch or a language before the base.

            With --proxy, every page is at its own address, https:// included, for browsers that use this server as their proxy and trust the certificate \
            that `webarc ca create` made. Nothing is ever fetched from the network: what no archive has is answered with a page that says so.

            A file that is replaced while it is served is verified and taken; one that is damaged is refused, and the old one stays. SIGHUP \
            looks at once. /-/ shows what is in the archives, what takes the space, and what visitors asked for that is not here. /-/health and /-/metrics \
            are for those who look after the server.

            EXAMPLES:
              webarc serve site.webarc
              webarc serve patch.webarc site.webarc --port 80 --host 0.0.0.0
              webarc ca create site.webarc && webarc serve --proxy site.webarc

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .ioError]))
            """)

    @Argument(help: "The archives; the first that has an answer wins.", completion: .file(extensions: ["webarc"]))
    var file: [String]

    @Option(help: ArgumentHelp("The address to listen on: 0.0.0.0 or :: for all.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("The port to listen on; 0 for any that is free.", valueName: "number"))
    var port: UInt16 = 8080

    @Flag(help: "Answer every address as a proxy, https:// by the certificate authority of this device.")
    var proxy = false

    @OptionGroup var authority: AuthorityOption
    @OptionGroup var replay: ReplayOptions

    func run() throws {
        let authority = proxy ? try authority.read(for: file) : nil
        let replay = try RunningReplay(
            try replay.library(file), replay, host: host, port: port, authority: authority)
        announce(replay.server, authority)
        replay.waitForSignal()
    }

    private func announce(_ server: ReplayServer, _ authority: DeviceAuthority?) {
        let name = host.contains(":") ? "[\(host)]" : host
        if let authority {
            let hosts = authority.hosts
            let more = hosts.count > 3 ? " and \(hosts.count - 3) more" : ""
            Diagnostics.say(
                "webarc: a proxy at \(name):\(server.port), for \(hosts.prefix(3).joined(separator: ", "))\(more)")
        }
        let page = server.service.library.responder.site.mainPage
        Diagnostics.say("webarc: \(page) is at http://\(name):\(server.port)/; Ctrl-C ends it")
    }
}
