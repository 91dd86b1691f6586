// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A timer that decides when a release folder is looked at again. It knows no clock: times are given to it, as how long the program has run.
///
/// A host is asked once in an interval, at a time of the device's own, so that a fleet does not come all at once. A folder is looked at when its
/// list appears or changes, as that of a stick does when it is plugged in. A look that fails is repeated after a minute, then after two, four and
/// so on, up to the interval.
struct UpdateTimer: Sendable {
    /// A list of updates in a folder: the identity of its file.
    enum List: Equatable, Sendable {
        /// On a host; there is no telling without a request.
        case remote
        /// In a folder; nil if there is none.
        case local(FileIdentity?)
    }

    /// Between two looks at a host.
    let interval: Duration
    /// Between a look that fails and the next one.
    static let firstPause = Duration.seconds(60)

    private var next = Duration.zero
    private var failures = 0
    private var seen: FileIdentity?

    init(interval: Duration) { self.interval = interval }

    /// Returns whether the folder must be looked at.
    ///
    /// - Parameters:
    ///   - list: the list as it is.
    ///   - now: never less than in the call before.
    ///   - isPermitted: whether this is an hour for loading from a host.
    func isDue(_ list: List, at now: Duration, isPermitted: Bool) -> Bool {
        switch list {
        case .remote: isPermitted && now >= next
        case .local(nil): false
        case .local(let identity): identity != seen || failures > 0 && now >= next
        }
    }

    /// Takes note of a look.
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
