// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage
import WebArchive
import WebArchiveBrowser

/// A controller of a running Chromium: it shows the main page, detects use, and keeps to one page.
final class ChromiumControl: Sendable {
    /// An event in the browser.
    enum Event: Sendable, Equatable {
        /// The main page is shown.
        case ready
        /// A visitor used the page.
        case used
        /// The page and all its frames responded to ``ask()``.
        case responded
        case pageCrashed
        /// The only window was closed.
        case pageClosed
        /// The page kept its bar away, and the main page replaces it.
        case leftPage
        /// The main page, or one that could not be left, keeps its bar away.
        case barLost
        /// A visitor requested a different page by Home or Back.
        case leaving
        /// The requested page is there.
        case arrived
        /// The page opens the sheet for printing as soon as it is closed.
        case printsEndlessly
        /// The browser shows an address that its policies refuse: they are not in force.
        case unlocked
    }

    /// The progress from the first page of a browser to the main page.
    private enum Progress { case starting, loading, ready }

    /// The dialog for printing, below which no script of a page runs.
    private struct Printing {
        /// The page or the frame that prints.
        let session: String?
        let start: ContinuousClock.Instant
    }

    private struct State {
        /// The session of the page that visitors see.
        var page: String?
        /// The frame of the page, which frames below it do not share.
        var frame: String?
        var bar = BarDocuments()
        /// The sessions of the page and its frames in other processes.
        var sessions: Set<String> = []
        /// The sessions that have not responded yet.
        var awaited: Set<String> = []
        /// The URL that a page requested to open in a new window after a visitor's action.
        var wantedWindow: String?
        var printing: Printing?
        var sheets = PrintSheets()
        var lastUse: ContinuousClock.Instant?
        /// The identifier of the only window.
        var window: Double?
        /// The script that applies the zoom of the bar to pages.
        var zoomScript: String?
        var progress = Progress.starting
    }

    private let state = Mutex(State())
    let start = ContinuousClock.now
    let mainPage: String
    private let hasBar: Bool
    private let script: PageScript
    private let display: BrowserDisplay
    /// The time after a visitor's action for which a film counts as use.
    private static let maximumFilmDuration = Duration.seconds(3 * 3600)
    private let maximumPrintingDuration: Duration
    private let checksPolicies: Bool
    let report: @Sendable (Event) -> Void
    // Set once, by the only initialiser; a `Mutex` because the pipe's thread begins to call before it ends.
    private let link = Mutex<DevToolsPipe?>(nil)

    /// Takes ownership of the descriptors of the pipes, and shows the main page as soon as the browser has a page.
    ///
    /// - Parameters:
    ///   - maximumPrintingDuration: the time for which the page need not respond while it prints.
    ///   - checksPolicies: whether to find out first if the browser obeys ``ChromiumPolicy``.
    init(
        reading input: FileDescriptor, writing output: FileDescriptor, mainPage: String, display: BrowserDisplay,
        measures: LockdownMeasures = .all, hasBar: Bool = false, maximumPrintingDuration: Duration = .seconds(120),
        checksPolicies: Bool = false,
        report: @escaping @Sendable (Event) -> Void
    ) {
        self.mainPage = mainPage
        script = PageScript(isGuarding: display != .windowed && measures.contains(.pageScript), hasBar: hasBar)
        self.hasBar = hasBar
        self.display = display
        self.maximumPrintingDuration = maximumPrintingDuration
        self.checksPolicies = checksPolicies
        self.report = report
        let pipe = DevToolsPipe(reading: input, writing: output, ignoring: Self.ignoredEvents) { [weak self] in
            self?.take($0)
        }
        link.withLock { $0 = pipe }
        attach(to: nil)
        // Sheets for printing begin as such targets. Pages and frames would report each change of their URL.
        pipe.send("Target.setDiscoverTargets", ["discover": true, "filter": [["type": "other"]]])
        pipe.send("Browser.setDownloadBehavior", ["behavior": "deny"])
    }

    /// The events that a page can cause by the thousand, before the relevant ones.
    private static let ignoredEvents = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Network."]

    // MARK: - Commands

