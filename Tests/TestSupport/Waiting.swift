// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The time in seconds after which a test no longer waits; a machine with much to do may need minutes.
public let waitingLimit: TimeInterval = 300

/// Waits until a condition without notifications holds, and returns true; returns false if it does not hold within ``waitingLimit``.
///
/// Holds up its thread.
public func waits(until holds: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: waitingLimit)
    while !holds() {
        guard Date() < end else { return false }
        usleep(1_000)
    }
    return true
}
