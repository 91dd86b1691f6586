// SPDX-License-Identifier: Apache-2.0

/// A comparison of the contents of two requests, leaf by leaf. Specification section 8.5, "Similar content".
struct ContentComparison {
    /// The number of equal leaves of those that are not made up.
    private(set) var equalCount = 0
    /// The number of leaves that are not made up.
    private(set) var count = 0
    /// The number of equal leaves of those that are made up.
    private(set) var equalMadeUpCount = 0

    /// The members that select the response, of the tree and of objects in its array: those of GraphQL.
    private static let selectingNames = Set(["query", "operationName", "extensions", "doc_id"].map { Array($0.utf8) })
    private static let query = Array("query".utf8)

    /// Compares two trees; nil if their shapes differ, or leaves that must be equal.
    init?(_ left: ContentTree, _ right: ContentTree) {
        guard compareTop(left, right) else { return nil }
    }

    /// Whether at least three quarters of the leaves that are not made up are equal.
    var isAlike: Bool { 4 * equalCount >= 3 * count }

    /// The share of equal leaves; of none, all are equal.
    private var share: (equal: Int, all: Int) { count == 0 ? (1, 1) : (equalCount, count) }

    /// Returns whether more is equal than by another comparison.
    func isBetter(than other: ContentComparison) -> Bool {
        let (own, others) = (share.equal * other.share.all, other.share.equal * share.all)
        return own > others || own == others && equalMadeUpCount > other.equalMadeUpCount
    }

    private mutating func compareTop(_ left: ContentTree, _ right: ContentTree) -> Bool {
        switch (left, right) {
        case (.object(let left), .object(let right)):
            return compare(left, right) { comparison, name, left, right in
                comparison.compare(
                    left, right, LeafName(name), isSelecting: Self.selectingNames.contains(name),
                    isQuery: name == Self.query)
            }
        case (.array(let left), .array(let right)):
            count += abs(left.count - right.count)
            for (left, right) in zip(left, right) {
                guard case .object = left, case .object = right else {
                    guard compare(left, right, LeafName([]), isSelecting: false, isQuery: false) else { return false }
                    continue
                }
                guard compareTop(left, right) else { return false }
            }
            return true
        default: return false
        }
    }

    private mutating func compare(
        _ left: [[UInt8]: ContentTree], _ right: [[UInt8]: ContentTree],
        _ compareMember: (inout ContentComparison, [UInt8], ContentTree, ContentTree) -> Bool
    ) -> Bool {
        guard left.count == right.count else { return false }
        for (name, value) in left {
            guard let other = right[name], compareMember(&self, name, value, other) else { return false }
        }
        return true
    }

    /// - Parameters:
    ///   - name: the name of the member that the values are in, at the innermost.
    ///   - isSelecting: whether all leaves must be equal.
    ///   - isQuery: whether strings are of a query, of which blanks are a part.
    private mutating func compare(
        _ left: ContentTree, _ right: ContentTree, _ name: LeafName, isSelecting: Bool, isQuery: Bool
    ) -> Bool {
        switch (left, right) {
        case (.leaf(let left), .leaf(let right)):
            if isSelecting { return left == right || isQuery && left.withoutBlanks == right.withoutBlanks }
            let isMadeUp = name.isMadeUp(left) && name.isMadeUp(right)
            if isMadeUp {
                equalMadeUpCount += left == right ? 1 : 0
            } else {
                equalCount += left == right ? 1 : 0
                count += 1
            }
            return true
        case (.array(let left), .array(let right)):
            guard !isSelecting || left.count == right.count else { return false }
            count += abs(left.count - right.count)
            for (left, right) in zip(left, right) {
                guard compare(left, right, name, isSelecting: isSelecting, isQuery: isQuery) else { return false }
            }
            return true
        case (.object(let left), .object(let right)):
            return compare(left, right) { comparison, name, left, right in
                comparison.compare(left, right, LeafName(name), isSelecting: isSelecting, isQuery: isQuery)
            }
        default: return false
        }
    }
}

extension ContentTree.ContentLeaf {
    /// The same value with one blank for each run of blanks in a string, and none at its ends.
    fileprivate var withoutBlanks: ContentTree.ContentLeaf {
        guard case .string(let text) = self else { return self }
        let words = text.split { $0 == .ascii(" ") || $0 == .ascii("\t") || $0 == .ascii("\n") || $0 == .ascii("\r") }
        return .string(Array(words.joined(separator: [.ascii(" ")])))
    }
}
