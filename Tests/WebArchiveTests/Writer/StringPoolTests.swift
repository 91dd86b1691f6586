// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct StringPoolTests {
    @Test func eachStringOnce() throws {
        var random = SeededGenerator.printed()
        var pool = StringPool()
        var numbers: [[UInt8]: UInt32] = [:]
        for _ in 0..<2_000 {
            let text = random.bytes(Int.random(in: 0...2, using: &random)).map { $0 & 0x83 }
            #expect(pool.number(of: text) == numbers[text])
            let number = try pool.intern(text)
            #expect(numbers[text] ?? number == number)
            numbers[text] = number
            #expect(pool.text(number) == text)
        }
        #expect(pool.internedCount == numbers.count)
        #expect(Set(numbers.values) == Set(1...UInt32(numbers.count)))
        let (order, ranks) = pool.sorted()
        #expect(order == numbers.keys.sorted { $0.lexicographicallyPrecedes($1) })
        for (text, number) in numbers { #expect(order[Int(ranks[Int(number) - 1])] == text) }
    }

    @Test func noString() throws {
        var pool = StringPool()
        #expect(try pool.intern(nil as String?) == 0 && pool.intern(nil as [UInt8]?) == 0)
        #expect(pool.internedCount == 0)
        #expect(try pool.intern("") == 1)
        #expect(try pool.intern("\u{E9}") == pool.intern([0xC3, 0xA9]))
    }

    @Test func fillStringsAreNotShared() throws {
        var pool = StringPool()
        #expect(try pool.addFill([1, 2]) == 1)
        #expect(try pool.addFill([]) == 2)
        #expect(try pool.addFill([1, 2]) == 3)
        #expect((0..<3).map { pool.fillStart($0) } == [0, 2, 2])
        #expect(pool.fillText == [1, 2, 1, 2])
        #expect(pool.fillCount == 3 && pool.internedCount == 0 && pool.number(of: [1, 2]) == nil)
    }

    @Test func longestString() throws {
        var pool = StringPool()
        let longest = [UInt8](repeating: 7, count: 1_048_576)
        #expect(try pool.intern(longest) == 1)
        #expect(try pool.addFill(longest) == 1)
        #expect(archiveError { _ = try pool.intern(longest + [7]) }?.code == .limitExceeded)
        #expect(archiveError { _ = try pool.addFill(longest + [7]) }?.code == .limitExceeded)
        #expect(pool.internedCount == 1 && pool.fillCount == 1)
    }
}
