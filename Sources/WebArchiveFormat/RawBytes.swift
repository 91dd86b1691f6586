// SPDX-License-Identifier: Apache-2.0

extension UnsafeRawBufferPointer {
    /// How many bytes at the start of the two are equal.
    package func commonPrefix(with other: UnsafeRawBufferPointer) -> Int {
        let limit = Swift.min(count, other.count)
        var equal = 0
        while equal + 8 <= limit {
            let difference =
                loadUnaligned(fromByteOffset: equal, as: UInt64.self)
                ^ other.loadUnaligned(fromByteOffset: equal, as: UInt64.self)
            guard difference == 0 else { return equal + UInt64(littleEndian: difference).trailingZeroBitCount / 8 }
            equal += 8
        }
        while equal < limit, self[equal] == other[equal] { equal += 1 }
        return equal
    }

    /// Bytewise order, shorter first: negative, 0 or positive.
    package func compareBytes(_ other: UnsafeRawBufferPointer) -> Int {
        let equal = commonPrefix(with: other)
        return equal < Swift.min(count, other.count) ? Int(self[equal]) - Int(other[equal]) : count - other.count
    }

    /// Whether the two have the same bytes.
    package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && commonPrefix(with: other) == count
    }
}
