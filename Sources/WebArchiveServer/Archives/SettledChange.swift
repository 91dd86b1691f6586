// SPDX-License-Identifier: Apache-2.0

/// A change of files that takes effect once: after it has been the same at two checks, so that an unfinished copy is not read.
struct SettledChange<Stamp: Equatable> {
    private var seen: Stamp
    private var isTried = true

    /// - Parameter known: the state that has already taken effect.
    init(known: Stamp) { seen = known }

    /// Returns whether the result of a check must take effect now.
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