    /// Requests a response of the page and its frames.
    func ask() {
        let (page, sessions, hasResponded) = state.withLock { state -> (String?, [String], Bool) in
            guard state.page != nil else { return (nil, [], false) }
            // A visitor may leave the dialog open. A page may only seem to print, and may hide the end: it is checked as well.
            if let printing = state.printing, ContinuousClock.now - printing.start < maximumPrintingDuration {
                state.awaited = []
                return (state.page, [printing.session].compactMap(\.self), true)
            }
            guard state.awaited.isEmpty else { return (state.page, [], false) }
            state.awaited = state.sessions
            return (state.page, state.sessions.sorted(), false)
        }
        if hasResponded { report(.responded) }
        if let page { checkWindow(page) }
        for session in sessions {
            send("Runtime.evaluate", ["expression": "1"], session) { [weak self] _ in self?.noteResponse(of: session) }
        }
    }

    private func noteResponse(of session: String) {
        let isLast = state.withLock { state in
            if state.printing?.session == session { state.printing = nil }
            return state.awaited.remove(session) != nil && state.awaited.isEmpty
        }
        if isLast { report(.responded) }
    }

    /// Requests the browser to end.
    func close() { send("Browser.close", [:], nil) }

    /// Sends a command to the page, and returns the response.
    func perform(_ method: String, _ parameters: JSONValue, response: @escaping DevToolsPipe.Response) {
        guard let page = state.withLock({ $0.page }) else {
            return response(.failure(DevToolsPipe.Failure(description: "no page")))
        }
        send(method, parameters, page, response)
    }

    func send(
        _ method: String, _ parameters: JSONValue, _ session: String?, _ response: DevToolsPipe.Response? = nil
    ) {
        link.withLock { $0 }?.send(method, parameters, session: session, response: response)
    }

    // MARK: - Events of the browser

    /// Handles an event of the browser; on the pipe's thread.
    private func take(_ event: DevToolsPipe.Event) {
        let parameters = event.parameters
        switch event.method {
        case "Target.attachedToTarget": attached(parameters)
        case "Target.detachedFromTarget": detached(parameters["sessionId"]?.text)
        case "Target.targetInfoChanged": changed(parameters["targetInfo"] ?? .null)
        case "Target.targetDestroyed":
            state.withLock { $0.sheets.closed(parameters["targetId"]?.text, at: ContinuousClock.now - start) }
        case "Runtime.bindingCalled" where parameters["name"]?.text == PageScript.binding:
            if parameters["payload"]?.text == PageScript.hiding {
                guard let session = event.session, let world = parameters["executionContextId"] else { break }
                guardRoots(of: FocusedHost(world: world, session: session))
            } else {
                reported(parameters["payload"]?.text, event.session)
            }
        case "Inspector.targetCrashed" where isPage(event.session): report(.pageCrashed)
        case "Runtime.executionContextCreated" where isPage(event.session): noteWorld(parameters["context"] ?? .null)
        case "Page.frameNavigated" where isPage(event.session) && parameters["frame"]?["parentId"] == nil:
            guard let page = event.session else { break }
            noteDocument(parameters["frame"]?["loaderId"]?.text, page)
            noteNavigation(page)
        case "Page.navigatedWithinDocument" where isPage(event.session) && isPageFrame(parameters["frameId"]?.text):
            if parameters["navigationType"]?.text != "historyApi" { event.session.map(noteNavigation) }
        case "Page.domContentEventFired" where isPage(event.session): loaded()
        case "Page.windowOpen" where parameters["userGesture"]?.isTrue == true:
            state.withLock { $0.wantedWindow = parameters["url"]?.text }
        case "Page.javascriptDialogOpening": opened(dialog: parameters["type"]?.text, event.session)
        default: break
        }
    }

    private func isPage(_ session: String?) -> Bool { state.withLock { $0.page == session } }

    private func isPageFrame(_ frame: String?) -> Bool { state.withLock { $0.frame == frame } }

    private func noteWorld(_ context: JSONValue) {
        guard context["name"]?.text == PageScript.world, let world = context["uniqueId"]?.text else { return }
        state.withLock { state in
            if context["auxData"]?["frameId"]?.text == state.frame { state.bar.world = world }
        }
    }

    /// The session of the page, its frame, and the kiosk's world in it; nil while there is none.
    var barWorld: (page: String, frame: String, world: String)? {
        state.withLock { state in
            guard let page = state.page, let frame = state.frame, let world = state.bar.world else { return nil }
            return (page, frame, world)
        }
    }

