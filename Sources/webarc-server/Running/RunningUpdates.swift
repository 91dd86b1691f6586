// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive
import WebArchiveKiosk
import WebArchiveServer
import WebArchiveUpdates
import WebarcCommandLine

/// The recurring updates of an archive while a kiosk shows it, by the command line.
final class RunningUpdates: Sendable {
    private let updates: RecurringUpdate

    /// Creates the updates; nil if none were requested. Without an archive it waits until the first edition is loaded.
    ///
    /// - Parameter standIn: a copy of the archive, which can be shown meanwhile if it exists.
    init?(
        of file: String, _ arguments: UpdatesOptions, trust: ArchiveTrust?, threads: Int, standIn: FilePath?
    ) throws(ArchiveError) {
        guard !arguments.updates.isEmpty, let trust else { return nil }
        let sources = try arguments.updates.map { text throws(ArchiveError) in try ReleaseAddress.source(text) }
        var options = RecurringUpdate.Options()
        options.threads = threads
        if let every = arguments.every { options.interval = every.duration }
        if let hours = arguments.updateHours { options.permitsHosts = { DaySchedule(hours).containsNow } }
        updates = RecurringUpdate(of: FilePath(file), from: sources, trust: trust, options: options) { event in
            switch event {
            case .updated(let outcome): Diagnostics.report("\(file): \(outcome.text)")
            case .patchFailed(let error, _):
                Diagnostics.warn("loading the whole archive: \(Diagnostics.text(of: error, withAdvice: false))")
            case .failed(let error, _):
                Diagnostics.warn("no update: \(Diagnostics.text(of: error, withAdvice: false))")
            case .recovered(let source): Diagnostics.report("updates from \(source) work again")
            }
        }
        guard FileStatus(of: FilePath(file)) == nil else { return }
        updates.runNow()
        guard FileStatus(of: FilePath(file)) == nil, standIn.flatMap({ FileStatus(of: $0) }) == nil else { return }
        Diagnostics.report("\(file): does not exist yet; waiting for the first edition")
        updates.runUntilPresent()
    }

    /// Starts a thread for the updates. It ends with the program: a load that is cut off continues at the next start.
    func start() { _ = KioskThread { [updates] in updates.run() } }
}

extension RunningUpdates {
    /// The metrics for `/-/metrics`. Before the first successful check, its time and the sequence are left out.
    var metrics: [ProgramUsage.Metric] {
        let status = updates.status
        var metrics: [ProgramUsage.Metric] = [
            .init(name: "update_checks_total", help: "Checks of release folders.", value: status.checkCount),
            .init(name: "update_failures_total", help: "Checks that failed.", value: status.failureCount),
            .init(name: "updates_total", help: "Editions that were installed.", value: status.installedCount),
        ]
        if let time = status.lastSuccess, let sequence = status.sequence {
            metrics += [
                .init(
                    name: "update_last_success_timestamp_seconds", help: "Time of the last successful check.",
                    kind: .gauge, value: time.nanoseconds / 1_000_000_000),
                .init(
                    name: "update_sequence", help: "Sequence of the installed edition at that check.", kind: .gauge,
                    value: sequence),
            ]
        }
        return metrics
    }
}

extension DaySchedule {
    /// Creates the schedule of an argument.
    init(_ argument: DayScheduleArgument) { self.init(argument.spans.map { Span(from: $0.start, to: $0.end) }) }
}
