// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive
import WebArchiveBrowser

@testable import WebArchiveKiosk

@Suite struct BarWatchTests {
    /// The look at which a bar is lost, counted from the first, one every 250 ms; nil: never.
    private func firstLoss(_ sights: [BarWatch.Sight?]) -> Int? {
        var watch = BarWatch()
        return sights.indices.first { watch.isLost(after: sights[$0], at: .milliseconds(250) * $0) }
    }

    @Test func hiddenInSpiteOfRepairs() {
        #expect(firstLoss([.shown, .hidden, .hidden, .hidden, .hidden]) == 4)
        // A bar that is covered again as soon as it was repaired may look as if nothing were painted in between.
        #expect(firstLoss([.hidden, .unknown, .hidden, .hidden]) == 3)
    }

    /// A page can behave at each third check.
    @Test func hiddenMostOfTheTime() {
        let sights = (0..<30).map { $0 % 3 == 2 ? BarWatch.Sight.shown : .hidden }
        #expect(firstLoss(sights).map { $0 <= 12 } == true)
        #expect(firstLoss((0..<60).map { $0 % 4 == 0 ? .hidden : .shown }) == nil)
    }

    @Test(arguments: [.shown, nil] as [BarWatch.Sight?]) func repairedMeanwhile(sight: BarWatch.Sight?) {
        #expect(firstLoss([.hidden, .hidden, .hidden, sight, .hidden, .hidden, sight]) == nil)
    }

    @Test func neverPainted() {
        #expect(firstLoss(Array(repeating: .unknown, count: 20)) == 12)
    }

    /// A document of the browser's own has no world in which to look, and is left like one that paints nothing; one that is not HTML has no bar.
    @Test func documentsWithoutAnAnswer() throws {
        let failure = DevToolsPipe.Failure(description: "no such context")
        #expect(firstLoss((0..<20).map { _ in .init(of: .failure(failure)) }) == 12)
        #expect(firstLoss((0..<20).map { _ in .init(of: .success(["result": ["type": "undefined"]])) }) == nil)
        #expect(BarWatch.Sight(of: .success(["result": ["value": "hidden"]])) == .hidden)
    }

    /// Chrome DevTools Protocol, Runtime.evaluate: `result` is then the thrown object, without a value.
    @Test func lookThatEndsInAnException() {
        let response: JSONValue = [
            "result": ["type": "object", "subtype": "error", "className": "TypeError"],
            "exceptionDetails": ["exceptionId": 1, "text": "Uncaught", "lineNumber": 0, "columnNumber": 0],
        ]
        #expect(firstLoss((0..<20).map { _ in .init(of: .success(response)) }) == 3)
    }

    /// A script in a picture can play silence without end. A film ends.
    @Test(arguments: [
        ("image/svg+xml", true), ("application/xml", true), ("video/mp4", false), ("audio/ogg", false),
        ("shown", false),
        ("hidden 40,700", false), ("text/html", false), ("application/xhtml+xml", false),
    ])
    func documentsWithoutABar(value: String, isWithoutBar: Bool) {
        #expect(BarWatch.isWithoutBar(.success(["result": ["value": .string(value)]])) == isWithoutBar)
    }

    /// Beside the places with words of a different form.
    @Test func placesOfAnInertBar() {
        let response: JSONValue = ["result": ["value": "shown 40,700 120,5700 7 x,y 1,2,3"]]
        #expect(BarWatch.Sight(of: .success(response)) == .shown)
        #expect(BarWatch.unreached(by: .success(response)) == [.init(x: 40, y: 700), .init(x: 120, y: 5700)])
        #expect(BarWatch.unreached(by: .success(["result": ["type": "undefined"]])) == [])
    }

    @Test func beginsAnewAfterALoss() {
        var watch = BarWatch()
        let losses = (0..<8).filter { watch.isLost(after: .hidden, at: .milliseconds(250) * $0) }
        #expect(losses == [3, 7])
    }
}
