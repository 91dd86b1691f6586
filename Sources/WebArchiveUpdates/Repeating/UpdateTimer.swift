// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A timer that schedules the checks of a release folder. It has no clock: callers pass times, as the running time of the program.
///
/// A host is checked once in an interval, at a time of the device's own, to spread load across a fleet. A folder is checked when its
/// list appears or changes, like that of a stick that is plugged in. A failed check is repeated after a minute, then after two, four and
/// so on, up to the interval.
struct UpdateTimer: Sendable {
    /// A list of updates in a folder: the identity of its file.
    enum List: Equatable, Sendable {
        /// A list on a host, whose changes only a request shows.
        case remote
        /// A list in a folder; nil if there is none.
        case local(FileIdentity?)
    }

    /// The interval between checks of a host.
    let interval: Duration
    /// The time between a failed check and the next one.
    static let firstPause = Duration.seconds(60)

    /// The time from which on a host is due, or a failed check is repeated; zero, so that a host is due at once, before the first check.
    private var next = Duration.zero
    /// The number of failed checks since the last successful one, 16 at most.
    private var failures = 0
    /// The file of the list at the last check of a folder; nil if there was none.
    private var seen: FileIdentity?

    init(interval: Duration) { self.interval = interval }

    /// Returns whether the folder must be checked.
    ///
    /// - Parameters:
    ///   - list: the present list.
    ///   - now: the running time of the program, never less than in the previous call.
    ///   - isPermitted: whether this is an hour for loading from a host.
    func isDue(_ list: List, at now: Duration, isPermitted: Bool) -> Bool {
        switch list {
        case .remote: isPermitted && now >= next
        case .local(nil): false
        case .local(let identity): identity != seen || failures > 0 && now >= next
        }
    }

    /// Records a check.
    ///
    /// - Parameters:
    ///   - list: the list as it was before the look.
    ///   - share: the share of a tenth of the interval, by which the next look is later; from 0 to 1.
    mutating func note(_ list: List, succeeded: Bool, at now: Duration, share: Double) {
        if case .local(let identity) = list { seen = identity }
        if succeeded {
            failures = 0
            next = now + interval + interval * (share / 10)
        } else {
            failures = min(failures + 1, 16)
            next = now + min(interval, Self.firstPause * (1 << (failures - 1)))
        }
    }
}
