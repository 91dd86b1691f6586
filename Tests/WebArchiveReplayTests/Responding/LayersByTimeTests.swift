// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

/// Archives as layers, and requests that ask for a time.
@Suite struct LayersByTimeTests {
    /// A layer with one capture for each URL, at a time of this many seconds.
    private func layer(_ name: String, _ captures: [(url: String, seconds: Int64)]) throws -> ArchiveReader {
        let sample = try ReplaySample("\(name).webarc", withSite: false) { writer in
            for capture in captures {
                try writer.add(
                    ArchiveRequest(url: "https://site.example/\(capture.url)"), response: ArchiveResponse(),
                    body: writer.addBody(Array("\(name) \(capture.seconds)".utf8)),
                    time: ArchiveTime(seconds: capture.seconds))
            }
        }
        return try ArchiveReader(path: sample.path)
    }

    private func responder(at seconds: Int64?) throws -> ReplayResponder {
        let layers = [
            try layer("a", [("", 100), ("page", 100), ("api?_=1", 100), ("same", 100), ("q?x", 300)]),
            try layer("b", [("", 300), ("page", 300), ("page", 500), ("api?_=2", 300), ("same", 100), ("q", 100)]),
            try layer("c", [("page", 200), ("only", 900)]),
        ]
        return ReplayResponder(
            try ReplaySite(layers, options: .replaying, time: seconds.flatMap { ArchiveTime(seconds: $0) }))
    }

    @Test(
        arguments: [
            (nil, "page", "a 100"), (1, "page", "a 100"), (149, "page", "a 100"), (150, "page", "a 100"),
            (151, "page", "c 200"), (250, "page", "c 200"), (251, "page", "b 300"), (400, "page", "b 300"),
            (401, "page", "b 500"), (9999, "page", "b 500"), (1, "only", "c 900"), (nil, "only", "c 900"),
            (9999, "same", "a 100"),
            // An exact match comes before a nearer one by a rule; two by a rule are compared by time.
            (300, "api?_=1", "a 100"), (300, "api?_=3", "b 300"), (100, "api?_=3", "a 100"), (nil, "api?_=3", "a 100"),
            (100, "q?x", "a 300"), (100, "q?y", "b 100"),
        ] as [(Int64?, String, String)])
    func nearestOfAllLayers(_ seconds: Int64?, _ path: String, _ expected: String) throws {
        let responder = try responder(at: seconds)
        // Twice: the second time from memory.
        for _ in 0..<2 {
            #expect(try responder.get("https://site.example/\(path)").text == expected)
            #expect(try responder.getPath("/\(path)").text == expected)
        }
        guard let seconds else { return }
        let own = try self.responder(at: nil)
        let date = HTTPDate.text(nanoseconds: seconds * 1_000_000_000)
        let response = own.get("https://site.example/\(path)", [.acceptDatetime: date])
        #expect(try response.text == expected)
        let found = try #require(expected.split(separator: " ").last.flatMap { Int64($0) })
        #expect(response.field(.mementoDatetime) == HTTPDate.text(nanoseconds: found * 1_000_000_000))
        #expect(response.field(.vary) == "accept-datetime")
        #expect(
            try own.get("https://site.example/\(path)").text
                == self.responder(at: nil).get("https://site.example/\(path)").text)
    }
}
