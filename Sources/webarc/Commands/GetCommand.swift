// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import SystemPackage
import WebArchiveURLProtocol

struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Load a URL by way of an archive, as an app with a policy would.",
        discussion: """
            Writes the body to standard output, and on standard error where each answer on the way came from. Redirects are followed. The archive is \
            not changed, unless --record is given.

            POLICIES:
              archive-only            what is stored, however old; never the network
              archive-first           what is stored; what is not is loaded
              network-first           loaded; without a network what is stored
              stale-while-revalidate  stored and fresh: used; older: used, and loaded
                                      in the background; expired: loaded
              http                    as a browser's cache does it (RFC 9111)
              network-only            loaded

            EXAMPLES:
              webarc get https://example.org/ site.webarc --offline
              webarc get https://example.org/ site.webarc --policy http --record --head
              webarc get https://example.org/news site.webarc \\
                  --policy stale-while-revalidate --fresh-for 15m --expires-after 2d
              webarc get https://example.org/logo.png site.webarc -o logo.png

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .unreachable, .cannotCreate, .ioError, .busy]))
            """)

    @Argument(help: "The URL to load.")
    var url: String

    @OptionGroup var archive: ArchiveArgument
    @OptionGroup(title: "POLICY") var policy: PolicyOptions

    @Flag(name: [.customShort("I"), .long], help: "Print the status and the header fields instead of the body.")
    var head = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write the body to this file instead of standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(name: [.short, .long], help: "Do not tell where the answer came from; errors only.")
    var quiet = false

    @OptionGroup(title: "REQUEST") var request: RequestOptions

    @Flag(help: "Record in the archive what is loaded; it is created if it is not there.")
    var record = false

    @OptionGroup(title: "STORING") var storing: StoringOptions

    func validate() throws {
        _ = try WebURLArgument(url)
        if storing.isUsed, !record {
            throw ValidationError("--max-size, --keep-credentials and --ignore-no-store go with --record")
        }
        if head, output != nil { throw ValidationError("--head prints no body that --output could write") }
        if output?.isEmpty == true { throw ValidationError("--output takes the name of a file") }
    }

    func run() throws {
        let url = try WebURLArgument(url)
        let template = try request.read()
        let recording = record ? try storing.archive(archive.path) : nil
        let session =
            if let recording {
                ArchiveSession(recording: recording, policy.value, rules: storing.rules, offline: policy.offline)
            } else {
                ArchiveSession(reading: try archive.open(), policy.value, offline: policy.offline)
            }
        let answer = try load(url, template, session)
        if !quiet { tell(answer) }
        try write(answer)
        try StandardOutput.shared.flush()
        if let recording {
            session.finish()
            try storing.close(recording)
        }
    }

    private func load(
        _ url: WebURLArgument, _ template: RequestTemplate, _ session: ArchiveSession
    ) throws -> FetchedAnswer {
        do {
            return try session.load(url.url, template)
        } catch {
            let failure = LoadFailure(error)
            if let error = failure.archiveError { throw error.at(path: archive.file) }
            failure.report(url.text)
            let isMissing = policy.offline || policy.policy == .archiveOnly
            throw (isMissing ? ExitStatus.damaged : .unreachable).exitCode
        }
    }

    private func tell(_ answer: FetchedAnswer) {
        for hop in answer.hops {
            var text = "\(hop.event.url.absoluteString): \(hop.event.status), \(hop.source)"
            if record, hop.event.source == .network { text += hop.isStored ? ", stored" : ", not stored" }
            Diagnostics.report(text)
        }
    }

    private func write(_ answer: FetchedAnswer) throws {
        if head {
            try StandardOutput.shared.line(answer.hops.last.map { String($0.event.status) } ?? "-")
            for field in answer.fields {
                try StandardOutput.shared.line(PrintableText.escaped("\(field.name): \(field.value)"))
            }
        } else if let output {
            try OutputFile.write("the body", to: FilePath(output), contents: answer.body)
        } else {
            try StandardOutput.shared.write(answer.body)
        }
    }
}

extension FetchedAnswer.Hop {
    /// Where the answer came from, in words.
    fileprivate var source: String {
        switch event.source {
        case .archive: "from the archive"
        case .staleArchive: "from the archive, and stale"
        case .validated: "from the archive, confirmed by the server"
        case .network: "from the network"
        case .rule: "by a rule"
        }
    }
}