    func changeBar<Result>(_ change: (inout BarDocuments) -> Result) -> Result {
        state.withLock { change(&$0.bar) }
    }

    func takeZoomScript() -> String? {
        state.withLock { state in
            defer { state.zoomScript = nil }
            return state.zoomScript
        }
    }

    func noteZoomScript(_ script: String?) { state.withLock { $0.zoomScript = script } }

    /// Handles a report of the page script: use, printing, or listeners that a page removed.
    private func reported(_ what: String?, _ session: String?) {
        if let what, what.hasPrefix(BarScript.prefix), let session {
            if isPage(session) { take(barRequest: what.dropFirst(BarScript.prefix.count), session) }
            return
        }
        switch what {
        case PageScript.printing: state.withLock { $0.printing = Printing(session: session, start: .now) }
        case PageScript.printed: state.withLock { $0.printing = nil }
        case PageScript.rewritten:
            // It may have been used unseen, and is so no longer than from its first time on.
            let isFirst = state.withLock { state in
                defer { state.lastUse = state.lastUse ?? ContinuousClock.now }
                return state.lastUse == nil
            }
            if isFirst { report(.used) }
        case PageScript.listening:
            // A document without a bar has no way home, and its script may play silence without end.
            let now = ContinuousClock.now
            if hasBar, changeBar({ $0.isWithoutBar }) { break }
            if state.withLock({ $0.lastUse.map { now - $0 < Self.maximumFilmDuration } ?? false }) { report(.used) }
        default:
            state.withLock { $0.lastUse = ContinuousClock.now }
            report(.used)
        }
    }

    /// Makes a target, or the browser, report the pages and frames that it creates, before they begin.
    private func attach(to session: String?) {
        send(
            "Target.setAutoAttach",
            [
                "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
                // Workers and worklets of a page wait as well, attached or not, and continue only by a command to them. The others excluded
                // here belong to no page.
                "filter": [
                    ["type": "service_worker", "exclude": true], ["type": "shared_worker", "exclude": true],
                    ["type": "browser", "exclude": true], ["type": "tab", "exclude": true], [:],
                ],
            ], session)
    }

    /// Handles a new target, which waits until it is released: the first page is the one that visitors see, frames are prepared like it, and
    /// any other page is closed.
    private func attached(_ parameters: JSONValue) {
        guard let session = parameters["sessionId"]?.text, let target = parameters["targetInfo"] else { return }
        switch target["type"]?.text {
        case "page": break
        case "iframe", "webview": return prepare(session)
        default: return release(session)
        }
        let isFirst = state.withLock { state in
            if state.page == nil { (state.page, state.frame) = (session, target["targetId"]?.text) }
            return state.page == session
        }
        guard isFirst else { return instead(of: target["targetId"] ?? .null, session) }
        prepare(session)
        begin(session)
    }

    /// Lets a worker or a worklet run.
    private func release(_ session: String) {
        send("Runtime.runIfWaitingForDebugger", [:], session)
        send("Target.detachFromTarget", ["sessionId": .string(session)], nil)
    }

    /// Begins with the start page, which takes the keys of visitors until the main page is shown.
    private func begin(_ session: String) {
        // Again, since the browser may still be loading it.
        send("Page.navigate", ["url": .string(StartPage.address)], session) { [weak self] _ in
            self?.awaitFrame(session)
        }
    }

    private func awaitFrame(_ session: String) {
        send("Runtime.evaluate", ["expression": .string(StartPage.ready), "awaitPromise": true], session) {
            [weak self] _ in
            guard let self else { return }
            if checksPolicies { checkPolicies(session) } else { showMainPage(session) }
        }
    }

    /// Checks whether policies are in force, which only the browser knows: it then refuses an address that it would otherwise request from the proxy.
    ///
    /// In a frame of the start page, which takes the keys of visitors meanwhile.
    private func checkPolicies(_ session: String) {
        send("Page.getFrameTree", [:], session) { [weak self] response in
            let frames = (try? response.get())?["frameTree"]?["childFrames"]?.items ?? []
            guard let frame = frames.first?["frame"]?["id"] else {
                self?.report(.unlocked)
                self?.showMainPage(session)
                return
            }
            let url = JSONValue.string("http://\(ChromiumPolicy.refusedHost)/")
            self?.send("Page.navigate", ["url": url, "frameId": frame], session) { [weak self] response in
                let error = (try? response.get())?["errorText"]?.text
                if error != "net::ERR_BLOCKED_BY_ADMINISTRATOR" { self?.report(.unlocked) }
                self?.showMainPage(session)
            }
        }
    }

