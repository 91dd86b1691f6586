// SPDX-License-Identifier: Apache-2.0

extension Range<Int> {
    /// Returns the first number for which `belongsBehind` holds, if it holds for all later numbers; the upper bound if there is none.
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
