// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

/// The work that one request may cost, whatever archives it meets.
@Suite struct RequestBudgetTests {
    /// A sample with a URL whose captures all have a long `Vary` field, the newest without a response.
    private func sample(captures count: Int, url: String) throws -> ReplaySample {
        let names = (0..<64).map { "x-\(String(repeating: "a", count: 58))\($0)" }.joined(separator: ",")
        return try ReplaySample { writer in
            let body = try writer.addBody(Array("page".utf8))
            for number in 1...count {
                try writer.add(
                    ArchiveRequest(url: url), response: ArchiveResponse(headers: ["Vary": names]), body: body,
                    time: ArchiveTime(seconds: Int64(number)))
            }
            try writer.add(ArchiveRequest(url: url), response: nil, time: ArchiveTime(seconds: 1 << 32))
        }
    }

    private let url = "https://site.example/page"

    @Test func oneBudgetForAllLayers() throws {
        let sample = try sample(captures: 300, url: url)
        let one = ReplayResponder(try ReplaySite([ArchiveReader(path: sample.path)]))
        #expect(one.get(url).isMissing)
        let many = ReplayResponder(
            try ReplaySite((0..<20).map { _ throws(ArchiveError) in try ArchiveReader(path: sample.path) }))
        #expect(many.get(url).failure?.code == .limitExceeded)
    }

    @Test func longSearchesAreLeftToOthers() throws {
        let responder = try sample(captures: 300, url: url).responder()
        #expect(responder.respondQuickly(to: ReplayRequest(url)) == nil)
        for other in ["https://site.example/", "https://site.example/none", "https://site.example/style.css?v=3"] {
            let (quick, whole) = (responder.respondQuickly(to: ReplayRequest(other)), responder.get(other))
            #expect(quick?.head == whole.head, "\(other)")
        }
    }

    /// An entry without a response says that the URL is gone, with its query; that without the query is another one.
    @Test func aURLThatIsGoneIsNotAnsweredWithoutItsQuery() throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/style.css?v=2"), response: nil, time: ArchiveTime(seconds: 1))
        }
        let responder = try sample.responder()
        #expect(responder.get("https://site.example/style.css?v=2").isMissing)
        #expect(responder.get("https://site.example/style.css?v=3").status == 200)
    }
}
