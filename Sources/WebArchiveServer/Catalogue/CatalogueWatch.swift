// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Logging
import WebArchive

/// A watcher of a catalogue: archives that come are served, those that go are not, and changed ones are taken once they verify.
public final class CatalogueWatch: Sendable {
    private let catalogue: ArchiveCatalogue
    private let counters: ReplayCounters
    private let logger: Logger
    private let queue = DispatchQueue(label: "webarc.catalogue")
    // Dispatch objects may be used from any thread.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// - Parameter interval: between two looks, in milliseconds.
    public init(_ catalogue: ArchiveCatalogue, counters: ReplayCounters, logger: Logger, interval: Int = 2000) {
        self.catalogue = catalogue
        self.counters = counters
        self.logger = logger
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .milliseconds(interval), repeating: .milliseconds(interval))
        self.timer = timer
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
    }

    deinit { timer.cancel() }

    /// Looks now.
    public func reload() { queue.async { self.look() } }

    private func look() {
        for error in catalogue.rescan() {
            counters.count(.refusedReloads)
            logger.error("the old archive stays in use, for the new one was refused: \(error)")
        }
    }
}
