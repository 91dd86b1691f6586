// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Logging
import Synchronization
import SystemPackage
public import WebArchive
public import WebArchiveBrowser
import WebArchiveReplay
public import WebArchiveServer

/// A kiosk that shows the archives of a server in a browser that sees nothing else: starts it, resets it, and starts it again when it dies.
public final class Kiosk: Sendable {
    /// The options of a kiosk.
    public struct Options: Sendable {
        /// The way in which the browser is shown.
        public var display = BrowserDisplay.fullScreen
        /// Without use for so long, the next visitor gets the main page in a new browser; nil: never.
        public var idle: Duration? = .seconds(120)
        /// Whether visitors may print, on printers of this machine.
        public var allowsPrinting = false
        /// A browser whose processes have more memory for themselves, with the files of its profile, is ended; in bytes.
        public var memoryLimit = Int(ProcessInfo.processInfo.physicalMemory / 2)
        /// For the browser, behind those that the kiosk gives it.
        public var browserOptions: [String] = []
        /// A page that does not answer for so long is ended.
        var patience = Duration.seconds(30)
        /// All but for tests.
        var measures = LockdownMeasures.all

        /// Creates options with the defaults of `webarc kiosk`.
        public init() {}
    }

    /// A browser that was started.
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

    /// Speaks for all hosts to the browser, and to nobody else: the server must have it as its authority.
    public let authority: DeviceAuthority
    private let trusted: TrustedAuthority

    /// - Throws: `invalidArgument` if the authority cannot be made.
    public init(_ browser: InstalledBrowser, options: Options = Options(), logger: Logger) throws(ArchiveError) {
        self.browser = browser
        self.options = options
        self.logger = logger
        do {
            authority = try DeviceAuthority(hosts: nil, device: "this kiosk", now: Date())
            trusted = try TrustedAuthority(authority)
        } catch {
            throw ArchiveError(.invalidArgument, "cannot make the kiosk's certificate", cause: error)
        }
    }

    /// Runs until ``stop()``, and ends with the browser ended and its profile removed.
    ///
    /// - Parameter server: a proxy with ``authority``, which listens on 127.0.0.1.
    public func run(on server: ReplayServer) {
        warn()
        var supervisor = KioskSupervisor(
            idle: options.idle, isControlled: browser.kind == .chromium, patience: options.patience)
        let clock = SuspendingClock()
        let start = clock.now
        var event: KioskSupervisor.Event?
        while true {
            for action in supervisor.handle(event, at: start.duration(to: clock.now)) {
                if action == .finish { return }
                perform(action, server)
            }
            event = events.next(within: supervisor.deadline.map { $0 - start.duration(to: clock.now) })
        }
    }

    /// Has ``run(on:)`` end.
    public func stop() { events.post(.stop) }

    /// Goes to the main page of the archives that are served now.
    public func archiveChanged() { events.post(.archiveChanged) }

    /// To be called for every page that is asked for: in a browser that cannot be controlled, that is what tells of use.
    public func noteNavigation(isMainPage: Bool) {
        guard browser.kind != .chromium, !isMainPage else { return }
        let number = running.withLock { $0.keys.max() }
        if let number { events.post(.used(number)) }
    }

    private func warn() {
        if browser.kind != .chromium {
            logger.warning(
                "only Chromium can be locked: this browser's downloads, file pickers, printing, keys and other programs are its own"
            )
        } else if geteuid() == 0 {
            logger.warning("Chromium runs without its sandbox, for it has none as root; run the kiosk as a user")
        }
    }

    private func warnOfPolicies() {
        logger.warning(
            """
            the system refuses the browser an /etc of its own, or the browser looks elsewhere for policies: addresses of files and \
            of the browser, downloads, file pickers and printing are refused by its settings and the page script alone; permit \
            user namespaces, and use the chromium package of the system
            """)
    }

    /// The newest browser's only page, for tests; nil while there is none.
    var control: ChromiumControl? { running.withLock { $0.max { $0.key < $1.key }?.value.control } }

    private func perform(_ action: KioskSupervisor.Action, _ server: ReplayServer) {
        func browser(_ number: Int) -> Running? { running.withLock { $0[number] } }
        switch action {
        case .start(let number): start(number, server)
        case .check(let number):
            browser(number)?.control?.ask()
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

    private func take(_ event: ChromiumControl.Event, _ number: Int) {
        switch event {
        case .ready: events.post(.ready(number))
        case .used: events.post(.used(number))
        case .answered: events.post(.answered(number))
        case .pageCrashed: events.post(.pageCrashed(number))
        case .pageClosed: events.post(.pageClosed(number))
        case .unlocked: warnOfPolicies()
        }
    }

    private func start(_ number: Int, _ server: ReplayServer) {
        do throws(ArchiveError) {
            let folder = try TemporaryProfile()
            var setting = BrowserSetting(
                port: server.port, authority: trusted, display: options.display,
                mainPage: server.service.library?.responder.site.mainPage.description ?? "about:blank",
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
                        etc: launch.etc, log: folder.log, descriptors: pipes?.childEnds ?? []
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
                    display: options.display, measures: options.measures, longestPrinting: options.patience * 4,
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

    private func ended(_ number: Int, _ reason: String, _ folder: TemporaryProfile) {
        let last = folder.lastLogLine.map { ", and said: \($0)" } ?? ""
        running.withLock { $0[number] = nil }
        folder.remove()
        events.post(.ended(number, reason + last))
    }
}
