// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import Testing

@testable import WebArchiveServer

/// The memory that a request keeps until its response has been sent.
@Suite struct RequestHeadTests {
    private func head(_ fields: HTTPHeaders, _ method: HTTPMethod = .GET) -> HTTPRequestHead {
        HTTPRequestHead(version: .http1_1, method: method, uri: "/", headers: fields)
    }

    @Test func aHeadOfABrowserIsKept() {
        let head = head(["Host": "a", "User-Agent": "b", "Cookie": String(repeating: "c", count: 4000)])
        #expect(head.forLog == head)
    }

    @Test(arguments: [
        [("x", String(repeating: "y", count: 60_000))], (0..<2000).map { ("x\($0)", "") },
        [("User-Agent", String(repeating: "z", count: 60_000))], [("Referer", String(repeating: "z", count: 60_000))],
    ]) func aLongHeadKeepsWhatTheLogTells(fields: [(String, String)]) {
        let kept = head(HTTPHeaders([("Host", "a")] + fields + [("Referer", "b"), ("User-Agent", "c")])).forLog
        #expect(kept.length < 4096)
        #expect(kept.headers["Host"] == ["a"])
        for (name, value) in [("Referer", "b"), ("User-Agent", "c")] {
            let first = fields.first { $0.0 == name }.map { String($0.1.prefix(1024)) } ?? value
            #expect(kept.headers[name] == [first])
        }
    }

    @Test(arguments: [[("Connection", "close")], [("Connection", "Upgrade"), ("Upgrade", "h2c")], []])
    func aLongHeadEndsTheConnectionAsBefore(fields: [(String, String)]) {
        let head = head(HTTPHeaders(fields + [("x", String(repeating: "y", count: 60_000))]))
        #expect(head.forLog.keepsConnection == head.keepsConnection)
    }
}
