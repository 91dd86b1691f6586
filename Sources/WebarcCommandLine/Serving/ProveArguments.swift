// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command line of `webarc prove`.
package struct ProveArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "prove",
        abstract: "Replay the pages of an archive in a browser without a network, and list everything that they miss.",
        discussion: """
            Replays each page twice in a headless Chromium, each time without data from other pages. Its only way out is a proxy that responds from the archive. On Linux the browser also \
            runs in a network namespace without a route to any network, if the system permits it; the report states which of the two held.

            A request of a page is a method, a URL, and the digests of both bodies. It is exact, found by rule, or missed; a WebSocket of the archive is not replayed; leaked is an attempt at anything \
            that is not the proxy. For an archive of webarc crawl the requests are compared with those of the crawl: others are new, or not asked again. For other archives \
            it says what a visitor would miss. Text and pictures of the list of pages must be equal, unless the two replays differ from each other.

            The pages are those of the archive's list of pages, or else its main page and all HTML documents. A miss, a leak, or a page that cannot be replayed to its end is exit status 1.

            EXAMPLES:
              webarc prove site.webarc
              webarc prove site.webarc --sample 50 --report proof.html
              webarc prove site.webarc --page https://example.org/docs/
              webarc prove site.webarc --json > proof.json
              webarc prove site.webarc --fixed-clock 2025-01-31 --fixed-random 1

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .cannotCreate, .ioError, .interrupted]))
            """)

    @OptionGroup package var archive: ArchiveArgument

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A page to replay. May be given several times. (default: all pages)", valueName: "URL"))
    package var page: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Replay only so many pages, chosen by --seed.", valueName: "number"))
    package var sample: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number that determines the sample: the same one chooses the same pages. (default: a random one, which the report states)",
            valueName: "number"))
    package var seed: UInt64?

    @Option(
        name: [.customLong("at"), .customLong("time")],
        help: ArgumentHelp(
            "Replay the captures nearest to this time: a date, RFC 3339, or @ and seconds since 1970. (default: the newest)",
            valueName: "time"))
    package var time: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "The time at which the clock of each page begins. (default: that of the crawl, or else the present time)",
            valueName: "time"))
    package var fixedClock: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Give pages random numbers of this seed, the same in each replay. (default: that of the crawl, if it had one)",
            valueName: "number"))
    package var fixedRandom: UInt32?

    @Flag(help: "Compare pictures of the two replays of pages of which the archive has none.")
    package var screenshots = false

    @Option(
        help: ArgumentHelp(
            "The report as a page: a file that loads nothing else.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    package var report: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The number of pages that are replayed at once. (default: two per processor)", valueName: "number"))
    package var tabs: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The maximum time of a replay of one page.", valueName: "seconds"))
    package var timeout = 60

    @Option(
        help: ArgumentHelp("Chromium's command: a program and its options, separated by spaces.", valueName: "command"))
    package var browser: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An option for the browser. May be given several times.", valueName: "option"))
    package var browserOption: [String] = []

    @Option(
        help: ArgumentHelp(
            "Ignore a query parameter; * at the end matches anything. May be given several times.", valueName: "name"))
    package var ignoreParameter: [String] = []

    @OptionGroup package var rules: RuleOptions
    @OptionGroup package var country: CountryOption
    @OptionGroup package var trust: TrustOptions
    @OptionGroup package var json: JSONOption
    @OptionGroup package var progress: ProgressOptions

    package init() {}

    /// The maximum number of pages at once: each has a proxy of its own.
    package static let maximumTabCount = 15

    package func validate() throws {
        for page in page { _ = try WebURLArgument(page) }
        if let sample, sample < 1 { throw ValidationError("--sample takes at least 1, not '\(sample)'") }
        if sample != nil, !page.isEmpty { throw ValidationError("--sample and --page exclude each other") }
        if seed != nil, sample == nil { throw ValidationError("--seed needs --sample") }
        if let tabs, !(1...Self.maximumTabCount).contains(tabs) {
            throw ValidationError("--tabs takes a number from 1 to \(Self.maximumTabCount), not '\(tabs)'")
        }
        guard (1...86_400).contains(timeout) else {
            throw ValidationError("--timeout takes a number of seconds from 1 to 86400, not '\(timeout)'")
        }
        if let browser, browser.allSatisfy({ $0 == " " }) {
            throw ValidationError(
                "--browser takes the name or the path of a program, with options separated by spaces, not '\(browser)'")
        }
        if ignoreParameter.contains("") {
            throw ValidationError("--ignore-parameter takes a parameter name, or * for all, not ''")
        }
    }

    /// The number of pages at once.
    package var tabCount: Int { tabs ?? min(Self.maximumTabCount, 2 * Processors.count) }
}
