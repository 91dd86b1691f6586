// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebArchiveReplay
import WebArchiveServer
import WebarcCommandLine

struct ServeCommand: ParsableCommand {
    static let configuration = ServeArguments.command

    @OptionGroup var arguments: ServeArguments

    func run() throws {
        let isFolder = arguments.file.contains { FileStatus(of: FilePath($0))?.kind == .folder }
        if arguments.proxy {
            if isFolder {
                throw ValidationError("--proxy takes archives, not a folder; give its files, such as folder/*.webarc")
            }
            return try serveProxy()
        }
        if try isFolder || hasSeveralSites {
            if arguments.report != nil {
                throw ValidationError("--report takes archives of one site, since the report is of one archive")
            }
            return try serveCatalogue()
        }
        let replay = try RunningReplay(
            try arguments.replay.library(arguments.file), arguments.replay, host: arguments.host, port: arguments.port,
            authority: nil, service: service())
        if arguments.file.count > 1 {
            Diagnostics.say(
                "webarc: the archives are layers of one site, and the first with a response wins; give their folder to serve each as a separate site"
            )
        }
        announceSite(of: replay.server)
        replay.waitForSignal()
    }

    /// Whether the archives are of several origins, so that they are not layers of one site.
    private var hasSeveralSites: Bool {
        get throws {
            guard arguments.file.count > 1 else { return false }
            var origins: Set<[UInt8]> = []
            for file in arguments.file {
                let site = try ReplaySite([ArchiveReader(path: FilePath(file), trust: arguments.replay.trust.trust())])
                origins.insert(Array(site.origin))
            }
            return origins.count > 1
        }
    }

    private func serveProxy() throws {
        let authority = try arguments.authority.read(for: arguments.file)
        let replay = try RunningReplay(
            try arguments.replay.library(arguments.file), arguments.replay, host: arguments.host, port: arguments.port,
            authority: authority, service: service())
        let hosts = authority.hosts
        let more = hosts.count > 3 ? " and \(hosts.count - 3) more" : ""
        Diagnostics.say(
            "webarc: a proxy at \(shownHost):\(replay.server.port), for \(hosts.prefix(3).joined(separator: ", "))\(more)"
        )
        announceSite(of: replay.server)
        replay.waitForSignal()
    }

    /// Returns the options of the service of one site, with the report.
    private func service() throws(ArchiveError) -> ReplayService.Options {
        var options = arguments.replay.service
        guard let report = arguments.report else { return options }
        options.report = try LimitedFile.bytes(of: report, "report", maximumLength: Self.maximumReportLength)
        return options
    }

    /// The maximum length of a report in bytes; those of webarc prove have a limited number of rows.
    private static let maximumReportLength = 16 << 20

    private func serveCatalogue() throws {
        let catalogue = try arguments.replay.catalogue(arguments.file)
        let replay = try RunningReplay(
            catalogue, arguments.replay, host: arguments.host, port: arguments.port, domain: arguments.domain)
        let host = ["127.0.0.1", "::1"].contains(arguments.host) ? "localhost" : shownHost
        let count = catalogue.sites.count
        Diagnostics.say(
            "Serving \(count) \(count == 1 ? "site" : "sites") at http://\(host):\(replay.server.port)/ (press Ctrl-C to stop)"
        )
        replay.waitForSignal()
    }

    private func announceSite(of server: ReplayServer) {
        guard let page = server.service.library?.responder.site.mainPage else { return }
        Diagnostics.say("Serving \(page) at http://\(shownHost):\(server.port)/ (press Ctrl-C to stop)")
    }

    /// The listening address in the form of a URL.
    private var shownHost: String { arguments.host.contains(":") ? "[\(arguments.host)]" : arguments.host }
}
