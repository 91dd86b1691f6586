// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Logging
import WebArchive

/// A watcher of a catalogue: it serves new archives, removes missing ones, and switches to changed ones once they verify.
///
/// It watches for its lifetime. A check lists the catalogue's folders.
public final class CatalogueWatch: Sendable {
    private let catalogue: ArchiveCatalogue
    private let counters: ReplayCounters
    private let logger: Logger
    /// The queue of the timer and of all checks, so that none overlaps another. A check that verifies long archives
    /// delays the next ones.
    private let queue = DispatchQueue(label: "webarc.catalogue")
    private let timer: RepeatingTimer
    /// The limit of ten lines a minute for refusals that repeat at every check.
    private let lines = LineLimit(most: 10)

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - catalogue: the sites.
    ///   - counters: the counters of refused files.
    ///   - logger: the logger for each refused file.
    ///   - interval: the interval between checks, in milliseconds; 2,000 by default.
    public init(_ catalogue: ArchiveCatalogue, counters: ReplayCounters, logger: Logger, interval: Int = 2000) {
        self.catalogue = catalogue
        self.counters = counters
        self.logger = logger
        timer = RepeatingTimer(on: queue, interval: interval)
        timer.start { [weak self] in self?.look(isAsked: false) }
    }

    /// Schedules a check and retries rejected files. Returns at once.
    public func reload() { queue.async { self.look(isAsked: true) } }

    /// Checks the catalogue, and logs the refused files: all of them for a requested check, and otherwise within the
    /// limit of lines.
    ///
    /// Every refusal counts as ``ReplayCounters/Counter/refusedReloads``, even one that is not logged.
    private func look(isAsked: Bool) {
        for error in catalogue.rescan(isAsked: isAsked) {
            counters.count(.refusedReloads)
            // A folder that cannot be listed is refused at each look.
            guard let more = isAsked ? "" : lines.words() else { continue }
            logger.error("the new archive was refused, and the old one stays in use: \(error)\(more)")
        }
    }
}
