// SPDX-License-Identifier: Apache-2.0

package import Logging
package import SystemPackage
package import WebArchive
package import WebArchiveBrowser
import WebArchiveRecording
import WebArchiveServer

/// A crawl of a site into an archive: a browser visits page after page, and a proxy records its requests.
///
/// The archive is the checkpoint. A page, its observation and its exchanges are in one commit, so that a crawl that was killed continues with the first
/// page that is missing.
package actor Crawl {
    let options: CrawlOptions
    let proxy: RecordingProxy
    let exchanges = ExchangeTable()
    let path: FilePath
    private let installed: InstalledBrowser
    private let finished: FinishedPages
    /// The pages of earlier runs, which a refresh visits again.
    private let former: FinishedPages
    private let files: HostFiles
    private let start = ContinuousClock.now
    private let report: @Sendable (CrawlProgress) -> Void

    private var browser: VisitBrowser?
    private var frontier: CrawlFrontier
    private var pacing = HostPacing()
    /// The rules of the most recent hosts: those of one may take a megabyte.
    private var rules = RecentValues<[UInt8], Task<RobotsRules, Never>>(capacity: 64)
    private var running = 0
    private var isStopping = false
    /// The pages that hosts demanded to visit later, with the number of their attempts.
    private var delayed: [(item: CrawlFrontier.Item, attempt: Int)] = []
    var pending: [PendingPage] = []
    var lastCommit = ContinuousClock.now
    var isCommitting = false
    var failure: ArchiveError?
    var summary = CrawlSummary()
    var loadedResources = RecentValues<String, Bool>(capacity: 50_000)

    /// The maximum number of attempts of a page that a host demands to visit later.
    private static let maximumAttempts = 4
    /// The time for the further resources of a page, and for the robots.txt of a host.
    private static let maximumResourceTime = Duration.seconds(300)
    private static let maximumRulesTime = Duration.seconds(60)

    /// Starts the proxy and the browser.
    ///
    /// - Parameters:
    ///   - path: the archive, which is created if it is missing.
    ///   - options: the scope, the limits and the rules.
    ///   - browser: a Chromium.
    ///   - logger: the log of the proxy.
    ///   - report: a function that is called for each page that ends; from any thread, one call at a time.
    /// - Throws: errors of opening the archive, of starting the proxy, and of starting the browser.
    package init(
        _ path: FilePath, options: CrawlOptions, browser installed: InstalledBrowser, logger: Logger,
        report: @escaping @Sendable (CrawlProgress) -> Void = { _ in }
    ) async throws(ArchiveError) {
        (self.path, self.options, self.installed, self.report) = (path, options, installed, report)
        former = try FinishedPages(path)
        finished = options.refreshes ? .none : former
        frontier = CrawlFrontier(options.scope)
        var proxyOptions = options.proxy
        (proxyOptions.host, proxyOptions.port) = ("127.0.0.1", 0)
        proxyOptions.withheldFields += options.fields.map(\.name)
        proxyOptions.leavesOutUnchanged = options.refreshes
        // Pages and their exchanges are committed together.
        proxyOptions.commitInterval = .seconds(60)
        let exchanges = exchanges
        proxyOptions.onExchange = { exchanges.note($0) }
        proxy = try await RecordingProxy.start(path, options: proxyOptions, logger: logger)
        files = HostFiles(proxy, finished)
        do throws(ArchiveError) {
            browser = try startBrowser()
        } catch {
            try? await proxy.shutdown()
            throw error
        }
    }

    private nonisolated func startBrowser() throws(ArchiveError) -> VisitBrowser {
        let authority: TrustedAuthority
        do {
            authority = TrustedAuthority(
                certificate: try proxy.authority.certificateText(), publicKeyPin: try proxy.authority.publicKeyPin)
        } catch {
            throw ArchiveError(.invalidArgument, "cannot encode the authority's certificate", cause: error)
        }
        let browser = try VisitBrowser(
            installed, proxy: proxy.port, authority: authority, copying: options.profile)
        if !options.fields.isEmpty { browser.add(HostFields(options.fields, hostsOf: options.scope.seeds)) }
        return browser
    }

    // MARK: - Running

    /// Visits pages until the frontier is empty, a limit is reached, or ``stop()`` is called. To be called once.
    ///
    /// - Throws: errors of the commits. Earlier commits stay.
    package func run() async throws(ArchiveError) -> CrawlSummary {
        if options.usesSitemaps, options.scope.extent != .page {
            _ = await unlessEnding { await self.addSitemaps() }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, options.tabs) { group.addTask { await self.work() } }
        }
        await browser?.close()
        await commit()
        do throws(ArchiveError) {
            try await proxy.shutdown()
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
        for (item, _) in delayed { frontier.skip(item, .limit) }
        frontier.skipWaiting(.limit)
        (summary.skipped, summary.waiting) = (frontier.skipped, frontier.skipped.counts[.limit] ?? 0)
        let counts = proxy.counts
        (summary.exchanges, summary.bytes, summary.dropped) = (counts.exchanges, counts.bytes, counts.dropped)
        summary.unchanged = counts.unchanged
        return summary
    }

    /// Ends the crawl after the pages that are being visited.
    package func stop() {
        isStopping = true
        summary.isInterrupted = true
    }

    /// Reports the counts after a page.
    private func progress(_ url: String, _ outcome: String, _ status: Int = 0) {
        var progress = CrawlProgress()
        (progress.done, progress.waiting) = (summary.pages + summary.failureCount, frontier.waitingCount)
        (progress.bytes, progress.elapsed) = (proxy.counts.bytes, ContinuousClock.now - start)
        progress.limit = options.limits.pages.map { max(0, $0 - summary.pages - summary.earlierPages) }
        (progress.url, progress.outcome, progress.status) = (url, outcome, status)
        report(progress)
    }

    private func addSitemaps() async {
        var known: Set<[UInt8]> = []
        for seed in options.scope.seeds where !Task.isCancelled && known.insert(Array(seed.root)).inserted {
            await files.loadSitemaps(of: seed, rules: await rules(of: seed)) { await self.add(listed: $0) }
        }
    }

    private func add(listed urls: [String]) { frontier.add(listed: urls) }

    /// Returns the rules of a host, which are loaded once.
    private func rules(of url: CanonicalURL) async -> RobotsRules {
        let root = Array(url.root)
        if let known = rules[root] { return await known.value }
        let task = Task { [files] in
            let end = ContinuousClock.now + Self.maximumRulesTime
            return await unlessEnding(before: end) { await files.rules(of: url) } ?? .disallowingAll
        }
        rules[root] = task
        return await task.value
    }

    // MARK: - Tabs

    /// Visits one page after the other in a tab.
    private func work() async {
        var tab: VisitTab?
        while let (item, attempt) = await nextItem() {
            await process(item, attempt, &tab)
            running -= 1
            await commitIfDue()
        }
        tab?.close()
    }

    /// Waits for a page that may be visited; nil if there will be none.
    private func nextItem() async -> (CrawlFrontier.Item, attempt: Int)? {
        while !isStopping, failure == nil {
            if let limit = reachedLimit() {
                summary.limit = limit
                return nil
            }
            if let pages = options.limits.pages, summary.pages + summary.earlierPages + running >= pages {
                // One of those that are being visited may fail.
                if running == 0 { return nil }
                try? await Task.sleep(for: .milliseconds(20))
            } else if let item = frontier.next() {
                if let links = finished.links(of: item.url) {
                    summary.earlierPages += 1
                    frontier.finish(item, links: links)
                    continue
                }
                running += 1
                if await waitForTurn(item) { return (item, 1) }
                running -= 1
            } else if !delayed.isEmpty {
                let (item, attempt) = delayed.removeFirst()
                running += 1
                if await waitForTurn(item) { return (item, attempt) }
                running -= 1
            } else if running == 0 {
                return nil
            } else {
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        return nil
    }

    /// Waits until a page may be visited.
    ///
    /// - Returns: false for one that may not, which is finished then, and for one that waits as the crawl ends.
    private func waitForTurn(_ item: CrawlFrontier.Item) async -> Bool {
        let rules = options.obeysRobots ? await rules(of: item.url) : .allowingAll
        guard !isEnding else {
            frontier.skip(item, .limit)
            return false
        }
        guard rules.allows(item.url) else {
            frontier.skip(item, rules.isUnreachable ? .unreachable : .robots)
            return false
        }
        let wish = Duration.seconds(min(rules.delay ?? 0, 30))
        let moment = pacing.take(item.url, delay: max(options.delay, wish), now: .now)
        while ContinuousClock.now < moment {
            guard !isEnding else {
                frontier.skip(item, .limit)
                return false
            }
            try? await Task.sleep(until: min(moment, .now + .seconds(1)))
        }
        return true
    }

    /// Returns the first limit that is reached; nil if there is none.
    private func reachedLimit() -> CrawlLimits.Reached? {
        let limits = options.limits
        if let time = limits.time, ContinuousClock.now - start >= time { return .time }
        if let free = FreeDisk.bytes(at: path), free < limits.freeDisk { return .disk }
        if let pages = limits.pages, summary.pages + summary.earlierPages >= pages {
            return frontier.waitingCount == 0 && delayed.isEmpty ? nil : .pages
        }
        if let bytes = limits.bytes, proxy.counts.bytes >= bytes { return .bytes }
        if let failures = limits.failures, summary.failureCount > failures { return .failures }
        return nil
    }

    /// Whether no further page is begun.
    private var isEnding: Bool { isStopping || failure != nil || reachedLimit() != nil }

    /// Whether even the pages that are being visited must end. One that is larger than the limit of bytes would otherwise never be finished.
    private var isEndingAtOnce: Bool { isStopping || failure != nil || [.time, .disk].contains(reachedLimit()) }

    /// Waits until the crawl ends, or a time; returns as well when its task is cancelled.
    private func waitForEnd(before end: ContinuousClock.Instant?) async {
        while !Task.isCancelled, !isEndingAtOnce, end.map({ .now < $0 }) ?? true {
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Runs an operation, and cancels it when the crawl ends or at a time: a server can send a byte now and then.
    ///
    /// - Returns: nil if it was cancelled.
    private func unlessEnding<Value: Sendable>(
        before end: ContinuousClock.Instant? = nil, _ operation: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await operation() }
            group.addTask {
                await self.waitForEnd(before: end)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    // MARK: - Pages

    private func process(_ item: CrawlFrontier.Item, _ attempt: Int, _ tab: inout VisitTab?) async {
        let url = item.url.description
        if PlainFile.isLikely(item.url) {
            if let links = await loadFile(item) { return frontier.finish(item, links: links) }
            if isEndingAtOnce { return frontier.skip(item, .limit) }
        }
        let time = ArchiveTime.now()
        guard let visit = await visit(url, &tab) else {
            return end(item, failed: failure?.message ?? "the browser cannot be started")
        }
        if [429, 503].contains(visit.status), attempt < Self.maximumAttempts {
            pacing.pause(item.url, visit.retryAfter, now: .now, time: .now())
            delayed.append((item, attempt + 1))
            return
        }
        switch visit.outcome {
        case .failed where visit.status >= 400, .loaded:
            // A next run visits a page again whose resources are not all loaded.
            guard await loadResources(visit.resources) else { return frontier.skip(item, .limit) }
            summary.pages += 1
            if options.refreshes, [404, 410].contains(visit.status), former.contains(item.url) { summary.vanish(url) }
            if !visit.isIdle, visit.outcome == .loaded { summary.busyPages += 1 }
            pending.append(PendingPage(visit, item, time: time, options.conditions))
            frontier.finish(item, links: visit.links)
            progress(url, visit.isIdle || visit.outcome != .loaded ? "loaded" : "busy", visit.status)
        case .download:
            // The proxy loads to its end a file that the browser does not take.
            summary.pages += 1
            frontier.finish(item, links: [])
            progress(url, "file")
        case .failed(let reason): end(item, failed: reason)
        case .timedOut: end(item, failed: "not loaded in time")
        case .crashed: end(item, failed: "the page ended its process")
        case .browserEnded: end(item, failed: "the browser ended")
        case .refused: end(item, failed: "not an http or https URL")
        }
    }

    private func end(_ item: CrawlFrontier.Item, failed reason: String) {
        let url = item.url.description
        summary.fail(url, reason)
        frontier.skip(item, .failed)
        progress(url, reason)
    }

    /// Visits a page, and once more in a new tab if the first one crashed or hung.
    private func visit(_ url: String, _ tab: inout VisitTab?) async -> PageVisit? {
        var result: PageVisit?
        var visiting = options.visit
        visiting.prelude = options.conditions.script
        for _ in 0..<2 {
            if tab?.isUsable != true { tab = await openTab() }
            guard let tab else { return result }
            let visit = await tab.visit(url, options: visiting)
            result = visit
            switch visit.outcome {
            case .crashed, .timedOut, .browserEnded: continue
            default: return visit
            }
        }
        return result
    }

    /// Opens a tab, in a new browser if the present one has ended.
    private func openTab() async -> VisitTab? {
        do throws(ArchiveError) {
            if browser?.isRunning != true { browser = try startBrowser() }
            return try await browser?.openTab()
        } catch {
            return nil
        }
    }

    /// Loads a file without the browser.
    ///
    /// - Returns: the links that it has, such as the target of a redirect; nil if it is a page after all.
    private func loadFile(_ item: CrawlFrontier.Item) async -> [String]? {
        let url = item.url.description
        let isOfSeeds = options.scope.seeds.contains { $0.root == item.url.root }
        let fields = isOfSeeds ? HeaderFields(Array(Self.fields) + Array(options.fields)) : Self.fields
        let request = ArchiveRequest(url: url, headers: fields)
        guard let loaded = await unlessEnding({ [proxy] in try? await proxy.load(request) }) ?? nil else { return nil }
        let status = loaded.response.status
        if let target = loaded.response.redirectTarget(from: item.url) { return [target] }
        guard status == 200, !PlainFile.isPage(loaded.response.mediaType) else { return nil }
        summary.pages += 1
        progress(url, "file", status)
        return []
    }

    private static let fields: HeaderFields = ["Accept": "*/*", "Accept-Encoding": "gzip, deflate, br, zstd"]

    /// Loads the resources that a page has for other screens, each once, as far as there is time for those of a page.
    ///
    /// - Returns: false if the crawl ended before.
    private func loadResources(_ urls: [String]) async -> Bool {
        let end = ContinuousClock.now + Self.maximumResourceTime
        for url in urls where loadedResources[url] == nil {
            if isStopping || failure != nil { return false }
            loadedResources[url] = true
            if let url = try? CanonicalURL(url), finished.response(url, maximumLength: 0)?.status == 200 { continue }
            let request = ArchiveRequest(url: url, headers: Self.fields)
            guard await unlessEnding(before: end, { [proxy] in _ = try? await proxy.load(request) }) == nil else {
                continue
            }
            guard ContinuousClock.now >= end else { return false }
            return true
        }
        return true
    }
}
