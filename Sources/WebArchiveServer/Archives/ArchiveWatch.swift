// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Logging
import Synchronization
public import SystemPackage
import WebArchive

/// A watcher of the files of a library: it takes a replaced file once the file verifies, and refuses it otherwise.
///
/// It watches for its lifetime. A check costs one `stat` for each file.
public final class ArchiveWatch: Sendable {
    private let library: ArchiveLibrary
    private let counters: ReplayCounters
    private let logger: Logger
    /// The function that is called after each reload that took a file, on `queue`.
    private let onChange: @Sendable ([FilePath]) -> Void
    /// The queue of the timer and of all reloads, so that none overlaps another.
    private let queue = DispatchQueue(label: "webarc.watch")
    private let timer: RepeatingTimer
    /// The last state of the files, and whether it has been tried.
    private let change: Mutex<SettledChange<[FileIdentity?]>>

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - library: the library of the files, which are compared with the open ones.
    ///   - counters: the counters of accepted and refused files.
    ///   - logger: the logger for each accepted or refused file.
    ///   - interval: the interval between checks, in milliseconds; 1,000 by default. A file must be the same at two checks before it is tried, so
    ///     that an unfinished copy is not read.
    ///   - onChange: a function that is called with the files that are served again, on a thread of the watcher.
    public init(
        _ library: ArchiveLibrary, counters: ReplayCounters, logger: Logger, interval: Int = 1000,
        onChange: @escaping @Sendable ([FilePath]) -> Void = { _ in }
    ) {
        self.library = library
        self.counters = counters
        self.logger = logger
        self.onChange = onChange
        change = Mutex(SettledChange(known: library.openStamps))
        timer = RepeatingTimer(on: queue, interval: interval)
        timer.start { [weak self] in self?.look() }
    }

    /// Schedules a check and retries rejected files. Returns at once.
    public func reload() {
        queue.async { self.take(self.library.stamps) }
    }

    /// Performs one check on the queue of the watcher: takes the files if they differ from the last state and are the
    /// same as at the check before.
    private func look() {
        let now = library.stamps
        if change.withLock({ $0.isDue(now) }) { take(now) }
    }

    /// Opens changed files in the library, and reports them. One queue does it, so that no two run at once.
    ///
    /// - Parameter stamps: the identities that count as tried from now on, whether the files are accepted or refused.
    private func take(_ stamps: [FileIdentity?]) {
        change.withLock { $0.take(stamps) }
        guard library.openStamps != stamps else { return }
        let reload = library.reload()
        for error in reload.refused {
            counters.count(.refusedReloads)
            logger.error("the new archive was refused, and the old one stays in use: \(error)")
        }
        guard !reload.taken.isEmpty else { return }
        counters.count(.reloads)
        for path in reload.taken { logger.notice("\(path): verified, and now served") }
        onChange(reload.taken)
    }
}
