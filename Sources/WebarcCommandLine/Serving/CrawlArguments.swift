// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import WebArchive

/// The command line of `webarc crawl`.
package struct CrawlArguments: ParsableArguments {
    /// The extent of a scope, by its name.
    package enum Extent: String, ExpressibleByArgument, CaseIterable, Sendable {
        case page, prefix, host, domain, custom
    }

    package static let command = CommandConfiguration(
        commandName: "crawl",
        abstract: "Visit a site page by page with a browser, and record all that it loads.",
        discussion: """
            A Chromium without a window visits the pages, breadth first, and follows their links. Its requests go through a recording proxy into \
            the archive, each with the page that sent it; pages are listed with their titles and texts. Pages are scrolled, lazy images and films \
            are loaded, dialogs are closed. Files that are not pages are loaded without the browser.

            The same command again continues where the last run ended, however it ended: the archive has the finished pages, and no page that is \
            finished is loaded again.

            The scope is --scope, around the given URLs: these pages alone (page); their folders (prefix); their hosts (host); their registrable \
            domains (domain); or all that --include matches (custom). http, https and www. do not count. --include and --exclude narrow it; \
            patterns are those of `webarc extract`.

            robots.txt is obeyed and stored, for the product token webarc. Sitemaps are read. Hosts that respond with 429 or 503 are left alone \
            for as long as they demand. Targets with private, loopback or link-local addresses are refused unless --allow-private is given.

            --refresh visits all pages again, and stores only what changed since the last run; pages that do not exist any more are named.

            --top-up completes an archive: it loads exactly the requests that `webarc prove --json` reports as missed. Those with content cannot be \
            sent again.

            A site behind a login: log in with `chromium --user-data-dir=FOLDER --password-store=basic`, close it, and give --profile FOLDER; or \
            give a field with --header. Neither is stored. Cookies that a browser forgets when it ends do not help.

            EXAMPLES:
              webarc crawl https://docs.example/3/ -o docs.webarc
              webarc crawl https://example.org/ -o site.webarc --scope domain \\
                  --exclude '/calendar/**' --pages 5000 --time 2h
              webarc prove site.webarc --json | webarc crawl --top-up - -o site.webarc

            \(ExitStatus.explanation(of: ExitStatus.allCases.filter { $0 != .cannotCreate }))
            """)

    @Argument(help: ArgumentHelp("The pages at which the crawl begins.", valueName: "url"))
    package var urls: [String] = []

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The archive to create or to continue.", valueName: "file"),
        completion: .file(extensions: ["webarc"]))
    package var output: String

    @Option(help: ArgumentHelp("The extent of the crawl.", valueName: "name"))
    package var scope = Extent.prefix

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Visit only pages that a pattern matches. May be given several times.", valueName: "pattern")
    )
    package var include: [PatternArgument] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Visit no page that a pattern matches. May be given several times.", valueName: "pattern"))
    package var exclude: [PatternArgument] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum number of links between a page and a given URL. (default: any)", valueName: "number"))
    package var depth: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of links that are followed out of the scope.", valueName: "number"))
    package var extraHops = 0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum number of pages, those of earlier runs included. (default: any)", valueName: "number"))
    package var pages: Int?

    @Option(help: ArgumentHelp("The amount of content that ends a run: 500M, 20G. (default: any)", valueName: "size"))
    package var bytes: SizeArgument?

    @Option(help: ArgumentHelp("The time that ends a run: 30m, 12h. (default: any)", valueName: "duration"))
    package var time: DurationArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of failed pages beyond which a run ends. (default: any)", valueName: "number"))
    package var failures: Int?

    @Option(
        help: ArgumentHelp(
            "The time between two pages of a host: 500ms, 2s. (default: none, or that of robots.txt)",
            valueName: "duration"))
    package var delay: DurationArgument?

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of tabs.", valueName: "number"))
    package var tabs = 2

    @Flag(help: "Visit finished pages again, and store only responses that changed.")
    package var refresh = false

    @Flag(help: "Visit pages that robots.txt disallows.")
    package var ignoreRobots = false

    @Flag(help: "Do not read sitemaps.")
    package var noSitemaps = false

    @Option(
        help: ArgumentHelp(
            "Visit no page, but load what a proof missed: the output of webarc prove --json, or - for standard input.",
            valueName: "report"),
        completion: .file(extensions: ["json"]))
    package var topUp: String?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp(
            "A header field for requests to the hosts of the given URLs alone. May be given several times.",
            valueName: "name: value"))
    package var header: [HeaderArgument] = []

    @Option(
        help: ArgumentHelp(
            "The folder of a Chromium profile, such as one that is logged in. It is copied; make it with --password-store=basic.",
            valueName: "folder"),
        completion: .directory)
    package var profile: String?

    @Option(
        help: ArgumentHelp(
            "A script that runs in each page once it has loaded, and may return a promise.", valueName: "file"),
        completion: .file(extensions: ["js"]))
    package var script: String?

    @Option(
        help: ArgumentHelp(
            "The time at which the clock of each page begins, here and in webarc prove. (default: the present time)",
            valueName: "time"))
    package var fixedClock: TimeArgument?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Give pages random numbers of this seed, here and in webarc prove.", valueName: "number"))
    package var fixedRandom: UInt32?

    @OptionGroup package var servers: ServerTrustOption

    @Flag(help: "Store a picture of each page.")
    package var screenshots = false

    @Flag(help: "Visit private, loopback and link-local addresses too.")
    package var allowPrivate = false

    @Option(
        help: ArgumentHelp(
            "The name or the path of a Chromium. (default: the one in PATH)", valueName: "command"))
    package var browser: String?

    @OptionGroup package var json: JSONOption
    @OptionGroup package var progress: ProgressOptions

    package func validate() throws {
        guard !output.isEmpty else { throw ValidationError("--output takes a file name, not ''") }
        guard !urls.isEmpty || topUp != nil else { throw ValidationError("Missing expected argument '<url> ...'") }
        if refresh, topUp != nil { throw ValidationError("--refresh and --top-up exclude each other") }
        for url in urls { _ = try WebURLArgument(url) }
        for pattern in include { try pattern.check("--include") }
        for pattern in exclude { try pattern.check("--exclude") }
        for (name, value, least) in [
            ("--depth", depth, 0), ("--extra-hops", extraHops, 0), ("--pages", pages, 1), ("--failures", failures, 0),
            ("--tabs", tabs, 1),
        ] {
            guard let value, value < least else { continue }
            throw ValidationError("\(name) takes at least \(least), not '\(value)'")
        }
        guard tabs <= 64 else { throw ValidationError("--tabs takes at most 64, not '\(tabs)'") }
        guard scope != .custom || !include.isEmpty else {
            throw ValidationError("--scope custom takes at least one --include")
        }
    }

    package init() {}
}
