// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct RawBytesTests {
    /// Against the standard library's slow and plain ways, at all alignments and around the width of a word.
    @Test func sameAsPlainArrays() {
        var random = SeededGenerator.printed()
        for _ in 0..<5_000 {
            let left = random.bytes(Int.random(in: 0...40, using: &random))
            var right = random.bytes(Int.random(in: 0...40, using: &random))
            let shared = Int.random(in: 0...min(left.count, right.count), using: &random)
            right.replaceSubrange(..<shared, with: left[..<shared])
            if random.chance(4) { right = left }
            let skipped = Int.random(in: 0...min(7, left.count), using: &random)
            let a = Array(left[skipped...])
            let (prefix, order, equal) = left.withUnsafeBytes { left in
                right.withUnsafeBytes { right in
                    let left = UnsafeRawBufferPointer(rebasing: left[skipped...])
                    return (left.commonPrefix(with: right), left.compareBytes(right), left.isEqual(to: right))
                }
            }
            #expect(prefix == zip(a, right).prefix { $0 == $1 }.count, "seed \(random.seed)")
            #expect(order.signum() == (a == right ? 0 : a.lexicographicallyPrecedes(right) ? -1 : 1))
            #expect(equal == (a == right))
        }
    }

    @Test func noBytes() {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(none.commonPrefix(with: none) == 0)
        #expect(none.compareBytes(none) == 0)
        #expect(none.isEqual(to: none))
    }
}
