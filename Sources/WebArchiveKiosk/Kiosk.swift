// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Logging
import Synchronization
import SystemPackage
package import WebArchive
package import WebArchiveBrowser
import WebArchiveReplay
package import WebArchiveServer

/// A kiosk that shows the archives of a server in a browser that can reach nothing else: starts it, resets it, and restarts it when it dies.
///
/// ```swift
/// let kiosk = try Kiosk(InstalledBrowser.find(), logger: logger)
/// var options = ReplayServer.Options()
/// options.authority = kiosk.authority
/// // On a thread of its own, once a server with these options listens:
/// kiosk.run(on: server)
/// ```
///
/// Each browser has a profile of its own, which is removed with it, so that a visitor finds no traces of the previous one. Its only proxy is
/// the server, and so it reaches only the archives. Only Chromium is controlled; of other browsers the kiosk observes only their end and
/// the pages that they request.
package final class Kiosk: Sendable {
    /// The options of a kiosk.
    package struct Options: Sendable {
        /// The form of the browser; full screen by default.
        package var display = BrowserDisplay.fullScreen
        /// The time without use after which the next visitor gets the main page in a new browser; two minutes by default, nil: never.
        ///
        /// A new Chromium is started behind the old one, and replaces it when it shows the main page; other browsers are
        /// ended first. An unused one stays.
        package var idle: Duration? = .seconds(120)
        /// Whether visitors may print, on printers of this machine. False by default.
        package var allowsPrinting = false
        /// Whether visitors have a bar with Back, Home, zoom and a keyboard, which needs Chromium. False by default.
        package var hasBar = false
        /// The memory, in bytes, beyond which a browser is ended and restarted: the private memory of its processes, with the files of
        /// its profile. Half of the machine's by default. It is looked at every three seconds, and for Chromium only.
        package var memoryLimit = Int(ProcessInfo.processInfo.physicalMemory / 2)
        /// The arguments for the browser, after the kiosk's own; none by default.
        package var browserOptions: [String] = []
        /// The times at which the screen is black; none by default.
        package var blanking = DaySchedule()
        /// The clock.
        var now: @Sendable () -> Date = { Date() }
        /// The time after which a page that does not respond is ended.
        var patience = Duration.seconds(30)
        /// The measures; all except in tests.
        var measures = LockdownMeasures.all

        /// Creates options with the defaults of `webarc kiosk`.
        package init() {}
    }

    /// A started browser.
    private struct Running {
        let process: BrowserProcess
        let control: ChromiumControl?
        let folder: TemporaryProfile
    }

    private let browser: InstalledBrowser
    private let options: Options
    private let logger: Logger
    private let events = KioskEvents()
    private let running = Mutex<[Int: Running]>([:])
    private let usage: KioskUsage?

    /// The authority that certifies all hosts for the browser, and for no one else: the server must have it as its
    /// ``ReplayServer/Options/authority``. It is only in memory, and new for each kiosk.
    package let authority: DeviceAuthority
    private let trusted: TrustedAuthority

    /// Creates a kiosk, without starting anything.
    ///
    /// - Parameters:
    ///   - browser: the browser; Chromium alone can be locked.
    ///   - options: the defaults of `webarc kiosk` by default.
    ///   - logger: the logger for restarts, and for measures that cannot be enforced.
    /// - Throws: `invalidArgument` if the authority cannot be made, or for ``Options/hasBar`` with a browser other than Chromium.
    package convenience init(
        _ browser: InstalledBrowser, options: Options = Options(), logger: Logger
    ) throws(ArchiveError) {
        try self.init(browser, options: options, usage: nil, logger: logger)
    }

    /// Creates a kiosk whose usage is counted.
    ///
    /// - Parameter usage: the counter of usage; nil for none.
    package init(
        _ browser: InstalledBrowser, options: Options, usage: KioskUsage?, logger: Logger
    ) throws(ArchiveError) {
        self.usage = usage
        guard !options.hasBar || browser.kind == .chromium else {
            throw ArchiveError(.invalidArgument, "the bar requires Chromium")
        }
        self.browser = browser
        self.options = options
        self.logger = logger
        do {
            authority = try DeviceAuthority(hosts: nil, device: "this kiosk", now: Date())
            trusted = try TrustedAuthority(authority)
        } catch {
            throw ArchiveError(.invalidArgument, "cannot create the kiosk's certificate", cause: error)
        }
    }

    /// Runs until ``stop()``, and returns when the browser has ended and its profile is removed.
    ///
    /// It blocks its thread for all that time, and so needs one of its own. A browser that fails is started again at once, then after one
    /// second, and after twice as long each time, up to a minute, until one has run for ten seconds. To be called once.
    ///
    /// - Parameter server: a proxy with ``authority``, which listens on 127.0.0.1.
    package func run(on server: ReplayServer) {
        warn()
        var supervisor = KioskSupervisor(
            idle: options.idle, isControlled: browser.kind == .chromium, patience: options.patience)
        let clock = SuspendingClock()
        let start = clock.now
        let power = DisplayPower(logger: logger)
        var event: KioskSupervisor.Event? = isBlankingTime ? .blank(true) : nil
        while true {
            let before = (resets: supervisor.idleResets, restarts: supervisor.restarts)
            let actions = supervisor.handle(event, at: start.duration(to: clock.now))
            usage?.add(.idleResets, times: supervisor.idleResets - before.resets)
            usage?.add(.browserRestarts, times: supervisor.restarts - before.restarts)
            for action in actions {
                if action == .finish {
                    if supervisor.isBlank { power.turn(on: true) }
                    return
                }
                perform(action, server, isBlank: supervisor.isBlank)
            }
            if case .blank(let isBlank) = event { power.turn(on: !isBlank) }
            let wait = supervisor.deadline.map { $0 - start.duration(to: clock.now) }
            event = events.next(
                within: options.blanking.spans.isEmpty ? wait : min(wait ?? Self.clockInterval, Self.clockInterval))
            if event == nil, isBlankingTime != supervisor.isBlank { event = .blank(!supervisor.isBlank) }
        }
    }

    /// The interval between checks of the clock, which may also be set.
    private static let clockInterval = Duration.seconds(5)

    private var isBlankingTime: Bool {
        options.blanking.contains(options.now(), in: DaySchedule.localCalendar)
    }

    /// Ends ``run(on:)``. Returns at once; a browser that does not end within five seconds is killed.
    package func stop() { events.post(.stop) }

    /// Shows the main page of the present archives, in a new browser. Returns at once.
    package func archiveChanged() { events.post(.archiveChanged) }

    /// Notes use of a browser that cannot be controlled; call it for every requested page, from any thread.
    ///
    /// With Chromium it has no effect: the kiosk observes visitors there.
    ///
    /// - Parameter isMainPage: whether the page is the main page, which is not a use by a visitor.
    package func noteNavigation(isMainPage: Bool) {
        guard browser.kind != .chromium, !isMainPage else { return }
        let number = running.withLock { $0.keys.max() }
        if let number { events.post(.used(number)) }
    }

    private func warn() {
        if browser.kind != .chromium {
            logger.warning(
                "only Chromium can be locked down; downloads, file pickers, printing, keyboard shortcuts and other programs remain available in this browser"
            )
        } else if geteuid() == 0 {
            logger.warning(
                "Chromium runs without its sandbox because the kiosk runs as root; run the kiosk as an ordinary user")
        }
    }

    private func warnOfPolicies() {
        logger.warning(
            """
            the system refuses the browser a private /etc, or the browser reads policies elsewhere; only its settings and the page \
            script block file: URLs, browser pages, downloads, file pickers and printing; permit user namespaces, and use the \
            chromium package of the system
            """)
    }

    /// The newest browser's only page, for tests; nil while there is none.
    var control: ChromiumControl? { running.withLock { $0.max { $0.key < $1.key }?.value.control } }

    /// Performs an action of the supervisor. A browser that has gone is skipped.
    private func perform(_ action: KioskSupervisor.Action, _ server: ReplayServer, isBlank: Bool) {
        func browser(_ number: Int) -> Running? { running.withLock { $0[number] } }
        switch action {
        case .start(let number):
            usage?.browserStarts()
            start(number, server, isBlank: isBlank)
        case .check(let number):
            browser(number)?.control?.ask()
            browser(number)?.folder.trimLog()
            if let browser = browser(number), let memory = browser.process.memory,
                browser.folder.size > options.memoryLimit - memory
            {
                events.post(.outgrown(number))
            }
        case .end(let number):
            let browser = browser(number)
            if let control = browser?.control { control.close() } else { browser?.process.signal(SIGTERM) }
        case .kill(let number): browser(number)?.process.signal(SIGKILL)
        case .tell(let text): logger.warning("\(text)")
        case .finish: break
        }
    }

    /// Passes an event of a browser's control on, with the browser's number.
    private func take(_ event: ChromiumControl.Event, _ number: Int) {
        switch event {
        case .ready: events.post(.ready(number))
        case .used: events.post(.used(number))
        case .responded: events.post(.responded(number))
        case .pageCrashed: events.post(.pageCrashed(number))
        case .pageClosed: events.post(.pageClosed(number))
        case .leftPage: events.post(.leftPage(number))
        case .barLost: events.post(.barLost(number))
        case .leaving: events.post(.leaving(number))
        case .arrived: events.post(.arrived(number))
        case .printsEndlessly: events.post(.printsEndlessly(number))
        case .unlocked: warnOfPolicies()
        }
    }

    /// Starts a browser with a profile of its own. A failure counts as a browser that has ended, so that a new attempt follows.
    private func start(_ number: Int, _ server: ReplayServer, isBlank: Bool) {
        // A former one, whose page may take all processors.
        for former in running.withLock({ Array($0.values) }) { former.process.giveWay() }
        do throws(ArchiveError) {
            let folder = try TemporaryProfile()
            var setting = BrowserSetting(
                port: server.port, authority: trusted, display: options.display,
                mainPage: isBlank
                    ? StartPage.address
                    : server.service.startAddress ?? StartPage.address,
                profile: folder.path)
            setting.options = options.browserOptions
            setting.allowsPrinting = options.allowsPrinting
            setting.measures = options.measures
            let pipes: DevToolsDescriptors?
            let process: BrowserProcess
            do throws(ArchiveError) {
                let launch = try BrowserLaunch(browser, setting)
                pipes = try browser.kind == .chromium ? DevToolsDescriptors() : nil
                defer { pipes?.closeChildEnds() }
                do throws(ArchiveError) {
                    process = try BrowserProcess(
                        launch.command,
                        environment: launch.environment.merging(["TMPDIR": folder.temporary.string]) { $1 },
                        etc: launch.etc, data: folder.folder, log: folder.log, descriptors: pipes?.childEnds ?? []
                    ) { [self] reason in ended(number, reason, folder) }
                } catch {
                    pipes?.closeOwnEnds()
                    throw error
                }
            } catch {
                folder.remove()
                throw error
            }
            let control = pipes.map { pipes in
                ChromiumControl(
                    reading: pipes.reading, writing: pipes.writing, mainPage: setting.mainPage,
                    display: options.display, measures: options.measures, hasBar: options.hasBar && !isBlank,
                    maximumPrintingDuration: options.patience * 4,
                    checksPolicies: number == 1
                ) { [weak self] in self?.take($0, number) }
            }
            // It may have ended meanwhile.
            running.withLock {
                if process.isRunning { $0[number] = Running(process: process, control: control, folder: folder) }
            }
        } catch {
            events.post(.ended(number, "\(error)"))
        }
    }

    /// Removes the profile of a browser, and reports the reason of its end to the supervisor, with the last line that it printed.
    private func ended(_ number: Int, _ reason: String, _ folder: TemporaryProfile) {
        let last = folder.lastLogLine.map { "; last output: \($0)" } ?? ""
        running.withLock { $0[number] = nil }
        folder.remove()
        events.post(.ended(number, reason + last))
    }
}
