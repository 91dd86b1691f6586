// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Memory for content that was read and has not left yet, of all connections together: clients that take nothing must not use it up.
final class ContentBudget: Sendable {
    private let used = Atomic(0)
    private let limit: Int

    /// - Parameter limit: in bytes.
    init(limit: Int) { self.limit = limit }

    /// Whether more may be read now.
    var hasRoom: Bool { used.load(ordering: .relaxed) < limit }

    func take(_ count: Int) { used.wrappingAdd(count, ordering: .relaxed) }

    func giveBack(_ count: Int) { used.wrappingSubtract(count, ordering: .relaxed) }
}
