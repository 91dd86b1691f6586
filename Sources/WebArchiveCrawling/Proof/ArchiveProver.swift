// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
package import Logging
import Synchronization
package import SystemPackage
package import WebArchive
package import WebArchiveBrowser
import WebArchiveServer

/// A prover of the completeness of an archive: it replays pages in a browser that reaches nothing else, and compares their requests with the archive and its crawl.
///
/// ```swift
/// let prover = ArchiveProver("site.webarc", archive, options: ArchiveProver.Options(), logger: logger)
/// let report = try await prover.run(ProvenPages(of: archive))
/// print(report.summary)
/// ```
package final class ArchiveProver: Sendable {
    /// The options of a proof.
    package struct Options: Sendable {
        /// The browser, a Chromium; nil, as by default, for the first that is found.
        package var browser: InstalledBrowser?
        /// The options for the browser, after the prover's own; none by default.
        package var browserOptions: [String] = []
        /// The rules of matching; those of `webarc serve` by default.
        package var matching = ArchiveMatcher.Options.replaying
        /// The wanted time of captures; nil, as by default, for the newest.
        package var time: ArchiveTime?
        /// The trust that the archive needs; nil, as by default, for none.
        package var trust: ArchiveTrust?
        /// The clock and the random numbers of pages; those of the crawl by default, or else those of the browser.
        package var conditions = PageConditions()
        /// Whether pictures are taken of pages of which the archive has none, to compare the two replays; false by default.
        package var takesScreenshots = false
        /// The number of pages at once, up to 15; 2 by default.
        package var tabs = 2
        /// The maximum time of one replay; a minute by default.
        package var timeout = Duration.seconds(60)
        /// Whether the browser gets a network namespace if the system permits it. True by default; false is for tests.
        package var permitsNamespace = true

        /// Creates options with their defaults.
        package init() {}
    }

    private let path: FilePath
    private let archive: ArchiveReader
    private let options: Options
    private let logger: Logger
    private let running = Mutex<ReplayBrowser?>(nil)

    /// Creates a prover; it starts nothing.
    ///
    /// - Parameters:
    ///   - path: the path of the archive, from which it is served.
    ///   - archive: the same archive, open.
    ///   - options: the options.
    ///   - logger: the logger for faults of the server.
    package init(_ path: FilePath, _ archive: ArchiveReader, options: Options, logger: Logger) {
        (self.path, self.archive, self.options, self.logger) = (path, archive, options, logger)
    }

    /// Replays pages.
    ///
    /// - Parameters:
    ///   - pages: the pages.
    ///   - progress: a function that is called when a page is done.
    /// - Throws: `invalidArgument` if there is no Chromium, `io` if it cannot be started; errors of opening and reading the archive.
    package func run(
        _ pages: ProvenPages, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws(ArchiveError) -> ProofReport {
        let authority: DeviceAuthority
        do {
            authority = try DeviceAuthority(hosts: nil, device: "this proof", now: Date())
        } catch {
            throw ArchiveError(.invalidArgument, "cannot create the proof's certificate", cause: error)
        }
        let observations = try Observations(of: archive, pages.pages)
        let library = try library
        let count = max(1, min(options.tabs, pages.pages.count, ReplayGround.maximumCount))
        let ground = try await Self.onThread { () throws(ArchiveError) in
            try ReplayGround(
                count, of: library, authority: authority, permitsNamespace: self.options.permitsNamespace,
                logger: self.logger)
        }
        let browser: ReplayBrowser
        do throws(ArchiveError) {
            browser = try ReplayBrowser(on: ground, authority: authority, options)
        } catch {
            await Self.onThread { ground.stop() }
            throw error
        }
        running.withLock { $0 = browser }
        let proofs = await prove(pages.pages, observations, ground, browser, progress)
        running.withLock { $0 = nil }
        await browser.stop()
        await Self.onThread { ground.stop() }
        var report = ProofReport(
            archive: path.string, isolation: ground.namespace == nil ? .proxy : .namespace, pages: proofs,
            pageCount: pages.total)
        (report.refusal, report.time) = (ground.refusal, options.time)
        return report
    }

    /// Performs work that blocks on a thread that no task needs.
    private static func onThread<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(Failure) in try work() })
            }
        }
        return try result.get()
    }

    /// Ends the browser at once, and removes its profile, for a process that ends itself.
    package func kill() { running.withLock { $0 }?.kill() }

    private var library: ArchiveLibrary {
        get throws(ArchiveError) {
            var settings = ArchiveLibrary.Options()
            (settings.trust, settings.matching, settings.time) = (options.trust, options.matching, options.time)
            return try ArchiveLibrary([path], options: settings)
        }
    }

    /// Replays the pages, each lane one at a time.
    private func prove(
        _ pages: [ProvenPages.Page], _ observations: Observations, _ ground: ReplayGround, _ browser: ReplayBrowser,
        _ progress: @escaping @Sendable (WorkProgress) -> Void
    ) async -> [PageProof] {
        let turns = Turns(count: pages.count)
        let explainer = RequestExplainer(archive, options: options.matching, time: options.time)
        return await withTaskGroup(of: [(Int, PageProof)].self) { group in
            for lane in ground.lanes {
                group.addTask {
                    var proofs: [(Int, PageProof)] = []
                    while let number = turns.next() {
                        let page = KnownPage(pages[number], observations[pages[number]], self.archive)
                        let replays = [
                            await browser.replay(page, by: lane),
                            await browser.replay(page, by: lane, isRepeated: true),
                        ]
                        proofs.append((number, PageProof(page, replays, explainer)))
                        progress(turns.finish())
                    }
                    return proofs
                }
            }
            var proofs: [(Int, PageProof)] = []
            for await some in group { proofs += some }
            return proofs.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

/// The numbers of the pages, each of which one lane takes.
private final class Turns: Sendable {
    private let count: Int
    private let begun = Atomic(0)
    private let finished = Atomic(0)

    init(count: Int) { self.count = count }

    /// Takes the next number; nil at the end.
    func next() -> Int? {
        let number = begun.wrappingAdd(1, ordering: .relaxed).oldValue
        return number < count ? number : nil
    }

    /// Notes that a page is done.
    func finish() -> WorkProgress {
        var progress = WorkProgress()
        progress.items = finished.wrappingAdd(1, ordering: .relaxed).newValue
        progress.totalItems = count
        return progress
    }
}

extension PageProof {
    /// Compares the replays of a page with its crawl, and with its text and picture in the list of pages.
    fileprivate init(_ known: KnownPage, _ replays: [PageReplay], _ explainer: RequestExplainer) {
        let (page, observation) = (known.page, known.observation)
        self.init(url: page.url)
        time = page.time
        title = replays.lazy.compactMap(\.title).first
        isCompared = observation != nil
        let crawled = Set(observation?.requests.map { RequestIdentity(method: $0.method, url: $0.url) } ?? [])
        let answered = replays.map { replay in
            replay.requests(by: explainer.answer(to:), explainer.answer(toWebSocket:)) { icon in
                crawled.contains(icon) || explainer.document(page.url, mentions: "favicon.ico")
            }
        }
        requests = RequestComparison(answered, with: observation).requests
        text = ContentAgreement(replays[0].text, replays[1].text, with: known.text)
        let pictures = replays.map(\.screenshot)
        failure = replays.lazy.compactMap(\.failure).first
        screenshot =
            pictures == [nil, nil] && replays.allSatisfy { $0.text != nil } && known.screenshot == nil
            ? .notTaken : ContentAgreement(pictures[0], pictures[1], with: known.screenshot)
    }
}
