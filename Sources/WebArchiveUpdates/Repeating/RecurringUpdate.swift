// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
public import SystemPackage
public import WebArchive

/// A recurring update of one archive while a program runs: from hosts once in an interval, and from folders as soon as they have a new list.
///
/// ```swift
/// let stick = FolderUpdateSource("/media/stick/notes")
/// let updates = RecurringUpdate(of: "notes.webarc", from: [stick], trust: ArchiveTrust([key])) { print($0) }
/// Thread { updates.run() }.start()
/// ```
public final class RecurringUpdate: Sendable {
    /// The options of recurring updates.
    public struct Options: Sendable {
        /// The interval between checks of a host; an hour by default. The next check is up to a tenth later.
        public var interval = Duration.seconds(3600)
        /// A function that returns whether hosts may be checked now; always by default. Folders are read at any time.
        public var permitsHosts: @Sendable () -> Bool = { true }
        /// The number of threads, at least 1.
        public var threads = 1
        /// The interval between checks for due work.
        var pollInterval = Duration.seconds(10)

        /// Creates the default options.
        public init() {}
    }

    /// An event for a log.
    public enum Event: Sendable {
        /// The archive was updated to a newer edition.
        case updated(ArchiveUpdater.Outcome)
        /// Patches did not produce the newest edition, and the whole archive is loaded.
        case patchFailed(ArchiveError, source: String)
        /// A check failed; the archive does not change. The same failure of a folder is reported once.
        case failed(ArchiveError, source: String)
        /// A folder that failed before works again.
        case recovered(source: String)
    }

    /// A release folder with the state of its checks.
    private struct Place {
        let source: any UpdateSource
        /// The schedule of the checks.
        var timer: UpdateTimer
        /// The description of the last check's error; nil if it succeeded.
        var failure: String?

        /// The present list.
        var list: UpdateTimer.List {
            guard let folder = source as? FolderUpdateSource else { return .remote }
            return .local(FileStatus(of: folder.folder.appending(UpdateManifest.fileName))?.identity)
        }
    }

    private let archive: FilePath
    private let trust: ArchiveTrust
    private let options: Options
    private let onEvent: @Sendable (Event) -> Void
    /// The release folders, those on this computer first.
    private let places: Mutex<[Place]>
    /// The counts of all release folders together.
    private let counts = Mutex(Status())
    /// Whether ``stop()`` was called; it stays so.
    private let isStopped = Atomic(false)
    /// A semaphore that ends the pause between two checks.
    private let wake = DispatchSemaphore(value: 0)

    /// Creates the updates, without starting them.
    ///
    /// - Parameters:
    ///   - archive: the path of the archive, which need not exist yet.
    ///   - sources: the release folders. A ``FolderUpdateSource`` may appear and vanish; it is looked at before all that are none.
    ///   - trust: the keys that must have signed the lists and the archives.
    ///   - options: the defaults by default.
    ///   - onEvent: a function that is called on the thread of ``run()`` or ``runNow()``.
    public init(
        of archive: FilePath, from sources: [any UpdateSource], trust: ArchiveTrust, options: Options = Options(),
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        (self.archive, self.trust, self.options, self.onEvent) = (archive, trust, options, onEvent)
        let timer = UpdateTimer(interval: options.interval)
        // A stick is independent of hosts, some of which may be slow.
        let sorted = sources.filter { $0 is FolderUpdateSource } + sources.filter { !($0 is FolderUpdateSource) }
        places = Mutex(sorted.map { Place(source: $0, timer: timer) })
    }

    /// The counts and the results of the checks so far. Any thread may read it.
    public var status: Status { counts.withLock { $0 } }

    /// Updates until ``stop()``. It blocks its thread for all that time, and so needs one of its own.
    ///
    /// Each release folder is checked in turn, those on this computer first: a slow host delays the others, and never a reader of the
    /// archive. A failed check is reported as ``Event/failed(_:source:)``, and is repeated after a minute, then two, four and so on, up to
    /// ``Options/interval``.
    public func run() { run(while: { true }) }

    /// Updates until the archive exists, or until ``stop()``.
    public func runUntilPresent() { run(while: { [archive] in FileStatus(of: archive) == nil }) }

    /// Checks the folders that are due, and pauses, as long as the updates are wanted and not stopped.
    private func run(while isWanted: () -> Bool) {
        let clock = ContinuousClock()
        let start = clock.now
        while isWanted(), !isStopped.load(ordering: .relaxed) {
            runDue(at: start.duration(to: clock.now))
            guard isWanted() else { return }
            _ = wake.wait(timeout: .now() + .nanoseconds(Int(options.pollInterval.nanoseconds)))
        }
    }

    /// Ends ``run()`` after the current check. Returns at once, on any thread. Stopped updates do not run again.
    public func stop() {
        isStopped.store(true, ordering: .relaxed)
        wake.signal()
    }

    /// Checks each release folder once, regardless of `permitsHosts`, until one has the archive; call it before ``run()``, which does not
    /// repeat the check at once.
    public func runNow() {
        for number in places.withLock({ $0.indices }) where look(at: number, now: .zero) { return }
    }

    /// Checks each release folder that is due.
    ///
    /// - Parameter now: the running time of the program; never less than in the previous call.
    package func runDue(at now: Duration) {
        for number in places.withLock({ $0.indices }) {
            let place = places.withLock { $0[number] }
            guard place.timer.isDue(place.list, at: now, isPermitted: options.permitsHosts()) else { continue }
            _ = look(at: number, now: now)
        }
    }

    /// Checks a release folder, and records the result.
    ///
    /// - Returns: whether the archive is the newest edition now that the device accepts: an edition that it left by going back stays rejected.
    private func look(at number: Int, now: Duration) -> Bool {
        let place = places.withLock { $0[number] }
        let list = place.list
        let failure = update(from: place)
        places.withLock { places in
            places[number].failure = failure
            places[number].timer.note(list, succeeded: failure == nil, at: now, share: Double.random(in: 0...1))
        }
        return failure == nil
    }

    /// Updates the archive from a release folder.
    ///
    /// - Returns: the failure; nil if the archive is the newest edition now that the device accepts.
    private func update(from place: Place) -> String? {
        // Each look has the time of its own, by which a list may be outdated.
        var updater = ArchiveUpdater(archive, from: place.source, trust: trust)
        updater.threads = options.threads
        updater.onPatchFailure = { [onEvent] in onEvent(.patchFailed($0, source: place.source.name)) }
        do throws(ArchiveError) {
            let outcome = try updater.run()
            if place.failure != nil { onEvent(.recovered(source: place.source.name)) }
            if case .updated = outcome { onEvent(.updated(outcome)) }
            counts.withLock { $0.note(outcome, at: .now()) }
            return nil
        } catch {
            counts.withLock { $0.note(nil, at: .now()) }
            let failure = error.description
            if failure != place.failure { onEvent(.failed(error, source: place.source.name)) }
            return failure
        }
    }
}
