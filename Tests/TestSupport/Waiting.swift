// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Waits until a condition without notifications holds, and returns true; returns false if it does not hold within a minute.
///
/// Holds up its thread.
public func waits(until holds: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: 60)
    while !holds() {
        guard Date() < end else { return false }
        usleep(1_000)
    }
    return true
}
