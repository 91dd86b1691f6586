// SPDX-License-Identifier: Apache-2.0

import Synchronization
import SystemPackage
import WebArchive

/// Controls a Chromium that runs: shows pages, notices use, and keeps to one page.
final class ChromiumControl: Sendable {
    private struct State {
        var mainPage: String
        /// The session of the page that visitors see.
        var page: String?
        /// What a page asked to open in a new window by a visitor's doing.
        var wantedWindow: String?
        var hasDialog = false
        /// Whether the page that comes next is the first of a visit.
        var forgetsHistory = false
        /// The page after which there is nothing to go back to is there, and still loads.
        var forgetsWhenLoaded = false
        /// Where pages may have stored something.
        var origins: Set<String> = []
    }

    private let state: Mutex<State>
    private let script: PageScript
    private let isHeadless: Bool
    private let report: @Sendable (KioskSupervisor.Event) -> Void
    // Set once, by the only initialiser; a `Mutex` because the pipe's thread begins to call before it ends.
    private let link = Mutex<DevToolsPipe?>(nil)

    /// Takes the descriptors of the pipes over, and shows the main page as soon as the browser has a page.
    init(
        reading input: FileDescriptor, writing output: FileDescriptor, mainPage: String, display: KioskDisplay,
        report: @escaping @Sendable (KioskSupervisor.Event) -> Void
    ) {
        state = Mutex(State(mainPage: mainPage))
        script = PageScript(guardsBrowser: display != .windowed)
        isHeadless = display == .headless
        self.report = report
        let pipe = DevToolsPipe(reading: input, writing: output) { [weak self] in self?.take($0) }
        link.withLock { $0 = pipe }
        attach(to: nil)
        pipe.send("Browser.setDownloadBehavior", ["behavior": "deny"])
    }

    // MARK: - What is asked of it

    /// Shows the main page as to the first visitor: without history, and without what others left.
    func showMainPage(_ url: String) {
        let (page, origins) = state.withLock { state in
            state.mainPage = url
            defer { state.origins = [] }
            return (state.page, state.origins)
        }
        guard let page else { return }
        // A dialog would hold everything up.
        send("Page.handleJavaScriptDialog", ["accept": false], page)
        // What is left can be cleared once no page has it in memory.
        send("Page.navigate", ["url": "about:blank"], page) { [weak self] _ in
            guard let self else { return }
            for origin in origins.sorted() {
                send("Storage.clearDataForOrigin", ["origin": .string(origin), "storageTypes": "all"], page)
            }
            send("Network.clearBrowserCookies", [:], page)
            state.withLock { $0.forgetsHistory = true }
            send("Page.navigate", ["url": .string(url)], page)
        }
    }

    /// Has the page report that it answers.
    func ask() {
        let (page, hasDialog) = state.withLock { ($0.page, $0.hasDialog) }
        // No script runs below a dialog, and a visitor may leave it open.
        if hasDialog { return report(.answered) }
        guard let page else { return }
        send("Runtime.evaluate", ["expression": "1"], page) { [report] answer in
            if case .success = answer { report(.answered) }
        }
    }

    /// Asks the browser to end.
    func close() { send("Browser.close", [:], nil) }

    /// Sends a command to the page, and gives the answer.
    func perform(_ method: String, _ parameters: DevToolsValue, answer: @escaping DevToolsPipe.Answer) {
        guard let page = state.withLock({ $0.page }) else {
            return answer(.failure(DevToolsPipe.Failure(description: "there is no page")))
        }
        send(method, parameters, page, answer)
    }

    private func send(
        _ method: String, _ parameters: DevToolsValue, _ session: String?, _ answer: DevToolsPipe.Answer? = nil
    ) {
        link.withLock { $0 }?.send(method, parameters, session: session, answer: answer)
    }

    // MARK: - What the browser tells

