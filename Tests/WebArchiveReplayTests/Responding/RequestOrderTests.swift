// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

/// The response to a request, whatever was requested before.
@Suite struct RequestOrderTests {
    private static let origin = "https://site.example/"
    private static let names = [
        "a?x=1", "a?x=1&_=5", "b.js?v=1", "b.js?v=2", "c?sid=0123456789abcdef", "c?sid=fedcba9876543210", "d?s=1",
        "d?s=2", "d?s=3", "e", "e?_=7", "f?_=1", "f?_=2",
    ]

    /// Captures of which the newest is an error of the server, and such that differ in a parameter only.
    private func sample() throws -> ReplaySample {
        try ReplaySample { writer in
            let captures = [
                ("a?x=1", 200), ("a?x=1", 500), ("b.js?v=1", 200), ("b.js?v=1", 500),
                ("c?sid=0123456789abcdef", 200), ("c?sid=0123456789abcdef", 503), ("d?s=1", 200), ("d?s=2", 200),
                ("e", 200), ("e", 304), ("f?_=1", 200),
            ]
            for (number, (name, status)) in captures.enumerated() {
                try writer.add(
                    ArchiveRequest(url: Self.origin + name), response: ArchiveResponse(status: status),
                    body: writer.addBody(Array("\(number)".utf8)), time: ArchiveTime(seconds: Int64(number + 1) << 24))
            }
        }
    }

    private func responder(_ sample: ReplaySample) throws -> ReplayResponder {
        var options = ArchiveMatcher.Options.replaying
        options.ignoredParameters = ["s"]
        return ReplayResponder(try ReplaySite([ArchiveReader(path: sample.path)], options: options))
    }

    /// Its head and its content, at the URL's own origin.
    private func description(_ name: String, _ responder: ReplayResponder) throws -> String {
        let response = responder.get(Self.origin + name)
        return try "\(response.head) \(response.text)"
    }

    @Test func doesNotDependOnEarlierOnes() throws {
        let sample = try sample()
        let expected = try Dictionary(
            uniqueKeysWithValues: Self.names.map { try ($0, description($0, responder(sample))) })
        #expect(expected["a?x=1"] != expected["a?x=1&_=5"])
        for first in Self.names {
            let responder = try responder(sample)
            for name in [first] + Self.names + Self.names.reversed() {
                #expect(try description(name, responder) == expected[name], "\(name) after \(first)")
            }
        }
    }

    /// Those that a page makes up are still read once.
    @Test func isReadOnce() throws {
        let responder = try responder(sample())
        _ = responder.get(Self.origin + "f?_=2")
        let first = try #require(responder.get(Self.origin + "f?_=3").bodyInMemory)
        let second = try #require(responder.get(Self.origin + "f?_=4").bodyInMemory)
        #expect(first.withUnsafeReadableBytes(\.baseAddress) == second.withUnsafeReadableBytes(\.baseAddress))
    }
}
