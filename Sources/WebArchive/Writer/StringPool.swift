// SPDX-License-Identifier: Apache-2.0

/// The strings of a commit: interned ones, each stored once, and fill strings, which belong to one record each.
///
/// Specification section 7, "String" and "HeaderField".
struct StringPool {
    private var numbers: [ByteKey: UInt32] = [:]
    private var interned: [[UInt8]] = []
    private var fillBytes: [UInt8] = []
    private var fillEnds: [Int] = []

    /// The number of strings that are stored once each.
    var internedCount: Int { interned.count }
    /// The number of fill strings.
    var fillCount: Int { fillEnds.count }

    /// Returns the number of a string, from 1; 0 for no string. Its row follows from ``sorted()``.
    mutating func intern(_ text: [UInt8]?) throws(ArchiveError) -> UInt32 {
        guard let text else { return 0 }
        if let number = number(of: text) { return number }
        try Self.checkLength(text)
        interned.append(text)
        let number = UInt32(interned.count)
        numbers[ByteKey(text)] = number
        return number
    }

    /// Interns a text as UTF-8. As ``intern(_:)-([UInt8]?)``.
    ///
    /// - Throws: `limitExceeded` for more than 1 MiB.
    mutating func intern(_ text: String?) throws(ArchiveError) -> UInt32 {
        guard let text else { return 0 }
        return try intern(Array(text.utf8))
    }

    /// Returns the number of an interned string, from 1.
    func number(of text: [UInt8]) -> UInt32? { numbers[ByteKey(text)] }

    /// Returns the bytes of an interned string.
    func text(_ number: UInt32) -> [UInt8] { interned[Int(number) - 1] }

    /// Adds a fill string and returns its number, from 1.
    mutating func addFill(_ text: [UInt8]) throws(ArchiveError) -> UInt32 {
        try Self.checkLength(text)
        fillBytes.append(contentsOf: text)
        fillEnds.append(fillBytes.count)
        return UInt32(fillEnds.count)
    }

    private static func checkLength(_ text: [UInt8]) throws(ArchiveError) {
        guard text.count <= FormatLimits.maximumStringLength else {
            throw ArchiveError(.limitExceeded, "a header field or name has \(text.count) bytes; the limit is 1 MiB")
        }
    }

    /// Returns the interned strings in bytewise order, and for each number (less 1) its position in that order.
    func sorted() -> (order: [[UInt8]], ranks: [UInt32]) {
        let permutation = interned.indices.sorted { interned[$0].lexicographicallyPrecedes(interned[$1]) }
        var ranks = [UInt32](repeating: 0, count: interned.count)
        for (rank, number) in permutation.enumerated() { ranks[number] = UInt32(rank) }
        return (permutation.map { interned[$0] }, ranks)
    }

    /// Returns the start of fill string `number` (from 0) among the fill strings.
    func fillStart(_ number: Int) -> Int { number == 0 ? 0 : fillEnds[number - 1] }

    /// The bytes of all fill strings, one after the other.
    var fillText: [UInt8] { fillBytes }
}
