// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import SystemPackage
import WebArchive
import WebArchiveBrowser
import WebArchiveCrawling
import WebArchivePresentation
import WebArchiveRecording
import WebarcCommandLine

struct CrawlCommand: ParsableCommand {
    static let configuration = CrawlArguments.command

    @OptionGroup var arguments: CrawlArguments

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let options = try options()
        if let report = arguments.topUp {
            let status = try RunningTopUp(report, arguments, options).run()
            if status != .done { throw status.exitCode }
            return
        }
        let browser = try arguments.browser.map { try InstalledBrowser($0) } ?? InstalledBrowser.find()
        let (path, isJSON) = (FilePath(arguments.output), arguments.json.isOn)
        let line = CrawlLine(isQuiet: arguments.progress.quiet)
        let logger = DiagnosticsLogHandler.logger
        let crawl = try WaitingTask.run { () throws(ArchiveError) in
            try await Crawl(path, options: options, browser: browser, logger: logger) { progress in
                line.show(progress)
                if isJSON { Self.printEvent(progress) }
            }
        }
        let sources = [SIGINT, SIGTERM].map { number in
            SignalSource.make(number) {
                // A second signal ends at once; the archive has the commits so far.
                for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
                Task { await crawl.stop() }
            }
        }
        let summary = try WaitingTask.run { () throws(ArchiveError) in try await crawl.run() }
        for source in sources { source.cancel() }
        line.end()
        let report = CrawlReport(summary, depth: arguments.depth)
        if isJSON { try StandardOutput.shared.json(report.json) }
        try StandardOutput.shared.flush()
        for text in report.lines { arguments.progress.tell(text) }
        if report.status != .done { throw report.status.exitCode }
    }

    private func options() throws -> CrawlOptions {
        var scope = CrawlScope(seeds: try arguments.urls.map { try CanonicalURL($0) })
        scope.extent = CrawlScope.Extent(rawValue: arguments.scope.rawValue) ?? .prefix
        scope.filter.include = arguments.include.compactMap(\.pattern)
        scope.filter.exclude = arguments.exclude.compactMap(\.pattern)
        (scope.maximumDepth, scope.extraHops) = (arguments.depth, arguments.extraHops)
        var options = CrawlOptions(scope: scope)
        options.limits.pages = arguments.pages
        options.limits.bytes = arguments.bytes.map { UInt64($0.bytes) }
        options.limits.time = arguments.time?.duration
        options.limits.failures = arguments.failures
        options.delay = arguments.delay?.duration ?? .zero
        (options.tabs, options.obeysRobots) = (arguments.tabs, !arguments.ignoreRobots)
        (options.usesSitemaps, options.refreshes) = (!arguments.noSitemaps, arguments.refresh)
        options.fields = HeaderFields(arguments.header.map(\.field))
        options.profile = arguments.profile.map { FilePath($0) }
        options.visit.takesScreenshot = arguments.screenshots
        options.conditions = PageConditions(clock: arguments.fixedClock?.time, seed: arguments.fixedRandom)
        options.proxy.trustRoots = arguments.servers.roots
        options.proxy.maximumConnections = RunningRecording.connections(atMost: 1_000)
        options.proxy.allowsPrivateTargets = arguments.allowPrivate
        if let script = arguments.script {
            do {
                options.visit.script = try String(contentsOfFile: script, encoding: .utf8)
            } catch {
                throw ArchiveError(.io, "cannot read the script", path: script, cause: error)
            }
        }
        return options
    }

    /// Prints a page that has ended as a line of JSON.
    private static func printEvent(_ progress: CrawlProgress) {
        try? StandardOutput.shared.json([
            "event": "page", "url": .string(progress.url), "outcome": .string(progress.outcome),
            "status": .number(progress.status), "done": .number(progress.done), "waiting": .number(progress.waiting),
        ])
        try? StandardOutput.shared.flush()
    }
}
