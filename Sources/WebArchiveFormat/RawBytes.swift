// SPDX-License-Identifier: Apache-2.0

extension UnsafeRawBufferPointer {
    /// Counts the equal bytes at the start of both buffers, eight at a time.
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

    /// Compares bytewise, shorter first: negative, 0 or positive. This is the order of keys (specification section
    /// 8.2).
    package func compareBytes(_ other: UnsafeRawBufferPointer) -> Int {
        let equal = commonPrefix(with: other)
        return equal < Swift.min(count, other.count) ? Int(self[equal]) - Int(other[equal]) : count - other.count
    }

    /// Returns whether both buffers have the same bytes.
    package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && commonPrefix(with: other) == count
    }
}