    private func take(_ event: DevToolsPipe.Event) {
        let parameters = event.parameters
        switch event.method {
        case "Target.attachedToTarget": attached(parameters)
        case "Target.detachedFromTarget": detached(parameters["sessionId"]?.text)
        case "Runtime.bindingCalled" where parameters["name"]?.text == PageScript.binding: report(.used)
        case "Inspector.targetCrashed" where isPage(event.session): report(.pageCrashed)
        case "Page.frameNavigated": navigated(parameters["frame"], event.session)
        case "Page.loadEventFired": loaded(event.session)
        case "Page.windowOpen" where parameters["userGesture"]?.isTrue == true:
            state.withLock { $0.wantedWindow = parameters["url"]?.text }
        case "Page.javascriptDialogOpening": opened(dialog: parameters["type"]?.text, event.session)
        case "Page.javascriptDialogClosed": state.withLock { $0.hasDialog = false }
        default: break
        }
    }

    private func isPage(_ session: String?) -> Bool { state.withLock { $0.page == session } }

    /// Has a target, or the browser, tell of the pages and frames that it makes, before they begin.
    private func attach(to session: String?) {
        send(
            "Target.setAutoAttach",
            [
                "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
                "filter": [["type": "page"], ["type": "iframe"], ["exclude": true]],
            ], session)
    }

    private func attached(_ parameters: DevToolsValue) {
        guard let session = parameters["sessionId"]?.text, let target = parameters["targetInfo"] else { return }
        if target["type"]?.text == "page" {
            let isFirst = state.withLock { state in
                if state.page == nil { state.page = session }
                return state.page == session
            }
            guard isFirst else { return instead(of: target["targetId"] ?? .null) }
            prepare(session)
            let mainPage = state.withLock { $0.mainPage }
            state.withLock { $0.forgetsHistory = true }
            send("Page.navigate", ["url": .string(mainPage)], session)
            report(.ready)
        } else {
            prepare(session)
        }
    }

    private func prepare(_ session: String) {
        attach(to: session)
        for domain in ["Page", "Inspector", "Runtime"] { send("\(domain).enable", [:], session) }
        send(
            "Runtime.addBinding",
            ["name": .string(PageScript.binding), "executionContextName": .string(PageScript.world)], session)
        send(
            "Page.addScriptToEvaluateOnNewDocument",
            ["source": .string(script.source), "worldName": .string(PageScript.world), "runImmediately": true],
            session)
        if script.guardsBrowser {
            send("Page.setInterceptFileChooserDialog", ["enabled": true, "cancel": true], session)
        }
        send("Runtime.runIfWaitingForDebugger", [:], session)
    }

    /// A kiosk has no tabs: what a visitor opens in a new window is shown in the only one, what a script opens is not.
    private func instead(of target: DevToolsValue) {
        send("Target.closeTarget", ["targetId": target], nil)
        let (page, wanted) = state.withLock { state in
            defer { state.wantedWindow = nil }
            return (state.page, state.wantedWindow)
        }
        guard let page, let wanted, wanted.hasPrefix("http://") || wanted.hasPrefix("https://") else { return }
        send("Page.navigate", ["url": .string(wanted)], page)
    }

    private func detached(_ session: String?) {
        let isPage = state.withLock { state in
            guard state.page == session else { return false }
            (state.page, state.hasDialog) = (nil, false)
            return true
        }
        // A page closed itself; a browser without any would stay, and show nothing.
        if isPage { send("Target.createTarget", ["url": "about:blank"], nil) }
    }

    private func navigated(_ frame: DevToolsValue?, _ session: String?) {
        guard let origin = frame?["securityOrigin"]?.text, origin.hasPrefix("http") else { return }
        state.withLock { state in
            state.origins.insert(origin)
            guard state.forgetsHistory, state.page == session, frame?["parentId"] == nil else { return }
            (state.forgetsHistory, state.forgetsWhenLoaded) = (false, true)
        }
    }

    /// Only when a page has loaded: until then, the one before it is what cannot be forgotten.
    private func loaded(_ session: String?) {
        let forgets = state.withLock { state in
            guard state.forgetsWhenLoaded, state.page == session else { return false }
            state.forgetsWhenLoaded = false
            return true
        }
        if forgets { send("Page.resetNavigationHistory", [:], session) }
    }

    private func opened(dialog: String?, _ session: String?) {
        // Nobody is asked whether to leave a page, and where there is no screen, nobody is asked anything.
        if dialog == "beforeunload" || isHeadless {
            send("Page.handleJavaScriptDialog", ["accept": true], session)
        } else {
            state.withLock { $0.hasDialog = true }
        }
    }
}
