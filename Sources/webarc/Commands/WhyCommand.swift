// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WebArchive
import WebarcCommandLine

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain how an archive responds to a request, or why it cannot.",
        discussion: """
            Prints each rule in the order tried. On a miss, prints similar entries: a different method or query, the path in different case, with \
            a different extension or in a different directory, a similar URL. webarc serve \
            and webarc kiosk apply the same rules. An app that uses the Swift library can disable some of the rules. The last rules, for recordings of the web and the URL without its query, are off in an app unless the app enables them.

            EXAMPLES:
              webarc why site.webarc https://example.org/docs
              webarc why site.webarc /docs
              webarc why site.webarc https://example.org/ --header 'Accept-Language: de'
              webarc why site.webarc https://example.org/form --method POST
              webarc why site.webarc https://example.org/api \\
                  --content-type application/json --data '{"id":1}'
              webarc why site.webarc https://example.org/ --at 2020-01-31
              webarc why site.webarc 'https://example.org/?utm_source=x' \\
                  --ignore-parameter 'utm_*'

            \(ExitStatus.explanation(of: ExitStatus.reading))
            """)

    @OptionGroup var archive: ArchiveArgument

    @Argument(help: "The request URL, or a path on the host of the archive's main page.")
    var url: String

    @Option(
        name: [.customShort("X"), .long],
        help: ArgumentHelp("The request method. (default: GET; POST with --data)", valueName: "method"))
    var method: String?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A request header field. May be given several times.", valueName: "name: value"))
    var header: [HeaderArgument] = []

    @OptionGroup var content: RequestContent

    @Option(
        name: [.customLong("at"), .customLong("time")],
        help: ArgumentHelp(
            "Match the capture nearest to this time: a date, RFC 3339, or @ and seconds since 1970. (default: the newest)",
            valueName: "time"))
    var time: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Ignore a query parameter; * at the end matches anything. May be given several times.", valueName: "name"
        ))
    var ignoreParameter: [String] = []

    @OptionGroup var rules: RuleOptions
    @OptionGroup var country: CountryOption

    @Flag(help: "Try only the exact rule.")
    var exact = false

    @OptionGroup var json: JSONOption

    func validate() throws {
        do {
            _ = try ArchivedURL(url)
        } catch {
            throw ValidationError("why takes a URL, or a path that begins with a slash, not '\(url)': \(error)")
        }
        if ignoreParameter.contains("") {
            throw ValidationError("--ignore-parameter takes a parameter name, or * for all, not ''")
        }
    }

    func run() throws {
        let reader = try archive.open()
        do {
            var options = exact ? ArchiveMatcher.Options.exactOnly : ArchiveMatcher.Options(rules: rules.rules)
            options.ignoredParameters = ignoreParameter
            options.country = country.value
            var request = MatchRequest(
                url: try ArchivedURL(url).url(in: reader), method: method ?? (content.data == nil ? "GET" : "POST"),
                headers: HeaderFields(header.map(\.field)), time: time?.time)
            try content.add(to: &request)
            // Only the user waits: the search may take more than in a server.
            let explanation = try ArchiveMatcher(reader, options: options).explain(
                request, hints: DecodingBudget(forPassOver: reader))
            let report = ExplanationReport(explanation)
            if json.isOn { try StandardOutput.shared.json(report.json) } else { try report.print() }
            if !report.explanation.hasResponse { throw ExitStatus.damaged.exitCode }
        } catch let error as ArchiveError {
            throw error.at(path: archive.file)
        }
    }
}
