// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchiveFormat

@testable import WebArchiveUpdates

@Suite struct MatchStepsTests {
    /// Texts of few letters, shorter than the window and longer, held against the definition of the patch specification.
    @Test(arguments: [(7, 64), (8, 128), (9, 256), (10, 96), (11, 512), (12, 16_384)])
    func stepsAreThoseOfTheSpecification(_ level: Int, _ most: Int) {
        var random = SeededGenerator.printed()
        for (length, before, letters) in [
            (1, 0, 2), (3, 2, 2), (4, 0, 2), (500, 0, 2), (2_000, 700, 3), (20_000, 65_536, 20),
        ] {
            let text = (0..<before + length).map { _ in UInt8.random(in: 1...UInt8(letters), using: &random) }
            var counter = MatchSteps(.level(level))
            let steps = counter.count(Array(text[before...]), dictionary: Array(text[..<before]))
            #expect(steps == Self.steps(text, from: before, most), "\(length) bytes behind \(before)")
            #expect(counter.count(Array(text[before...]), dictionary: Array(text[..<before])) == steps, "a second time")
        }
    }

    @Test(arguments: [CompressionLevel.fast, .level(1), .level(2), .level(6)])
    func levelsThatTakeLittleTimeHaveNone(_ level: CompressionLevel) {
        var counter = MatchSteps(level)
        #expect(counter.count([UInt8](repeating: 0, count: 100)) == 0)
    }

    /// The definition, by lists of positions.
    private static func steps(_ text: [UInt8], from start: Int, _ most: Int) -> UInt64 {
        var places: [UInt32: [Int]] = [:]
        var steps = UInt64(text.count - start) * 32
        for position in 0..<max(0, text.count - 3) {
            let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(text[position + $1]) << UInt32(8 * $1) }
            let hash = UInt32(UInt64(word) * 2_654_435_761 % (1 << 32) / (1 << 17))
            if position >= start {
                let earlier = (places[hash] ?? []).reversed().prefix(most).prefix { position - $0 <= 65_535 }
                steps += UInt64(earlier.count)
            }
            places[hash, default: []].append(position)
        }
        return steps
    }
}