    private func showMainPage(_ session: String) {
        state.withLock { $0.progress = .loading }
        navigate(to: mainPage, session)
    }

    /// Installs the scripts and limits of a page or a frame before anything of it runs, and lets it run.
    private func prepare(_ session: String) {
        _ = state.withLock { $0.sessions.insert(session) }
        attach(to: session)
        for domain in ["Page", "Inspector", "Runtime"] { send("\(domain).enable", [:], session) }
        send(
            "Runtime.addBinding",
            ["name": .string(PageScript.binding), "executionContextName": .string(PageScript.world)], session)
        send(
            "Page.addScriptToEvaluateOnNewDocument",
            ["source": .string(script.source), "worldName": .string(PageScript.world), "runImmediately": true],
            session)
        if let source = script.pageSource {
            send(
                "Page.addScriptToEvaluateOnNewDocument", ["source": .string(source), "runImmediately": true], session)
        }
        if script.isGuarding {
            send("Page.setInterceptFileChooserDialog", ["enabled": true, "cancel": true], session)
            // No sheet that requests a security key: while it is open, keys go to the browser.
            send("WebAuthn.enable", ["enableUI": false], session)
        }
        send("Runtime.runIfWaitingForDebugger", [:], session)
    }

    /// Replaces a new tab, since a kiosk has none: a page that a visitor opens in a new window is shown in the only one, and one of a script is not.
    private func instead(of target: JSONValue, _ session: String) {
        // The page that opened it waits for it to begin, and for ever if it has gone before.
        send("Runtime.runIfWaitingForDebugger", [:], session) { [weak self] _ in
            self?.send("Target.closeTarget", ["targetId": target], nil)
        }
        let (page, wanted) = state.withLock { state in
            defer { state.wantedWindow = nil }
            return (state.page, state.wantedWindow)
        }
        guard let page, let wanted, wanted.hasPrefix("http://") || wanted.hasPrefix("https://") else { return }
        send("Page.navigate", ["url": .string(wanted)], page)
    }

    /// Notes a sheet for printing. No script of a page knows of those of an embedded document.
    private func changed(_ target: JSONValue) {
        guard let id = target["targetId"]?.text, target["url"]?.text?.hasPrefix("chrome://print") == true else {
            return
        }
        let isEndless = state.withLock { $0.sheets.opened(id, at: ContinuousClock.now - start) }
        if isEndless { report(.printsEndlessly) }
    }

    /// Removes a target that has gone; without its page a browser has nothing to show.
    private func detached(_ session: String?) {
        guard let session else { return }
        let isPage = state.withLock { state in
            state.sessions.remove(session)
            guard state.page == session else { return false }
            (state.page, state.printing) = (nil, nil)
            return true
        }
        noteResponse(of: session)
        if isPage { report(.pageClosed) }
    }

    /// Notes the first page after the start page, and reports it.
    private func loaded() {
        let page = state.withLock { state -> String? in
            guard state.progress == .loading else { return nil }
            state.progress = .ready
            return state.page
        }
        guard let page else { return }
        checkWindow(page)
        // There is no history before the main page.
        send("Page.resetNavigationHistory", [:], page)
        if hasBar { watchBar() }
        report(.ready)
    }

    /// Closes a dialog of a script at once, since keys go to the browser instead of the page while it is open. A visitor agrees to leave a
    /// page, and to nothing else.
    private func opened(dialog: String?, _ session: String?) {
        let isAgreed = dialog == "beforeunload" || dialog == "alert" || display == .headless
        send("Page.handleJavaScriptDialog", ["accept": .bool(isAgreed)], session)
    }

    /// Checks that the page is still in its first window, full screen: an installed program, say, has a window of its own.
    private func checkWindow(_ page: String) {
        guard display == .fullScreen else { return }
        send("Browser.getWindowForTarget", [:], page) { [weak self] response in
            guard let self, let window = (try? response.get())?["windowId"]?.number else { return }
            let isOther = state.withLock { state in
                defer { state.window = state.window ?? window }
                return state.window.map { $0 != window } ?? false
            }
            if isOther { report(.pageClosed) }
        }
    }
}
