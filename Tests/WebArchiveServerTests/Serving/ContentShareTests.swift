// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import WebArchiveServer

/// Memory for content on its way, when some clients take nothing.
@Suite struct ContentShareTests {
    /// Clients of one address that fill its share keep nobody from content, not even others of that address.
    @Test func othersGoOn() throws {
        let sample = try ReplaySample()
        var options = ReplayService.Options()
        options.maximumContentOnItsWay = 1 << 20
        let server = try TestServer([sample.path], options: options)
        let share = ContentShare(server.service.budget, address: "127.0.0.1")
        var greedy: [RawClient] = []
        // What the system takes for a client differs, so that as many come as are needed.
        while !share.isShort {
            try #require(greedy.count < 200)
            let client = try RawClient(port: server.port, receiveBuffer: 4096)
            client.send("GET /film.webm HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try !client.receive(atMost: 1).isEmpty)
            greedy.append(client)
        }
        for _ in 0..<3 {
            #expect(try server.curl(server.url("/film.webm")).output == Data(ReplaySample.film))
            let part = try server.curl("--range", "100-", server.url("/film.webm")).output
            #expect(part == Data(ReplaySample.film[100...]))
        }
        #expect(share.isShort, "the others still take nothing")
        withExtendedLifetime(greedy) {}
    }

    /// What one address has leaves as much for the next.
    @Test func addressesShare() {
        let budget = ContentBudget(limit: 1000)
        for number in 0..<5 {
            let share = ContentShare(budget, address: "192.0.2.\(number)")
            #expect(!share.isShort)
            while !share.isShort { share.take(10) }
        }
        let neighbours = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map { ContentShare(budget, address: $0) }
        while !neighbours[0].isShort { neighbours[0].take(1) }
        #expect(neighbours[1].isShort)
        #expect(!neighbours[2].isShort)
        #expect(neighbours[0].allowance == 0)
        #expect(neighbours[1].allowance == ContentShare.smallLength)
    }
}
