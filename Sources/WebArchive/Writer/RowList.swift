// SPDX-License-Identifier: Apache-2.0

/// A list that grows by pieces: nothing is copied and no memory is left unused when there are millions of rows.
package struct RowList<Element> {
    private var pieces: [[Element]] = []
    /// The number of elements.
    package private(set) var count = 0

    private static var shift: Int { 13 }
    private static var mask: Int { 1 << shift - 1 }

    var isEmpty: Bool { count == 0 }

    package init() {}

    /// Adds an element, without copying the others.
    package mutating func append(_ element: Element) {
        if count & Self.mask == 0 {
            pieces.append([])
            // The first piece grows as it must: most archives are small.
            if pieces.count > 1 { pieces[pieces.count - 1].reserveCapacity(1 << Self.shift) }
        }
        pieces[count >> Self.shift].append(element)
        count += 1
    }

    package subscript(index: Int) -> Element {
        get { pieces[index >> Self.shift][index & Self.mask] }
        _modify { yield &pieces[index >> Self.shift][index & Self.mask] }
    }

    /// Keeps the first `length` elements.
    mutating func truncate(to length: Int) {
        precondition((0...count).contains(length))
        let last = (length + Self.mask) >> Self.shift
        pieces.removeSubrange(last...)
        if length & Self.mask != 0 { pieces[last - 1].removeSubrange((length & Self.mask)...) }
        count = length
    }
}
