// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The command line of `webarc kiosk`.
package struct KioskArguments: ParsableArguments {
    package static let command = CommandConfiguration(
        commandName: "kiosk",
        abstract: "Show archives full screen in a browser that can reach nothing else.",
        discussion: """
            Starts a proxy for this machine only, and a browser that opens the main page. The browser is Chromium, else Firefox, else cog; --browser selects another one. The browser \
            has a temporary profile, trusts a certificate created for this run, and can reach only the proxy.

            After --idle seconds without input, the kiosk starts a new browser at the main page. The new browser has no data from the previous visitor. webarc restarts a browser that exits or is closed, \
            immediately at first and then after increasing delays. If the page does not respond for 30 s, or uses more memory than --memory, webarc ends the \
            browser and restarts it. When an archive is replaced, the kiosk verifies the new file and shows it. It keeps a copy of the last good archive. If the file is damaged or missing, \
            even at startup, the kiosk shows that copy. With --updates, it also loads new editions: from a host every hour, and from a folder, such as one on a USB stick, as soon as the folder appears or changes. Ctrl-C or SIGTERM ends the browser and the proxy.

            On Linux, policies lock Chromium down. Chromium runs in its own namespaces, so no other browser sees these policies. They block file: URLs, the browser's own pages, URLs that \
            other programs handle, downloads, file pickers and, without --printing, printing. Keyboard shortcuts are disabled, and there is only one \
            window. If the system refuses namespaces, webarc warns. Firefox, cog and others cannot be locked down like this: webarc warns, and \
            restarts them when no other page has been opened for the --idle time. cog accepts any certificate, since all its connections end at the proxy.

            EXAMPLES:
              webarc kiosk site.webarc
              webarc kiosk site.webarc --windowed --idle 20
              webarc kiosk site.webarc --bar --blank 22:00-07:00
              webarc kiosk site.webarc --printing --memory 2048
              webarc kiosk site.webarc --browser firefox-esr --outside ignore
              webarc kiosk site.webarc --browser-option=--force-device-scale-factor=2
              webarc kiosk site.webarc --key publisher.pub \\
                  --updates https://downloads.example/site --update-hours 02:00-05:00

            \(ExitStatus.explanation(of: [.done, .damaged, .notAnArchive, .usage, .ioError]))
            """)

    /// The response to a visitor who follows a link that leaves the archives.
    package enum Outside: String, CaseIterable, ExpressibleByArgument {
        case block, ignore
    }

    @Argument(
        help: "Archives, or folders of archives. The first with a response wins.",
        completion: .file(extensions: ["webarc"]))
    package var file: [String]

    @Option(
        help: ArgumentHelp("The browser command: a program and its options, separated by spaces.", valueName: "command")
    )
    package var browser: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("An option for the browser. May be given several times.", valueName: "option"))
    package var browserOption: [String] = []

    @Flag(help: "Let visitors print on the printers of this machine. Chromium only.")
    package var printing = false

    @Flag(
        help:
            "Show a bar: Back, Home, languages of the page, zoom, and an on-screen keyboard. Chromium only."
    )
    package var bar = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The maximum memory of the browser, including the data that its pages store. The kiosk ends a browser that uses more. (default: half of the machine's memory)",
            valueName: "MiB"))
    package var memory: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Return to the main page after this many seconds without input; 0 for never.", valueName: "seconds"))
    package var idle = 120

    @Flag(
        help: "Start with a list of the archives: title, language and description of each, and a choice of languages.")
    package var startPage = false

    @Option(
        help: ArgumentHelp(
            """
            The daily hours, in local time, in which the screen is black: 22:00-07:00, or several separated by commas.
            """, valueName: "times"))
    package var blank: DayScheduleArgument?

    @Option(
        help: ArgumentHelp(
            "The effect of a link outside the archives: block shows a notice, ignore does nothing.",
            valueName: "policy"))
    package var outside = Outside.block

    @Flag(help: "Run in a window, with the browser's own controls.")
    package var windowed = false

    @Flag(help: "Run without a display.")
    package var headless = false

    @Option(
        help: ArgumentHelp(
            "The folder for copies of good archives, usage counts and the sequence record. (default: kiosk in $STATE_DIRECTORY, which systemd sets, else webarc/kiosk in $XDG_STATE_HOME or $HOME/.local/state)",
            valueName: "folder"),
        completion: .directory)
    package var state: String?

    @Option(
        help: ArgumentHelp(
            """
            The CSV file of daily counts: pages shown, missing pages, idle resets and browser restarts; none disables it. \
            (default: usage.csv in the --state folder)
            """, valueName: "file"),
        completion: .file(extensions: ["csv"]))
    package var usage: String?

    @Flag(help: "Keep no copies of good archives, and do not verify them at startup.")
    package var noCopy = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The proxy's port on 127.0.0.1; 0 for any free port.", valueName: "number"))
    package var port = 0

    @OptionGroup(title: "Updates") package var updates: UpdatesOptions
    @OptionGroup package var replay: ReplayOptions

    package func validate() throws {
        if let browser, browser.allSatisfy({ $0 == " " }) {
            throw ValidationError(
                "--browser takes the name or the path of a program, with options separated by spaces, not '\(browser)'")
        }
        if let memory, !(256...1_000_000_000).contains(memory) {
            throw ValidationError("--memory takes a number of MiB from 256 to 1000000000, not '\(memory)'")
        }
        guard (0...1_000_000).contains(idle) else {
            throw ValidationError("--idle takes a number of seconds from 0 to 1000000, not '\(idle)'")
        }
        try ReplayOptions.check(port: port)
        try updates.check(files: file, keys: replay.trust.requireKey)
        if windowed, headless { throw ValidationError("--windowed and --headless exclude each other") }
    }

    package init() {}
}
