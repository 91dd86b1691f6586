// SPDX-License-Identifier: Apache-2.0

/// A queue of pieces of work, from which those of one owner can be removed wherever they stand.
struct OwnedQueue<Work: Sendable>: Sendable {
    private var pieces: [Int: (owner: ObjectIdentifier, work: Work)] = [:]
    private var numbers: [ObjectIdentifier: Set<Int>] = [:]
    private var first = 0
    private var end = 0

    var isEmpty: Bool { pieces.isEmpty }

    /// Adds a piece behind all others.
    mutating func append(_ work: Work, of owner: ObjectIdentifier) {
        pieces[end] = (owner, work)
        numbers[owner, default: []].insert(end)
        end += 1
    }

    /// Takes the first piece; nil if there is none. Places of removed pieces are passed over, each once.
    mutating func popFirst() -> Work? {
        while first < end {
            defer { first += 1 }
            guard let piece = pieces.removeValue(forKey: first) else { continue }
            numbers[piece.owner]?.remove(first)
            if numbers[piece.owner]?.isEmpty == true { numbers[piece.owner] = nil }
            return piece.work
        }
        return nil
    }

    /// Removes the pieces of an owner, in time for these alone.
    mutating func removeAll(of owner: ObjectIdentifier) {
        for number in numbers.removeValue(forKey: owner) ?? [] { pieces[number] = nil }
    }
}
