// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The bodies of an archive or of a commit by rank, their order in the file, and by row, the order of their digests.
///
/// Patch specification section 3.
struct BodyRanks: Sendable {
    /// The rows, by rank.
    let rows: [UInt32]
    /// The ranks, by row.
    let ranks: [UInt32]

    /// Ranks bodies of an archive by their positions in the file; empty ones come first. It costs a reading of their rows.
    ///
    /// - Parameter numbers: the rows through all commits; the ranks are of rows counted from the first of them.
    init(_ archive: StoredArchive, _ numbers: Range<Int>) throws(ArchiveError) {
        var places: [UInt64] = []
        places.reserveCapacity(numbers.count)
        for number in numbers {
            let body = try archive.archiveBody(number)
            places.append(body.length == 0 ? 0 : body.storagePlace + 1)
        }
        let known = places
        rows = (0..<UInt32(known.count)).sorted { (known[Int($0)], $0) < (known[Int($1)], $1) }
        ranks = Self.inverse(rows)
    }

    /// Finds the rows of bodies that a commit sorts by digest; of equal ones the first by rank comes first.
    ///
    /// - Parameter digests: the digests by rank.
    init(digests: [ContentDigest]) {
        ranks = (0..<UInt32(digests.count)).sorted { left, right in
            let (one, other) = (digests[Int(left)], digests[Int(right)])
            return (one.high, one.low, left) < (other.high, other.low, right)
        }
        rows = Self.inverse(ranks)
    }

    /// Returns the inverse of a permutation of the numbers from 0.
    private static func inverse(_ numbers: [UInt32]) -> [UInt32] {
        var inverse = [UInt32](repeating: 0, count: numbers.count)
        for (place, number) in numbers.enumerated() { inverse[Int(number)] = UInt32(place) }
        return inverse
    }
}
