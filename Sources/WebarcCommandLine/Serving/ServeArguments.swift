// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command line of `webarc serve`.
package struct ServeArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve archives to any browser, or as a proxy at their original addresses.",
        discussion: """
            The site of the archive's main page is at http://127.0.0.1:8080/, as its own server would show it. Several archives of one site are layers: \
            the first with a response wins, so give a patch or a language before the base.

            Archives of several sites, or of a folder, are listed at http://localhost:8080/, each site under its own name: manual.webarc is \
            at http://manual.localhost:8080/, and with --domain kiosk.lan also at http://manual.kiosk.lan:8080/. Archives added later are served too.

            With --proxy, every page is at its original address, https:// included, for browsers that use this server as their proxy and trust the certificate \
            of `webarc ca create`. The server fetches nothing from the network: if no archive has a response, it shows a notice.

            The server verifies a replaced file and switches to it. It refuses a damaged file and keeps the old one. On SIGHUP it \
            checks immediately. /-/ shows the archives' contents, their use of space, and the requests for missing pages. /-/health and /-/metrics \
            are for administrators and monitoring.

            EXAMPLES:
              webarc serve site.webarc
              webarc serve patch.webarc site.webarc --port 80 --host 0.0.0.0
              webarc serve archives/
              webarc ca create site.webarc && webarc serve --proxy site.webarc

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .ioError]))
            """)

    @Argument(
        help: "Archives, or folders of archives.", completion: .file(extensions: ["webarc"]))
    package var file: [String]

    @Option(help: ArgumentHelp("The address on which to listen: 0.0.0.0 or :: for all.", valueName: "address"))
    package var host = "127.0.0.1"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The port on which to listen; 0 for any free port.", valueName: "number"))
    package var port = 8080

    @Option(
        help: ArgumentHelp(
            "A domain whose names resolve to this machine, for clients on other machines. Each site gets a name directly below it.",
            valueName: "name"))
    package var domain: String?

    @Flag(
        help:
            "Act as a proxy for every URL, https:// included, with certificates from this device's certificate authority."
    )
    package var proxy = false

    @Option(
        help: ArgumentHelp(
            "A report of webarc prove, which the explorer at /-/ shows. It is read once, at the start.",
            valueName: "file"),
        completion: .file(extensions: ["html"]))
    package var report: String?

    @OptionGroup package var authority: AuthorityOption
    @OptionGroup package var replay: ReplayOptions

    package func validate() throws {
        try ReplayOptions.check(port: port)
        if report != nil, replay.noOwnPages {
            throw ValidationError("--report and --no-own-pages exclude each other")
        }
        if let domain, !ReplayOptions.isHost(domain) || domain.contains(":") {
            throw ValidationError("--domain takes a domain name such as kiosk.lan, not '\(domain)'")
        }
    }

    package init() {}
}
