// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command line of `webarc kiosk`.
package struct KioskArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "kiosk",
        abstract: "Show archives full screen in a browser that sees nothing else.",
        discussion: """
            Starts a proxy for this machine alone, and a browser at the main page: Chromium, else Firefox, else cog, or what --browser names. The browser \
            has a profile of its own, which is removed at the end, trusts a certificate that is made for this run, and reaches nothing but the proxy.

            When idle, it shows the main page in a new browser, which has no data of the previous visitor. A browser that dies or is closed is started \
            again, at once and then more and more seldom; one whose page does not respond for 30 s or takes more than --memory is ended first. A new file is \
            verified and shown; if it is damaged or missing, at the start too, the last good one stays: a copy of it is kept. Ctrl-C or SIGTERM ends both.

            Chromium is locked on Linux by policies that it alone sees, in namespaces of its own: addresses of files, of the browser and of other programs, \
            downloads, file pickers and, without --printing, printing are refused; no key opens anything, and there is one window. Where the system refuses \
            namespaces, webarc warns. Firefox, cog and others cannot be locked like this: webarc says so, and starts them again without new pages for the \
            time of --idle. cog trusts any certificate, since all its connections end here.

            EXAMPLES:
              webarc kiosk site.webarc
              webarc kiosk site.webarc --windowed --idle 20
              webarc kiosk site.webarc --printing --memory 2048
              webarc kiosk site.webarc --browser firefox-esr --outside ignore
              webarc kiosk site.webarc --browser-option=--force-device-scale-factor=2

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .ioError]))
            """)

    /// The response to a visitor who follows a link that leaves the archives.
    package enum Outside: String, CaseIterable, ExpressibleByArgument {
        case block, ignore
    }

    @Argument(help: "The archives; the first that has a response wins.", completion: .file(extensions: ["webarc"]))
    package var file: [String]

    @Option(help: ArgumentHelp("The browser: a program, with options behind blanks.", valueName: "command"))
    package var browser: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An option for the browser. May be given several times.", valueName: "option"))
    package var browserOption: [String] = []

    @Flag(help: "Let visitors print, on printers of this machine. Chromium only.")
    package var printing = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "End a browser whose memory, with the data that its pages store, is larger. (default: half of the machine's)",
            valueName: "MiB"))
    package var memory: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Back to the main page after so long without use; 0 for never.", valueName: "seconds"))
    package var idle = 120

    @Option(
        help: ArgumentHelp(
            "A link that leaves the archives shows a page that says so (block), or does nothing (ignore).",
            valueName: "policy"))
    package var outside = Outside.block

    @Flag(help: "In a window, with the browser's own controls.")
    package var windowed = false

    @Flag(help: "Without a screen.")
    package var headless = false

    @Option(
        help: ArgumentHelp(
            "The folder for copies of good archives. (default: kiosk in webarc in the user's folder for state)",
            valueName: "folder"),
        completion: .directory)
    package var state: String?

    @Flag(help: "Keep no copies of good archives, and do not verify them at the start.")
    package var noCopy = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The proxy's port on 127.0.0.1; 0 for any that is free.", valueName: "number"))
    package var port = 0

    @OptionGroup package var replay: ReplayOptions

    package func validate() throws {
        if let browser, browser.allSatisfy({ $0 == " " }) {
            throw ValidationError("--browser takes the name or the path of a program, with options behind blanks")
        }
        if let memory, !(256...1_000_000_000).contains(memory) {
            throw ValidationError("--memory takes a number of MiB from 256 to 1000000000")
        }
        guard (0...1_000_000).contains(idle) else {
            throw ValidationError("--idle takes a number of seconds from 0 to 1000000")
        }
        try ReplayOptions.check(port: port)
        if windowed, headless { throw ValidationError("--windowed and --headless exclude each other") }
    }

    package init() {}
}
