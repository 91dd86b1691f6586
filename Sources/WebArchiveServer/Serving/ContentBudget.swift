// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Memory for content that was read and has not left yet, of all connections together: clients that take nothing must not use it up.
///
/// An address gets no more than is left for all others, so that something always is.
final class ContentBudget: Sendable {
    private struct State {
        var used = 0
        var usedByAddress: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: in bytes.
    init(limit: Int) { self.limit = limit }

    /// Whether an address may have more now.
    func hasRoom(for address: String) -> Bool {
        state.withLock { $0.usedByAddress[address, default: 0] < limit - $0.used }
    }

    func take(_ count: Int, for address: String) {
        state.withLock {
            $0.used += count
            $0.usedByAddress[address, default: 0] += count
        }
    }

    func giveBack(_ count: Int, of address: String) {
        state.withLock {
            $0.used -= count
            let left = $0.usedByAddress[address, default: 0] - count
            $0.usedByAddress[address] = left == 0 ? nil : left
        }
    }
}
