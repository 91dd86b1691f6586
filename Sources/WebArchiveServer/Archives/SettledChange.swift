// SPDX-License-Identifier: Apache-2.0

/// A change of files that is acted on once: after it has been the same at two looks, so that a copy that is under way is left alone.
struct SettledChange<Stamp: Equatable> {
    private var seen: Stamp
    private var isTried = true

    /// - Parameter known: the state that is acted on already.
    init(known: Stamp) { seen = known }

    /// Returns whether to act now on what a look has found.
    mutating func isDue(_ now: Stamp) -> Bool {
        if seen != now {
            (seen, isTried) = (now, false)
            return false
        }
        defer { isTried = true }
        return !isTried
    }

    /// Notes a state that is acted on without a second look.
    mutating func take(_ now: Stamp) { (seen, isTried) = (now, true) }
}
