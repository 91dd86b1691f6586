// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import SystemPackage
package import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A headless Chromium that visits pages through a proxy, in any number of tabs.
package final class VisitBrowser: Sendable {
    private struct State {
        var hasEnded = false
        /// The tab of each session: of its page, its frames and its workers.
        var tabs: [String: VisitTab] = [:]
        /// The sessions of pages that no tab has taken yet, by their targets.
        var pages: [String: String] = [:]
        /// The number of tabs that are being opened.
        var opening = 0
        /// The sessions of shared workers, which belong to all tabs.
        var shared: Set<String> = []
        /// The fields that requests to some hosts get.
        var fields: HostFields?
    }

    private let state = Mutex(State())
    private let signal = VisitSignal()
    private let profile: TemporaryProfile
    private let process: BrowserProcess
    // Set once, by the only initialiser; a `Mutex` because the pipe's thread begins to call before it ends.
    private let link = Mutex<DevToolsPipe?>(nil)

    /// The events that cost time and are of no use here.
    private static let ignoredEvents = [
        "Network.dataReceived", "Network.policyUpdated", "Network.requestWillBeSentExtraInfo",
        "Network.resourceChangedPriority", "Network.responseReceivedEarlyHints", "Network.responseReceivedExtraInfo",
        "Network.webSocketFrame", "Runtime.consoleAPICalled", "Runtime.exceptionThrown",
    ]

    /// Starts the browser, with a profile of its own that is removed when it has ended.
    ///
    /// - Parameters:
    ///   - browser: a Chromium.
    ///   - port: the port of the proxy on 127.0.0.1, through which all connections go.
    ///   - authority: the certificate authority of the proxy.
    ///   - userProfile: the folder of a profile, such as one that is logged in, which is copied and stays as it is; nil, as by default, for a new one.
    ///   - namespace: the network namespace of the browser; nil, as by default, for that of this process.
    ///   - options: the options for the browser after its own; none by default.
    /// - Throws: `invalidArgument` for a browser other than Chromium; `io` if it cannot be started.
    package init(
        _ browser: InstalledBrowser, proxy port: Int, authority: TrustedAuthority, copying userProfile: FilePath? = nil,
        namespace: NetworkNamespace? = nil, options: [String] = []
    ) throws(ArchiveError) {
        guard browser.kind == .chromium else {
            throw ArchiveError(
                .invalidArgument, "a visit requires Chromium", path: browser.command[0], recovery: .nameBrowser)
        }
        profile = try TemporaryProfile()
        if let userProfile { try Self.copy(userProfile, to: profile) }
        var setting = BrowserSetting(
            port: port, authority: authority, display: .headless, mainPage: StartPage.address, profile: profile.path)
        setting.measures = .environment
        // A process in advance for each tab costs more than it saves, and so do two documents for the menu of the address bar in each window, which
        // no one sees: they are half of the work of a visit in a window of its own.
        setting.disabledFeatures = [
            "SpareRendererForSitePerProcess", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxPopup",
        ]
        setting.options =
            [
                // Tabs are all in the background of each other, and pages there would get no frames.
                "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
                "--disable-background-timer-throttling", "--disable-back-forward-cache", "--mute-audio",
                // The browser's own requests, to a name that no resolver has, so that none of them reaches the proxy.
                "--proxy-bypass-list=<-loopback>;*.webarc.invalid", "--gaia-url=https://none.webarc.invalid",
                "--component-updater=url-source=https://none.webarc.invalid",
            ] + options
        let signal = signal
        do {
            let launch = try BrowserLaunch(browser, setting)
            let pipes = try DevToolsDescriptors()
            var environment = launch.environment
            environment["TMPDIR"] = profile.temporary.string
            process = try BrowserProcess(
                launch.command, environment: environment, log: profile.log, descriptors: pipes.childEnds,
                namespace: namespace
            ) { _ in signal.fire() }
            pipes.closeChildEnds()
            let pipe = DevToolsPipe(
                reading: pipes.reading, writing: pipes.writing, ignoring: Self.ignoredEvents
            ) { [weak self] in self?.take($0) }
            link.withLock { $0 = pipe }
        } catch {
            profile.remove()
            throw error
        }
        attach(to: nil, filter: [["type": "page"], ["type": "shared_worker"]])
        send("Browser.setDownloadBehavior", ["behavior": "deny"], nil)
    }

    /// Copies a profile without the locks of a browser that may use it. Chromium's own caches may be incomplete in the copy.
    private static func copy(_ folder: FilePath, to profile: TemporaryProfile) throws(ArchiveError) {
        let files = FileManager.default
        do {
            for name in try files.contentsOfDirectory(atPath: folder.string) where !name.hasPrefix("Singleton") {
                try files.copyItem(
                    atPath: folder.appending(name).string, toPath: profile.path.appending(name).string)
            }
        } catch {
            profile.remove()
            throw ArchiveError(.io, "cannot copy the browser's profile", path: folder.string, cause: error)
        }
    }

    deinit {
        process.signal(SIGKILL)
        profile.remove()
    }

    /// Adds fields to the requests of all tabs that are opened later, to some hosts alone.
    package func add(_ fields: HostFields) { state.withLock { $0.fields = fields } }

    /// Whether the browser still runs.
    package var isRunning: Bool { process.isRunning }
    /// The memory of the browser's processes, in bytes; nil if it has ended, or the system does not report it.
    package var memory: Int? { process.memory }

    /// Ends the browser at once, and removes its profile, for a process that ends itself.
    package func kill() {
        process.signal(SIGKILL)
        profile.remove()
    }

    /// Ends the browser, and removes its profile.
    package func close() async {
        send("Browser.close", [:], nil)
        await wait(for: .seconds(5)) { !self.process.isRunning }
        process.signal(SIGKILL)
        await wait(for: .seconds(5)) { !self.process.isRunning }
        state.withLock { $0.tabs = [:] }
        profile.remove()
    }

    /// Opens a tab.
    ///
    /// - Parameter port: the port of a proxy on 127.0.0.1 for this tab alone, which then has a context of its own, without data of others; nil, as by
    ///   default, for the browser's proxy and its context.
    /// - Throws: `io` if the browser has ended, or does not respond.
    package func openTab(proxy port: Int? = nil) async throws(ArchiveError) -> VisitTab {
        state.withLock { $0.opening += 1 }
        defer { state.withLock { $0.opening -= 1 } }
        let context = try await context(port)
        var parameters: [String: JSONValue] = [
            "url": "about:blank", "width": 1280, "height": 800, "newWindow": true,
        ]
        if let context { parameters["browserContextId"] = .string(context) }
        let response = await command("Target.createTarget", .object(sorting: parameters), nil, within: .seconds(30))
        guard let target = try? response.get()["targetId"]?.text else {
            throw ArchiveError(.io, "the browser opens no tab", cause: Self.failure(response))
        }
        await wait(for: .seconds(30)) { self.state.withLock { $0.pages[target] != nil } }
        guard let session = state.withLock({ $0.pages.removeValue(forKey: target) }) else {
            throw ArchiveError(.io, "the browser opens no tab")
        }
        // Before its first document has a process, a page counts as one that crashed.
        _ = await command("Runtime.evaluate", ["expression": "1"], session, within: .seconds(30))
        let tab = VisitTab(self, session: session, target: target, context: context)
        state.withLock { $0.tabs[session] = tab }
        send("Inspector.enable", [:], session)
        return tab
    }

    /// Creates a context with a proxy of its own; nil without one.
    private func context(_ port: Int?) async throws(ArchiveError) -> String? {
        guard let port else { return nil }
        let response = await command(
            "Target.createBrowserContext",
            [
                "proxyServer": .string("http://127.0.0.1:\(port)"), "proxyBypassList": "<-loopback>",
                "disposeOnDetach": true,
            ], nil, within: .seconds(30))
        guard let context = try? response.get()["browserContextId"]?.text else {
            throw ArchiveError(.io, "the browser makes no context", cause: Self.failure(response))
        }
        send("Browser.setDownloadBehavior", ["behavior": "deny", "browserContextId": .string(context)], nil)
        return context
    }

    private static func failure(_ response: Result<JSONValue, DevToolsPipe.Failure>) -> DevToolsPipe.Failure? {
        if case .failure(let failure) = response { failure } else { nil }
    }

    /// Forgets a tab, and closes its page.
    ///
    /// - Parameter hangs: whether the page may not respond.
    func close(_ tab: VisitTab, hangs: Bool) {
        state.withLock { state in state.tabs = state.tabs.filter { $0.value !== tab } }
        // A script without end keeps its process, and with it each new page of the same site.
        if hangs { send("Page.crash", [:], tab.session) }
        send("Target.closeTarget", ["targetId": .string(tab.target)], nil)
        if let context = tab.context {
            send("Target.disposeBrowserContext", ["browserContextId": .string(context)], nil)
        }
    }

    private func wait(for time: Duration, until condition: () -> Bool) async {
        let end = ContinuousClock.now + time
        while true {
            let generation = signal.generation
            guard !condition(), ContinuousClock.now < end else { return }
            await signal.change(after: generation, before: end)
        }
    }

    // MARK: - Commands

    func send(_ method: String, _ parameters: JSONValue, _ session: String?) {
        link.withLock { $0 }?.send(method, parameters, session: session)
    }

    /// Sends a command, and waits for the response.
    ///
    /// - Parameter isOver: a function that returns whether no response will come, such as after a crash; never by default.
    /// - Returns: a failure as well if the response does not come within the time: a page may hang.
    func command(
        _ method: String, _ parameters: JSONValue, _ session: String?, within time: Duration,
        unless isOver: @Sendable () -> Bool = { false }
    ) async -> Result<JSONValue, DevToolsPipe.Failure> {
        guard let pipe = link.withLock({ $0 }) else { return .failure(.init(description: "no browser")) }
        let reply = Reply()
        pipe.send(method, parameters, session: session) { reply.set($0) }
        return await reply.value(before: .now + time, unless: isOver)
    }

    /// A response that the pipe's thread stores.
    private final class Reply: Sendable {
        private let result = Mutex<Result<JSONValue, DevToolsPipe.Failure>?>(nil)
        private let signal = VisitSignal()

        func set(_ value: Result<JSONValue, DevToolsPipe.Failure>) {
            result.withLock { $0 = value }
            signal.fire()
        }

        func value(
            before deadline: ContinuousClock.Instant, unless isOver: @Sendable () -> Bool
        ) async -> Result<JSONValue, DevToolsPipe.Failure> {
            while result.withLock({ $0 }) == nil, ContinuousClock.now < deadline, !isOver() {
                await signal.change(after: 0, before: min(deadline, .now + .milliseconds(250)))
            }
            return result.withLock { $0 } ?? .failure(.init(description: "no response in time"))
        }
    }

    // MARK: - Events

    /// Makes a target, or the browser, report its new targets, which wait until they are released.
    private func attach(to session: String?, filter: JSONValue) {
        send(
            "Target.setAutoAttach",
            ["autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": filter], session)
    }

    /// Handles an event of the browser; on the pipe's thread.
    private func take(_ event: DevToolsPipe.Event) {
        switch event.method {
        case "Target.attachedToTarget": attached(event.parameters, parent: event.session)
        case "Target.detachedFromTarget": detached(event.parameters["sessionId"]?.text)
        case "Fetch.requestPaused": continueRequest(event)
        default:
            guard let session = event.session else { break }
            let (tab, all) = state.withLock { state in
                (state.tabs[session], state.shared.contains(session) ? state.tabs : [:])
            }
            tab?.take(event, session)
            for (own, tab) in all where own == tab.session { tab.take(event, session) }
        }
    }

    private func attached(_ parameters: JSONValue, parent: String?) {
        guard let session = parameters["sessionId"]?.text, let target = parameters["targetInfo"] else { return }
        let (type, id) = (target["type"]?.text ?? "", target["targetId"]?.text ?? "")
        if type == "page" {
            let isOurs = state.withLock { state in
                guard state.opening > 0, target["openerId"] == nil else { return false }
                state.pages[id] = session
                return true
            }
            if isOurs {
                prepare(session, type)
                signal.fire()
            } else {
                dismiss(id, session, isFirst: target["openerId"] == nil)
            }
            return
        }
        let tab = state.withLock { state in
            let tab = parent.flatMap { state.tabs[$0] }
            if let tab { state.tabs[session] = tab } else { state.shared.insert(session) }
            return tab
        }
        if type == "iframe" { tab?.prepare(frame: session) }
        prepare(session, type)
    }

    /// Closes a page that another one opened, whose address is a link of that one. The first page of the browser stays: with the last one the
    /// browser would end.
    private func dismiss(_ target: String, _ session: String, isFirst: Bool) {
        send("Runtime.runIfWaitingForDebugger", [:], session)
        if isFirst {
            send("Target.detachFromTarget", ["sessionId": .string(session)], nil)
        } else {
            send("Target.closeTarget", ["targetId": .string(target)], nil)
        }
    }

    /// Makes a new target report its events before it begins, and lets it run.
    private func prepare(_ session: String, _ type: String) {
        attach(to: session, filter: [["type": "browser", "exclude": true], ["type": "tab", "exclude": true], [:]])
        send("Network.enable", ["maxPostDataSize": .integer(1 << 20), "maxTotalBufferSize": 0], session)
        if let fields = state.withLock({ $0.fields }) { send("Fetch.enable", fields.patterns, session) }
        if type == "page" || type == "iframe" {
            send("Page.enable", [:], session)
            send("Page.setInterceptFileChooserDialog", ["enabled": true, "cancel": true], session)
        }
        if type == "page" {
            send("Page.setPrerenderingAllowed", ["isAllowed": false], session)
            send("Emulation.setFocusEmulationEnabled", ["enabled": true], session)
        }
        send("Runtime.runIfWaitingForDebugger", [:], session)
    }

    /// Sends a request that waits, with its fields and those of its host.
    private func continueRequest(_ event: DevToolsPipe.Event) {
        var parameters: [String: JSONValue] = ["requestId": event.parameters["requestId"] ?? .null]
        if let fields = state.withLock({ $0.fields }),
            case .object(let sent)? = event.parameters["request"]?["headers"],
            let url = event.parameters["request"]?["url"]?.text, let added = fields.added(to: sent, url: url)
        {
            parameters["headers"] = added
        }
        send("Fetch.continueRequest", .object(sorting: parameters), event.session)
    }

    private func detached(_ session: String?) {
        guard let session else { return }
        let tab = state.withLock { state in
            state.shared.remove(session)
            return state.tabs.removeValue(forKey: session)
        }
        tab?.ended(session)
        signal.fire()
    }
}
