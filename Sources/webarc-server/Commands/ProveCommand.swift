// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import SystemPackage
import WebArchive
import WebArchiveBrowser
import WebArchiveCrawling
import WebArchivePresentation
import WebarcCommandLine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

struct ProveCommand: ParsableCommand {
    static let configuration = ProveArguments.command

    @OptionGroup var arguments: ProveArguments

    func run() throws {
        if geteuid() == 0 {
            Diagnostics.warn(
                "Chromium runs without its sandbox because webarc runs as root; run webarc prove as an ordinary user")
        }
        let trust = try arguments.trust.trust()
        let archive = try arguments.archive.open(trust: trust)
        do {
            let (pages, seed) = try pages(of: archive)
            var report = try prove(archive, pages, trust)
            report.seed = seed
            try print(report)
            if let file = arguments.report {
                try OutputFile.write(
                    "the report", to: FilePath(file), contents: Data(ProofPage(report).document.utf8))
            }
            if !report.isComplete { throw ExitStatus.damaged.exitCode }
        } catch let error as ArchiveError {
            throw error.path == nil ? error.at(path: arguments.archive.file) : error
        }
    }

    /// Returns the pages to replay, and the seed of a sample.
    private func pages(of archive: ArchiveReader) throws(ArchiveError) -> (ProvenPages, UInt64?) {
        let time = arguments.time?.time
        guard arguments.page.isEmpty else {
            return (try ProvenPages(arguments.page, of: archive, at: time), nil)
        }
        var pages = try ProvenPages(of: archive, at: time)
        guard !pages.pages.isEmpty else {
            throw ArchiveError(.notFound, "the archive has no pages to replay; name one with --page")
        }
        guard let sample = arguments.sample, sample < pages.pages.count else { return (pages, nil) }
        // Of few digits, so that a person can give it again.
        let seed = arguments.seed ?? .random(in: 0..<1_000_000)
        pages.sample(sample, seed: seed)
        return (pages, seed)
    }

    private func prove(
        _ archive: ArchiveReader, _ pages: ProvenPages, _ trust: ArchiveTrust?
    ) throws -> ProofReport {
        var options = ArchiveProver.Options()
        options.browser = try arguments.browser.map { name throws(ArchiveError) in try InstalledBrowser(name) }
        options.browserOptions = arguments.browserOption
        options.matching.rules = arguments.rules.rules
        options.matching.ignoredParameters = arguments.ignoreParameter
        options.matching.country = arguments.country.value
        (options.time, options.trust) = (arguments.time?.time, trust)
        options.conditions = PageConditions(clock: arguments.fixedClock?.time, seed: arguments.fixedRandom)
        options.takesScreenshots = arguments.screenshots
        (options.tabs, options.timeout) = (arguments.tabCount, .seconds(arguments.timeout))
        let prover = ArchiveProver(
            arguments.archive.path, archive, options: options, logger: DiagnosticsLogHandler.logger)
        return try arguments.progress.showing("Proving") { line in
            let killed: @Sendable () -> String = {
                prover.kill()
                return "nothing was proved"
            }
            return try Interruption.guarding(finishing: killed) {
                try WaitingTask.run { () throws(ArchiveError) in
                    try await prover.run(pages) { line?.update($0, of: "pages") }
                }
            }
        }
    }

    private func print(_ report: ProofReport) throws(ArchiveError) {
        if arguments.json.isOn {
            for page in report.pages { try StandardOutput.shared.json(page.json) }
            return try StandardOutput.shared.json(report.json)
        }
        for line in arguments.progress.quiet && report.isComplete ? [] : report.lines {
            try StandardOutput.shared.line(PrintableText.escaped(line))
        }
    }
}
