// SPDX-License-Identifier: Apache-2.0

extension Range<Int> {
    /// The first number for which `belongsBehind` holds, where it holds for all numbers after that one; the upper bound if there is none.
    /// O(log n).
    @inline(__always)
    func partitioningIndex<Failure>(
        where belongsBehind: (Int) throws(Failure) -> Bool
    ) throws(Failure) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if try belongsBehind(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
