// SPDX-License-Identifier: Apache-2.0

/// A queue of pieces of work, from which those of one owner can be removed at any position.
struct OwnedQueue<Work: Sendable>: Sendable {
    private var pieces: [Int: (owner: ObjectIdentifier, work: Work)] = [:]
    private var numbers: [ObjectIdentifier: Set<Int>] = [:]
    private var start = 0
    private var end = 0

    var isEmpty: Bool { pieces.isEmpty }

    /// Adds a piece after all others.
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
