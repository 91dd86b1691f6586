// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@Suite struct RangeFieldTests {
    /// The examples of RFC 9110 section 14.1.2, for a representation of 10000 bytes.
    @Test(
        arguments: [
            ("bytes=0-499", [0..<500]), ("bytes=500-999", [500..<1000]), ("bytes=-500", [9500..<10000]),
            ("bytes=9500-", [9500..<10000]), ("bytes=0-0,-1", [0..<1, 9999..<10000]),
            ("bytes= 0-999, 4500-5499, -1000", [0..<1000, 4500..<5500, 9000..<10000]),
            ("bytes=500-600,601-999", [500..<601, 601..<1000]), ("bytes=500-700,601-999", [500..<1000]),
        ] as [(String, [Range<UInt64>])])
    func examplesOfTheStandard(_ value: String, _ ranges: [Range<UInt64>]) {
        #expect(RangeField(value)?.ranges(in: 10000) == ranges)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=1-2-3", "bytes=+1-2", "lines=1-2",
        "bytes 0-1", "bytes=1-2;3-4", "bytes=0x1-2",
    ])
    func malformedOnesAreIgnored(_ value: String) {
        #expect(RangeField(value) == nil)
    }

    @Test func numbersBeyondAllLengths() {
        let huge = String(repeating: "9", count: 40)
        #expect(RangeField("bytes=0-\(huge)")?.ranges(in: 10) == [0..<10])
        #expect(RangeField("bytes=\(huge)-")?.ranges(in: 10) == [])
        #expect(RangeField("bytes=-\(huge)")?.ranges(in: 10) == [0..<10])
        #expect(RangeField("bytes=-0")?.ranges(in: 10) == [])
    }

    @Test func tooManyAreIgnored() {
        func value(_ count: Int) -> String {
            "bytes=" + (0..<count).map { "\(3 * $0)-\(3 * $0)" }.joined(separator: ",")
        }
        #expect(RangeField(value(RangeField.maximumCount))?.ranges(in: 1000).count == RangeField.maximumCount)
        #expect(RangeField(value(RangeField.maximumCount + 1)) == nil)
    }

    /// Every requested byte is in exactly one range, and no other byte is in any.
    @Test func rangesCoverWhatWasAskedForOnce() {
        var random = SeededGenerator.printed()
        for _ in 0..<500 {
            let length = Int.random(in: 1...60, using: &random)
            var wanted = Set<Int>()
            let specs = (0..<Int.random(in: 1...6, using: &random)).map { _ -> String in
                let (low, high) = (Int.random(in: 0...70, using: &random), Int.random(in: 0...70, using: &random))
                switch Int.random(in: 0...2, using: &random) {
                case 0:
                    wanted.formUnion((0..<length).filter { $0 >= min(low, high) && $0 <= max(low, high) })
                    return "\(min(low, high))-\(max(low, high))"
                case 1:
                    wanted.formUnion((0..<length).filter { $0 >= low })
                    return "\(low)-"
                default:
                    wanted.formUnion((0..<length).suffix(high))
                    return "-\(high)"
                }
            }
            let ranges = RangeField("bytes=\(specs.joined(separator: ", "))")?.ranges(in: UInt64(length)) ?? []
            let given = ranges.flatMap { $0.map(Int.init) }
            #expect(
                given.count == Set(given).count && Set(given) == wanted, "\(specs) of \(length), seed \(random.seed)")
        }
    }
}
