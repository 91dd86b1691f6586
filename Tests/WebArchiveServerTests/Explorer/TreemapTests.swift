// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveServer

@Suite struct TreemapTests {
    private static let area = Treemap.Rectangle(x: 10, y: 20, width: 160, height: 100)

    @Test func partsFillTheAreaInProportion() {
        var random = SeededGenerator.printed()
        for count in [1, 2, 3, 10, 100] {
            let weights = (0..<count).map { _ in Double.random(in: 0.001...1, using: &random) }.sorted(by: >)
            let total = weights.reduce(0, +)
            let places = Treemap.layout(weights, in: Self.area)
            #expect(places.count == count)
            for (weight, place) in zip(weights, places) {
                #expect(abs(place.width * place.height - weight / total * 16_000) < 0.01, "seed \(random.seed)")
                #expect(place.x > 9.999 && place.y > 19.999)
                #expect(place.x + place.width < 170.001 && place.y + place.height < 120.001)
            }
            for (number, one) in places.enumerated() {
                for other in places[(number + 1)...] {
                    let width = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
                    let height = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
                    #expect(width < 0.001 || height < 0.001, "seed \(random.seed)")
                }
            }
        }
    }

    /// The example of the paper.
    @Test func theExampleOfThePaper() throws {
        let places = Treemap.layout([6, 6, 4, 3, 2, 2, 1], in: .init(x: 0, y: 0, width: 6, height: 4))
        let first = try #require(places.first)
        #expect(abs(first.width - 3) < 1e-9 && abs(first.height - 2) < 1e-9)
        #expect(places[1].x == 0 && abs(places[1].y - 2) < 1e-9)
        #expect(abs(places[2].x - 3) < 1e-9 && abs(places[2].width - 12.0 / 7) < 1e-9)
    }

    @Test func nothingToDivide() {
        #expect(Treemap.layout([], in: Self.area).isEmpty)
        #expect(Treemap.layout([0], in: Self.area).isEmpty)
    }
}
