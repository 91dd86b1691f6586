// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The comparisons of the content of one request with stored ones, for all archives, URLs and rules. Specification section 10.
///
/// Each outcome is kept: the same stored content is a candidate for many URLs, and once more for the explanation of a miss. Their work has
/// limits of its own: beyond them no content is alike, and the search without them stays valid. Threads may share it.
final class ContentComparisons: Sendable {
    /// The budget for the parts of the index, the bytes and the values of stored requests that are compared: enough for a hundred of the
    /// greatest length with the most values.
    let budget = DecodingBudget(for: "the search for similar content", bytes: 64 << 20)
    private let state: Mutex<Progress>

    /// - Parameter limit: the number of bytes of blocks and dictionaries that may be decoded.
    init(decoding limit: Int = 128 << 20) { state = Mutex(Progress(left: limit)) }

    /// The two contents of a comparison.
    struct ComparedPair: Hashable {
        /// The content of the request, and its type.
        let digest: ContentDigest
        let type: String
        /// The content of a stored request, and its type.
        let body: ArchiveBody.Identity
        let storedType: String
    }

    /// A block that an archive keeps in memory after it was decoded.
    private struct KeptBlock: Hashable {
        let archive: ObjectIdentifier
        /// The number of the block in that archive.
        let number: UInt64
    }

    private struct Progress {
        /// The outcomes; nil for content that is of a different shape, or in no form.
        var known: [ComparedPair: ContentComparison?] = [:]
        /// The number of bytes of blocks and dictionaries that may still be decoded.
        var left: Int
        /// The blocks that an archive has in memory.
        var decoded = RecentValues<KeptBlock, Void>(capacity: 8)
    }

    /// Compares the content of a request with a stored one, or returns the outcome of an earlier comparison.
    ///
    /// - Parameters:
    ///   - tree: the content of the request.
    ///   - body: the stored content, of the length that a request may have.
    /// - Returns: nil if the stored content is not in the form of its type, or of a different shape, and beyond the limits.
    /// - Throws: `damaged` or `io`; `limitExceeded` beyond ``budget``.
    func comparison(
        of tree: ContentTree, _ pair: ComparedPair, with body: ArchiveBody
    ) throws(ArchiveError) -> ContentComparison? {
        if let known = state.withLock({ $0.known[pair] }) { return known }
        guard takeDecoding(try body.costOfBeginning(body.length), pair.body) else { return nil }
        // Parsing takes several times as long as decoding.
        try budget.take(4 * Int(body.length))
        let other = ContentTree(try body.bytes(), contentType: pair.storedType)
        try budget.take(DecodingBudget.valueCost * (other?.valueCount ?? 0))
        let comparison = other.flatMap { ContentComparison(tree, $0) }
        state.withLock { $0.known[pair] = .some(comparison) }
        return comparison
    }

    /// Returns whether the limit allows the cost of decoding, and charges it.
    ///
    /// A block that is still in memory is not charged again.
    private func takeDecoding(_ cost: ArchiveBody.BeginningCost, _ body: ArchiveBody.Identity) -> Bool {
        state.withLock { state in
            var length = cost.length
            for block in cost.kept {
                let kept = KeptBlock(archive: body.store, number: block.number)
                if state.decoded[kept] == nil { length += block.length }
                state.decoded[kept] = ()
            }
            state.left -= min(length, state.left + 1)
            return state.left >= 0
        }
    }
}

extension DecodingBudget {
    /// The comparisons of the content of the request that the budget is for.
    var comparisons: ContentComparisons {
        searchState.withLock { state in
            if let known = state as? ContentComparisons { return known }
            let comparisons = ContentComparisons()
            state = comparisons
            return comparisons
        }
    }
}
