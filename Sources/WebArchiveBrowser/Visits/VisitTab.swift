// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WebArchive

/// A tab of a browser for visits, of one page after the other.
package final class VisitTab: Sendable {
    private struct State {
        /// Nil between two visits.
        var log: RequestLog?
        var hasLoaded = false
        /// The identifiers of the loaders of the documents so far, which are those of their requests as well.
        var loaders: [String] = []
        /// The statuses of responses to requests for documents, by the identifiers of the requests.
        var statuses: [String: Int] = [:]
        /// The field `Retry-After` of the last of them.
        var retryAfter: String?
        var windows: [String] = []
        var isCrashed = false
        /// Whether it shows no page, so that it responds.
        var isEmpty = true
        var hasEnded = false
        /// The sessions of frames in processes of their own.
        var frames: [String] = []
        var prelude: String?
        var reporter: String?
        var reports: [String] = []
    }

    private let browser: VisitBrowser
    let session: String
    let target: String
    /// The context that no other tab has; nil for that of the browser.
    let context: String?
    private let state = Mutex(State())
    private let signal = VisitSignal()

    /// The time for a command that a page can only delay by hanging.
    private static let patience = Duration.seconds(10)

    init(_ browser: VisitBrowser, session: String, target: String, context: String? = nil) {
        (self.browser, self.session, self.target, self.context) = (browser, session, target, context)
    }

    /// Whether another visit is possible; false after a crash, and for a page that hangs or cannot be left.
    package var isUsable: Bool { state.withLock { !$0.isCrashed && !$0.hasEnded } }

    /// Closes the tab.
    package func close() {
        let isEmpty = state.withLock { state in
            state.hasEnded = true
            return state.isEmpty
        }
        browser.close(self, hangs: !isEmpty)
        signal.fire()
    }

    // MARK: - Events

    /// Handles an event of one of its sessions; on the pipe's thread.
    func take(_ event: DevToolsPipe.Event, _ session: String) {
        let parameters = event.parameters
        switch event.method {
        case "Page.javascriptDialogOpening":
            browser.send("Page.handleJavaScriptDialog", ["accept": true, "promptText": ""], session)
        case "Page.windowOpen":
            state.withLock { state in
                if let url = parameters["url"]?.text, state.windows.count < 1000 { state.windows.append(url) }
            }
        case "Runtime.bindingCalled":
            state.withLock { state in
                guard let text = parameters["payload"]?.text, state.reports.count < 1000 else { return }
                state.reports.append(String(text.prefix(Self.maximumReportLength)))
            }
        case "Inspector.targetCrashed" where session == self.session:
            state.withLock { $0.isCrashed = true }
            signal.fire()
        case "Page.loadEventFired" where session == self.session:
            state.withLock { $0.hasLoaded = true }
            signal.fire()
        case "Page.frameNavigated" where session == self.session && parameters["frame"]?["parentId"] == nil:
            navigated(parameters["frame"] ?? .null)
        case "Page.frameNavigated" where session != self.session:
            state.withLock { if !$0.frames.contains(session) { $0.frames.append(session) } }
        default:
            guard event.method.hasPrefix("Network.") else { return }
            let hasChanged = state.withLock { state in
                if event.method == "Network.responseReceived", parameters["type"]?.text == "Document",
                    session == self.session, let request = parameters["requestId"]?.text, state.statuses.count < 1000
                {
                    let response = parameters["response"]
                    state.statuses[request] = response?["status"]?.number.flatMap(Int.init(exactly:))
                    if case .object(let fields)? = response?["headers"] {
                        state.retryAfter = fields.first { $0.name.lowercased() == "retry-after" }?.value.text
                    }
                }
                return state.log?.take(event.method, parameters, session: session) ?? false
            }
            if hasChanged { signal.fire() }
        }
    }

    /// Notes that the document is another one.
    private func navigated(_ frame: JSONValue) {
        state.withLock { state in
            if let loader = frame["loaderId"]?.text { state.loaders.append(loader) }
            state.hasLoaded = false
            state.frames = []
        }
        signal.fire()
    }

    func ended(_ session: String) {
        state.withLock { state in
            state.log?.end(session: session)
            state.frames.removeAll { $0 == session }
            if session == self.session { state.hasEnded = true }
        }
        signal.fire()
    }

    // MARK: - Visits

    /// Visits a page. To be called by one task at a time; once for a tab with a context of its own, which is then closed.
    ///
    /// - Parameters:
    ///   - url: an absolute URL of `http` or `https`; any other one is refused.
    ///   - options: the default options by default.
    /// - Returns: the result, at the latest some seconds after the limit.
    package func visit(_ url: String, options: VisitOptions = VisitOptions()) async -> PageVisit {
        let end = ContinuousClock.now + options.limit
        var visit = PageVisit(url: url, outcome: .loaded)
        guard let canonical = try? CanonicalURL(url), canonical.isOfHTTP else {
            visit.outcome = .refused
            return visit
        }
        await prepare(options)
        state.withLock { state in
            state.log = RequestLog()
            (state.hasLoaded, state.loaders, state.statuses, state.retryAfter) = (false, [], [:], nil)
            (state.windows, state.frames, state.reports) = ([], [], [])
            state.isEmpty = false
        }
        visit.outcome = await load(url, before: end)
        if visit.outcome == .loaded {
            visit.outcome = await complete(&visit, options, before: end)
        }
        state.withLock { state in
            visit.requests = state.log?.requests ?? []
            visit.isTruncated = state.log?.isTruncated ?? false
            visit.retryAfter = state.retryAfter
            visit.status = state.loaders.last.flatMap { state.statuses[$0] } ?? 0
            visit.reports = state.reports
            state.log = nil
        }
        // A page that took too long may hang.
        if visit.outcome == .timedOut {
            close()
        } else if context != nil {
            // Its context ends with it, and nothing of it is left for another visit.
            state.withLock { $0.isEmpty = true }
            close()
        } else {
            await leave()
        }
        return visit
    }

    /// Sets the options that a tab keeps.
    private func prepare(_ options: VisitOptions) async {
        setHeight(options.hasBehaviours ? Self.tallHeight : Self.height)
        browser.send("Network.setCacheDisabled", ["cacheDisabled": .bool(!options.usesCache)], session)
        if let reporter = options.reporter, state.withLock({ $0.reporter }) != reporter {
            state.withLock { $0.reporter = reporter }
            // Without the domain a function is lost with the first process of the tab.
            browser.send("Runtime.enable", [:], session)
            _ = await command("Runtime.addBinding", ["name": .string(reporter)])
        }
        guard let prelude = options.prelude, state.withLock({ $0.prelude }) != prelude else { return }
        state.withLock { $0.prelude = prelude }
        _ = await command("Page.addScriptToEvaluateOnNewDocument", ["source": .string(prelude)])
    }

    /// Sets the options of a frame in a process of its own, before it begins; on the pipe's thread.
    func prepare(frame session: String) {
        let (prelude, reporter) = state.withLock { ($0.prelude, $0.reporter) }
        if let reporter {
            browser.send("Runtime.enable", [:], session)
            browser.send("Runtime.addBinding", ["name": .string(reporter)], session)
        }
        if let prelude {
            browser.send(
                "Page.addScriptToEvaluateOnNewDocument", ["source": .string(prelude), "runImmediately": true], session)
        }
    }

    /// The longest report that is kept, in characters.
    private static let maximumReportLength = 4096

    /// The height of the window in a picture, and the one that lets most of a page load without scrolling, in pixels.
    private static let (height, tallHeight) = (800, 2400)

    private func setHeight(_ height: Int) {
        browser.send(
            "Emulation.setDeviceMetricsOverride",
            ["width": 1280, "height": .number(height), "deviceScaleFactor": 1, "mobile": false], session)
    }

    /// Navigates, and waits until the document has loaded.
    private func load(_ url: String, before end: ContinuousClock.Instant) async -> PageVisit.Outcome {
        let response = await command("Page.navigate", ["url": .string(url)], before: end)
        guard case .success(let result) = response else { return ending ?? .timedOut }
        if let error = result["errorText"]?.text {
            // The browser shows a page of its own instead, which would come in the way of the next one. The response may have a status.
            let loader = result["loaderId"]?.text ?? ""
            let hasPage = await wait(before: min(end, .now + .seconds(1))) { $0.loaders.contains(loader) }
            if !hasPage { state.withLock { $0.loaders.append(loader) } }
            return result["isDownload"]?.isTrue == true ? .download : .failed(error)
        }
        let loader = result["loaderId"]?.text ?? ""
        let hasLoaded = await wait(before: end) { $0.hasLoaded && $0.loaders.contains(loader) }
        return ending ?? (hasLoaded ? .loaded : .timedOut)
    }

    /// The reason why the page can do nothing more; nil if there is none.
    private var ending: PageVisit.Outcome? {
        let (isCrashed, hasEnded) = state.withLock { ($0.isCrashed, $0.hasEnded) }
        return isCrashed ? .crashed : hasEnded || !browser.isRunning ? .browserEnded : nil
    }

    /// Lets a page load all that it will, and reads its contents.
    private func complete(
        _ visit: inout PageVisit, _ options: VisitOptions, before end: ContinuousClock.Instant
    ) async -> PageVisit.Outcome {
        let busyEnd = min(end, .now + options.maximumBusy)
        if let expectation = options.expectation, expectation.sparesBehaviours {
            visit.isIdle = await comes(to: expectation, before: busyEnd)
        }
        var (height, count) = (0.0, 0)
        while !visit.isIdle {
            if options.hasBehaviours {
                height = await value(VisitScripts.behaviours, world(), awaits: true)?.number ?? 0
            }
            if count == 0, let script = options.script { _ = await value(script, nil, awaits: true) }
            if count == 0, let expectation = options.expectation, await comes(to: expectation, before: busyEnd) {
                visit.isIdle = true
                break
            }
            visit.isIdle = await idle(options.idle, before: busyEnd)
            count += 1
            if let ending { return ending }
            // A page that grew may have more to load at its new end.
            guard options.hasBehaviours, visit.isIdle, count < options.scrollCount,
                await value(VisitScripts.height, world()).flatMap(\.number) ?? 0 > height
            else { break }
            visit.isIdle = false
        }
        guard await read(&visit, withLinks: options.readsLinks) else { return ending ?? .timedOut }
        if options.takesScreenshot { visit.screenshot = await screenshot() }
        return ending ?? .loaded
    }

    /// Waits until a page is idle for a short time.
    ///
    /// - Returns: whether it has then come to the end of an earlier visit.
    private func comes(to expectation: VisitExpectation, before end: ContinuousClock.Instant) async -> Bool {
        guard await idle(VisitExpectation.idle, before: end) else { return false }
        let requests = state.withLock { $0.log?.requests ?? [] }
        let targets = Set(requests.map { VisitExpectation.Target(method: $0.method, url: $0.url) })
        guard targets.isSuperset(of: expectation.targets) else { return false }
        return await value(VisitScripts.text, world())?["text"]?.text == expectation.text
    }

    /// Waits until no request was in progress for some time.
    ///
    /// - Returns: whether there was such a time before the end.
    private func idle(_ time: Duration, before end: ContinuousClock.Instant) async -> Bool {
        while ending == nil {
            let generation = signal.generation
            let moment = state.withLock { state -> ContinuousClock.Instant? in
                guard state.hasLoaded, let log = state.log, log.isQuiet else { return nil }
                return log.lastActivity + (log.mayBeReading ? max(time, Self.readingTime) : time)
            }
            let now = ContinuousClock.now
            if let moment, moment <= now { return true }
            guard now < end else { return false }
            await signal.change(after: generation, before: min(moment ?? end, end))
        }
        return false
    }

    /// The time in which a page reads a response to `fetch()`, or leaves it unread.
    private static let readingTime = Duration.seconds(2)

    /// Reads the text, and on request the links and the resources of the document and its frames.
    ///
    /// - Returns: whether the page responded.
    private func read(_ visit: inout PageVisit, withLinks readsLinks: Bool) async -> Bool {
        guard let page = await value(VisitScripts.text, world()) else { return false }
        visit.finalURL = Self.withoutFragment(page["url"]?.text ?? visit.url)
        visit.title = page["title"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        visit.text = page["text"]?.text ?? ""
        guard readsLinks else { return true }
        let frames = state.withLock { $0.frames }
        var lists = [await value(VisitScripts.links, world())]
        for frame in frames.prefix(Self.maximumFrameCount) {
            let response = await browser.command(
                "Runtime.evaluate", ["expression": .string(VisitScripts.links), "returnByValue": true], frame,
                within: .seconds(2))
            lists.append(try? response.get()["result"]?["value"])
        }
        var known = Set<String>()
        let windows = state.withLock { $0.windows }.map(Self.withoutFragment)
        for link in lists.flatMap({ $0?["links"]?.items ?? [] }).compactMap(\.text) + windows
        where link.hasPrefix("http://") || link.hasPrefix("https://") {
            if known.insert(link).inserted { visit.links.append(link) }
        }
        known = []
        for resource in lists.flatMap({ $0?["resources"]?.items ?? [] }).compactMap(\.text)
        where known.insert(resource).inserted { visit.resources.append(resource) }
        return true
    }

    private static let maximumFrameCount = 32

    private static func withoutFragment(_ url: String) -> String { String(url.prefix { $0 != "#" }) }

    /// Takes a picture of the top of the page in a usual window.
    private func screenshot() async -> [UInt8]? {
        setHeight(Self.height)
        let response = await command(
            "Page.captureScreenshot", ["format": "png", "captureBeyondViewport": false, "optimizeForSpeed": true])
        // A picture of more than 4 MiB arrives as an empty text.
        return (try? response.get()["data"]?.text).flatMap { Data(base64Encoded: $0) }.flatMap {
            $0.isEmpty ? nil : Array($0)
        }
    }

    /// Leaves the page, so that no event of it comes during the next visit. A tab that cannot is closed.
    private func leave() async {
        guard ending == nil else { return close() }
        let response = await command("Page.navigate", ["url": "about:blank"])
        guard case .success(let result) = response, let loader = result["loaderId"]?.text,
            await wait(before: .now + Self.patience, until: { $0.loaders.contains(loader) })
        else { return close() }
        state.withLock { $0.isEmpty = true }
    }

    // MARK: - Scripts

    /// Creates a world of its own in the document; nil if the page does not respond.
    private func world() async -> JSONValue? {
        try? await command("Page.createIsolatedWorld", ["frameId": .string(target)]).get()["executionContextId"]
    }

    /// Returns the value of an expression; nil if there is none, or the page does not respond.
    ///
    /// - Parameter world: the world; nil for that of the page.
    private func value(_ expression: String, _ world: JSONValue?, awaits: Bool = false) async -> JSONValue? {
        var parameters: [String: JSONValue] = [
            "expression": .string(expression), "returnByValue": true, "awaitPromise": .bool(awaits),
        ]
        if let world { parameters["contextId"] = world }
        return try? await command("Runtime.evaluate", .object(sorting: parameters)).get()["result"]?["value"]
    }

    private func command(
        _ method: String, _ parameters: JSONValue, before end: ContinuousClock.Instant? = nil
    ) async -> Result<JSONValue, DevToolsPipe.Failure> {
        let time = end.map { max($0 - .now, .zero) } ?? Self.patience
        return await browser.command(method, parameters, session, within: time) { self.ending != nil }
    }

    /// Waits until a condition holds, and returns whether it does.
    private func wait(before end: ContinuousClock.Instant, until condition: (borrowing State) -> Bool) async -> Bool {
        while ending == nil {
            let generation = signal.generation
            if state.withLock({ condition($0) }) { return true }
            guard ContinuousClock.now < end else { return false }
            await signal.change(after: generation, before: end)
        }
        return false
    }
}
