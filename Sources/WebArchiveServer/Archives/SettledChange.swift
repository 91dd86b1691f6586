// SPDX-License-Identifier: Apache-2.0

/// A change of files that takes effect once: after it has been the same at two checks, so that an unfinished copy is not read.
struct SettledChange<Stamp: Equatable> {
    /// The state of the last check.
    private var seen: Stamp
    /// Whether that state has taken effect, or was returned as due.
    private var isTried = true

    /// Creates a change with a known state, which is not due.
    ///
    /// - Parameter known: the state that has already taken effect.
    init(known: Stamp) { seen = known }

    /// Returns whether the result of a check must take effect now.
    ///
    /// A state is due at the second check in succession that finds it, and only once: later checks return false until
    /// the state changes again.
    mutating func isDue(_ now: Stamp) -> Bool {
        if seen != now {
            (seen, isTried) = (now, false)
            return false
        }
        defer { isTried = true }
        return !isTried
    }

    /// Records a state that takes effect without a second check.
    mutating func take(_ now: Stamp) { (seen, isTried) = (now, true) }
}
