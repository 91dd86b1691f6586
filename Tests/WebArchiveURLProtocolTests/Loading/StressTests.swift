// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing
import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Many loads at once, and cancellations that race with their answers: what ends the process in Foundation if a client is called in the
/// wrong place. `Tools/test --large` runs them in full.
@Suite(.serialized) struct StressTests {

    /// Answers at once, answers that are decoded elsewhere first, and those that a rule keeps back.
    private static func bundle() throws -> TestBundle {
        try TestBundle(
            .init("http://a.example/small", "small"),
            .init("http://a.example/long", String(repeating: "0123456789", count: 30_000)),
            .init("http://a.example/redirect", status: 302, ["Location": "/small"], ""))
    }

    private static let urls = ["small", "long", "redirect", "missing"].map { URL(string: "http://a.example/\($0)")! }

    /// The results of tasks.
    private final class Tally: Sendable {
        private let counts = Mutex<[String: Int]>([:])
        private let group = DispatchGroup()

        func begin() { group.enter() }

        func end(_ outcome: String) {
            counts.withLock { $0[outcome, default: 0] += 1 }
            group.leave()
        }

        /// Waits until all tasks have ended, each once; false if that does not come.
        func wait() -> Bool { group.wait(timeout: .now() + 600) == .success }
        subscript(outcome: String) -> Int { counts.withLock { $0[outcome, default: 0] } }
        var total: Int { counts.withLock { $0.values.reduce(0, +) } }
    }

    private static func outcome(_ url: URL, _ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> String {
        if let error = error as? URLError { return "\(error.code.rawValue)" }
        return response?.url == nil ? "nothing" : "\(url.lastPathComponent) \(data?.count ?? 0)"
    }

    @Test func manyLoadsInManySessionsEachEndOnceWithTheirOwnAnswer() throws {
        let bundle = try Self.bundle()
        let count = LargeTests.areEnabled ? 150_000 : 4_000
        var options = SessionOptions()
        options.rules = [.delay(.milliseconds(1), when: .where { $0.value(forHTTPHeaderField: "X-Late") != nil })]
        let sessions = (0..<8).map { _ in bundle.session(options: options) }
        let tally = Tally()
        let inTime = try BackgroundThread {
            for number in 0..<count {
                let url = Self.urls[number % Self.urls.count]
                let request = URLRequest(url, fields: number % 16 < 4 ? ["X-Late": "1"] : [:])
                tally.begin()
                sessions[number % sessions.count].dataTask(with: request) {
                    tally.end(Self.outcome(url, $0, $1, $2))
                }.resume()
            }
            return tally.wait()
        }.value()
        #expect(inTime)
        let each = count / Self.urls.count
        #expect(tally["small 5"] == each && tally["long 300000"] == each && tally["redirect 5"] == each)
        #expect(tally["\(URLError.Code.resourceUnavailable.rawValue)"] == each)
    }

    @Test func cancellationsThatRaceWithAnswersEndEachTaskOnce() throws {
        let bundle = try Self.bundle()
        let count = LargeTests.areEnabled ? 70_000 : 4_000
        var generator = SeededGenerator()
        var options = SessionOptions()
        options.rules = [.delay(.microseconds(200), when: .path("/small"))]
        let session = bundle.session(options: options)
        let tally = Tally()
        let pauses = (0..<count).map { _ in UInt32.random(in: 0...300, using: &generator) }
        let inTime = try BackgroundThread {
            for (number, pause) in pauses.enumerated() {
                let url = Self.urls[number % Self.urls.count]
                tally.begin()
                let task = session.dataTask(with: url) { tally.end(Self.outcome(url, $0, $1, $2)) }
                task.resume()
                if pause < 250 { usleep(pause) }
                // To resume it at the moment of its end ends the process in swift-corelibs-foundation, whatever the protocol.
                if number % 3 == 0 { task.suspend() }
                task.cancel()
            }
            return tally.wait()
        }.value()
        #expect(inTime, "seed \(generator.seed)")
        #expect(tally.total == count)
        #expect(tally["nothing"] == 0)
    }
}
