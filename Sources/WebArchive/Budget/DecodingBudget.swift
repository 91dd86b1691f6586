// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A limit on the decoded length of the index, for one request or one pass over an archive.
///
/// Texts, header lists and keys are stored once and may be referred to by every row, so that a small file can represent
/// any amount of decoded text. Each decoded value takes its length and ``valueCost`` from the budget. Specification
/// section 10. Threads may share a budget: it is one atomic number.
package final class DecodingBudget: Sendable {
    /// The cost of an empty value, in bytes: a field, a row, a key.
    package static let valueCost = 64

    private let left: Atomic<Int>
    private let limit: Int
    private let purpose: String
    /// Whether other clients wait: then hints are charged to it as well.
    package let isQuick: Bool
    /// The state that all searches within the budget share; nil before one of them has made it.
    let searchState = Mutex<(any AnyObject & Sendable)?>(nil)

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - purpose: a noun phrase that names the purpose of the budget in errors, such as `a request`.
    ///   - bytes: the limit.
    ///   - isQuick: whether others wait meanwhile; false by default.
    package init(for purpose: String, bytes: Int, isQuick: Bool = false) {
        self.purpose = purpose
        self.isQuick = isQuick
        limit = max(0, bytes)
        left = Atomic(limit)
    }

    /// Creates a budget for finding the entry that matches one request: 32 MiB, enough for some thousand captures with
    /// the fields of browsers.
    package static func forRequest() -> DecodingBudget { DecodingBudget(for: "a request", bytes: 32 << 20) }

    /// Creates a budget for a request that other clients wait for: 256 KiB, enough for nearly all of them, and used up
    /// within some milliseconds.
    package static func forQuickRequest() -> DecodingBudget {
        DecodingBudget(for: "a quick request", bytes: 256 << 10, isQuick: true)
    }

    /// Creates a budget for a hint beside a result: 1 MiB.
    package static func forHint() -> DecodingBudget { DecodingBudget(for: "a hint", bytes: 1 << 20) }

    /// Creates a budget for the fields of one message: 256 KiB, the limit of browsers.
    package static func forMessage() -> DecodingBudget {
        DecodingBudget(for: "the fields of a message", bytes: 256 << 10)
    }

    /// The number of entries that a search for a hint may visit: a small part of the budget.
    package var scanLength: Int { limit / 1024 }

    /// Whether the budget is exceeded.
    package var isUsedUp: Bool { left.load(ordering: .relaxed) < 0 }

    /// Charges a decoded value.
    ///
    /// - Parameter count: the length of the value, in bytes; ``valueCost`` comes on top.
    /// - Throws: `limitExceeded` once the budget is used up.
    @inline(__always)
    package func take(_ count: Int) throws(ArchiveError) {
        let (_, now) = left.wrappingSubtract(count + Self.valueCost, ordering: .relaxed)
        if now < 0 { throw exhausted() }
    }

    @inline(never)
    private func exhausted() -> ArchiveError {
        // It must stay negative, regardless of later charges.
        left.store(-1, ordering: .relaxed)
        return ArchiveError(
            .limitExceeded,
            "\(purpose) decodes more than \(limit) bytes of the index")
    }
}
