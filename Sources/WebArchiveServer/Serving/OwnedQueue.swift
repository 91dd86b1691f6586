// SPDX-License-Identifier: Apache-2.0

/// A queue of pieces of work, from which those of one owner can be removed at any position.
///
/// Adding and taking a piece take constant time on average, and an owner may have any number of them.
struct OwnedQueue<Work: Sendable>: Sendable {
    /// The pieces by their numbers, which grow in the order of adding.
    private var pieces: [Int: (owner: ObjectIdentifier, work: Work)] = [:]
    /// The numbers of the pieces of each owner.
    private var numbers: [ObjectIdentifier: Set<Int>] = [:]
    /// The number before which there are no pieces.
    private var start = 0
    /// The number of the next piece.
    private var end = 0

    /// Whether no piece is left; slots of removed pieces do not count.
    var isEmpty: Bool { pieces.isEmpty }

    /// Adds a piece after all others.
    ///
    /// - Parameter owner: the identity of the owner, which must stay alive until its pieces are taken or removed.
    mutating func append(_ work: Work, of owner: ObjectIdentifier) {
        pieces[end] = (owner, work)
        numbers[owner, default: []].insert(end)
        end += 1
    }

    /// The first piece; nil if there is none. Slots of removed pieces are skipped, each once.
    var first: Work? {
        mutating get {
            while start < end {
                if let piece = pieces[start] { return piece.work }
                start += 1
            }
            return nil
        }
    }

    /// Takes the first piece; nil if there is none.
    mutating func popFirst() -> Work? {
        guard first != nil, let piece = pieces.removeValue(forKey: start) else { return nil }
        numbers[piece.owner]?.remove(start)
        if numbers[piece.owner]?.isEmpty == true { numbers[piece.owner] = nil }
        start += 1
        return piece.work
    }

    /// Removes the pieces of an owner, in time proportional to their number.
    mutating func removeAll(of owner: ObjectIdentifier) {
        for number in numbers.removeValue(forKey: owner) ?? [] { pieces[number] = nil }
    }
}
