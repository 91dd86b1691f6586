// SPDX-License-Identifier: Apache-2.0

import Foundation
public import Logging
import Synchronization
import SystemPackage
public import WebArchive

/// Shows the archives of a server in a browser that sees nothing else: starts it, resets it, and starts it again when it dies.
public final class Kiosk: Sendable {
    /// How a kiosk behaves.
    public struct Options: Sendable {
        public var display = KioskDisplay.fullScreen
        /// Without use for so long, it goes back to the main page; nil: never.
        public var idle: Duration? = .seconds(120)
        /// For the browser, behind those that the kiosk gives it.
        public var browserOptions: [String] = []

        public init() {}
    }

    /// A browser that was started.
    private struct Running {
        let process: BrowserProcess
        let control: ChromiumControl?
    }

    private let browser: KioskBrowser
    private let options: Options
    private let logger: Logger
    private let events = KioskEvents()
    private let running = Mutex<Running?>(nil)

    /// Speaks for all hosts to the browser, and to nobody else: the server must have it as its authority.
    public let authority: DeviceAuthority

    /// - Throws: `invalidArgument` if the authority cannot be made.
    public init(_ browser: KioskBrowser, options: Options = Options(), logger: Logger) throws(ArchiveError) {
        self.browser = browser
        self.options = options
        self.logger = logger
        do {
            authority = try DeviceAuthority(hosts: nil, device: "this kiosk", now: Date())
        } catch {
            throw ArchiveError(.invalidArgument, "cannot make the kiosk's certificate", cause: error)
        }
    }

    /// Runs until ``stop()``, and ends with the browser ended and its profile removed.
    ///
    /// - Parameter server: a proxy with ``authority``, which listens on 127.0.0.1.
    public func run(on server: ReplayServer) {
        if browser.kind == .chromium, geteuid() == 0 {
            logger.warning("Chromium runs without its sandbox, for it has none as root; run the kiosk as a user")
        }
        var supervisor = KioskSupervisor(idle: options.idle, isControlled: browser.kind == .chromium)
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
        if browser.kind != .chromium, !isMainPage { events.post(.used) }
    }

    /// The browser's only page, for tests; nil while there is none.
    var control: ChromiumControl? { running.withLock { $0?.control } }

    private func perform(_ action: KioskSupervisor.Action, _ server: ReplayServer) {
        let running = running.withLock { $0 }
        switch action {
        case .start: start(server)
        case .showMainPage: running?.control?.showMainPage(Self.mainPage(server))
        case .ask: running?.control?.ask()
        case .end:
            if let control = running?.control { control.close() } else { running?.process.signal(SIGTERM) }
        case .kill: running?.process.signal(SIGKILL)
        case .tell(let text): logger.warning("\(text)")
        case .finish: break
        }
    }

    private static func mainPage(_ server: ReplayServer) -> String {
        server.service.library.responder.site.mainPage.description
    }

    private func start(_ server: ReplayServer) {
        do throws(ArchiveError) {
            let folder = try TemporaryProfile()
            let setting = BrowserSetting(
                port: server.port, authority: authority, display: options.display, mainPage: Self.mainPage(server),
                profile: folder.path, options: options.browserOptions)
            let launch = try BrowserLaunch(browser, setting)
            let pipes = try browser.kind == .chromium ? DevToolsDescriptors() : nil
            defer { pipes?.closeChildEnds() }
            let process: BrowserProcess
            do throws(ArchiveError) {
                process = try BrowserProcess(
                    launch.command, environment: launch.environment, log: folder.log,
                    descriptors: pipes?.childEnds ?? []
                ) { [self] reason in
                    let last = folder.lastLogLine.map { ", and said: \($0)" } ?? ""
                    running.withLock { $0 = nil }
                    folder.remove()
                    events.post(.ended(reason + last))
                }
            } catch {
                folder.remove()
                pipes?.closeOwnEnds()
                throw error
            }
            let control = pipes.map { pipes in
                ChromiumControl(
                    reading: pipes.reading, writing: pipes.writing, mainPage: setting.mainPage,
                    display: options.display
                ) { [events] in events.post($0) }
            }
            self.running.withLock { $0 = Running(process: process, control: control) }
        } catch {
            events.post(.ended("\(error)"))
        }
    }
}
