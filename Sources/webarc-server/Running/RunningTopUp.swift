// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import WebArchive
import WebArchiveCrawling
import WebArchivePresentation
import WebArchiveRecording
import WebarcCommandLine

/// The run of `webarc crawl --top-up`: it loads the requests that a proof missed.
struct RunningTopUp {
    private let misses: MissedRequests
    private let arguments: CrawlArguments
    private let options: CrawlOptions

    /// Reads the report.
    ///
    /// - Throws: errors of reading it.
    init(_ report: String, _ arguments: CrawlArguments, _ options: CrawlOptions) throws(ArchiveError) {
        (self.arguments, self.options) = (arguments, options)
        do throws(ArchiveError) {
            misses = try MissedRequests(
                LimitedFile.bytes(of: report, "report", maximumLength: MissedRequests.maximumLength))
        } catch {
            throw error.path == nil ? error.at(path: report == "-" ? "standard input" : report) : error
        }
    }

    /// Loads the requests, and prints the outcomes.
    ///
    /// - Returns: the exit status.
    func run() throws -> ExitStatus {
        let (isJSON, progress) = (arguments.json.isOn, arguments.progress)
        let topUp = try WaitingTask.run { [misses, options, arguments] () throws(ArchiveError) in
            try await TopUp(
                misses, into: FilePath(arguments.output), options: options.proxy, fields: options.fields,
                hosts: options.scope.seeds, logger: DiagnosticsLogHandler.logger)
        }
        let sources = [SIGINT, SIGTERM].map { number in
            SignalSource.make(number) {
                for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
                Task { await topUp.stop() }
            }
        }
        let outcomes = try WaitingTask.run { () throws(ArchiveError) in
            try await topUp.run { outcome in
                if isJSON { Self.printEvent(outcome) } else { progress.tell(Self.line(outcome)) }
            }
        }
        for source in sources { source.cancel() }
        let loaded = outcomes.count { $0.isLoaded }
        if isJSON {
            try StandardOutput.shared.json([
                "loaded": .number(loaded), "failed": .number(outcomes.count - loaded),
                "left": .number(misses.requests.count - outcomes.count),
            ])
        }
        try StandardOutput.shared.flush()
        progress.tell("webarc: \(loaded) of \(SizeFormat.count(misses.requests.count, "missing response")) loaded")
        // Only a signal leaves some.
        guard outcomes.count == misses.requests.count else { return .interrupted }
        return loaded == misses.requests.count ? .done : .unavailable
    }

    private static func end(_ outcome: TopUp.Outcome) -> String {
        outcome.reason ?? outcome.status.map { "status \($0)" } ?? "no response"
    }

    private static func line(_ outcome: TopUp.Outcome) -> String {
        PrintableText.escaped("webarc: \(outcome.request.method) \(outcome.request.url): \(end(outcome))")
    }

    private static func printEvent(_ outcome: TopUp.Outcome) {
        try? StandardOutput.shared.json([
            "event": "request", "method": .string(outcome.request.method), "url": .string(outcome.request.url),
            "status": .number(outcome.status ?? 0), "reason": .text(outcome.reason), "loaded": .bool(outcome.isLoaded),
        ])
        try? StandardOutput.shared.flush()
    }
}
