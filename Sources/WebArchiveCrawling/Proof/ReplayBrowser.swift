// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive
import WebArchiveBrowser
import WebArchiveServer

/// A headless Chromium whose only way out is the lanes of a proof. One that ends is started again.
final class ReplayBrowser: Sendable {
    private let ground: ReplayGround
    private let authority: TrustedAuthority
    private let program: InstalledBrowser
    private let options: ArchiveProver.Options
    private let running: Mutex<VisitBrowser>

    /// Starts the browser.
    ///
    /// - Throws: `invalidArgument` if there is no Chromium; `io` if it cannot be started.
    init(
        on ground: ReplayGround, authority: DeviceAuthority, _ options: ArchiveProver.Options
    ) throws(ArchiveError) {
        (self.ground, self.options) = (ground, options)
        let pin: String
        do {
            pin = try authority.publicKeyPin
        } catch {
            throw ArchiveError(.invalidArgument, "cannot encode the authority's key", cause: error)
        }
        self.authority = TrustedAuthority(certificate: try authority.certificateText(), publicKeyPin: pin)
        program = if let browser = options.browser { browser } else { try InstalledBrowser.find() }
        running = Mutex(try Self.start(program, ground, self.authority, options))
    }

    private static func start(
        _ program: InstalledBrowser, _ ground: ReplayGround, _ authority: TrustedAuthority,
        _ options: ArchiveProver.Options
    ) throws(ArchiveError) -> VisitBrowser {
        try VisitBrowser(
            program, proxy: ground.ownLane.server.port, authority: authority, namespace: ground.namespace,
            options: options.browserOptions)
    }

    /// Returns the browser, a new one if the last has ended.
    private func browser() throws(ArchiveError) -> VisitBrowser {
        try running.withLock { (browser) throws(ArchiveError) in
            if !browser.isRunning { browser = try Self.start(program, ground, authority, options) }
            return browser
        }
    }

    /// Replays a page in a context without data of others, through the proxy of a lane. To be called by one task at a time for each lane.
    ///
    /// - Parameter isRepeated: whether it was replayed before; then it need not be scrolled again if it comes to the end of the crawl without that.
    func replay(_ known: KnownPage, by lane: ReplayLane, isRepeated: Bool = false) async -> PageReplay {
        _ = lane.witness.take()
        var replay = PageReplay()
        do throws(ArchiveError) {
            let tab = try await browser().openTab(proxy: lane.server.port)
            replay = PageReplay(await tab.visit(known.page.url, options: visiting(known, isRepeated)))
        } catch {
            replay.failure = "\(error)"
        }
        let (proxied, isTruncated) = lane.witness.take()
        replay.proxied = proxied
        if isTruncated { replay.failure = replay.failure ?? "the page sent more requests than a proof compares" }
        return replay
    }

    private func visiting(_ known: KnownPage, _ isRepeated: Bool) -> VisitOptions {
        var visiting = VisitOptions()
        visiting.limit = options.timeout
        visiting.readsLinks = false
        visiting.takesScreenshot = known.screenshot != nil || options.takesScreenshots
        // A picture may still change when no request comes.
        if !visiting.takesScreenshot { visiting.expectation = known.expectation }
        visiting.expectation?.sparesBehaviours = isRepeated
        visiting.reporter = AttemptScript.reporter
        visiting.prelude = [AttemptScript.source, known.conditions(options.conditions).script].compactMap(\.self)
            .joined(separator: ";\n")
        return visiting
    }

    /// Ends the browser at once.
    func kill() { running.withLock { $0.kill() } }

    /// Ends the browser, and removes its profile.
    func stop() async { await running.withLock { $0 }.close() }
}

extension PageReplay {
    /// Creates the browser's part of a replay from its visit.
    fileprivate init(_ visit: PageVisit) {
        observed = visit.requests.map { request in
            ObservedRequest(
                method: request.method, url: request.url, status: request.status, content: request.content,
                failure: request.failure, isFrame: request.isFrame)
        }
        attempts = Set(visit.reports.map(AttemptScript.attempt)).sorted {
            ($0.kind, $0.address) < ($1.kind, $1.address)
        }
        title = visit.title
        switch visit.outcome {
        case .loaded:
            text = Array(visit.text.utf8)
            screenshot = visit.screenshot
        // The response may be one that the archive lacks, which is a miss.
        case .download, .failed: break
        case .timedOut: failure = "the page did not load within the time; raise it with --timeout"
        case .crashed: failure = "the page crashed"
        case .browserEnded: failure = "the browser exited"
        case .refused: failure = "not an http or https URL"
        }
    }
}
