// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

@Suite struct LineLimitTests {
    private let start = NIODeadline.uptimeNanoseconds(5)

    @Test func soManyLinesAMinute() {
        let limit = LineLimit(most: 2)
        #expect(limit.words(at: start) == "")
        #expect(limit.words(at: start + .seconds(30)) == "")
        for second in 31..<60 as Range<Int64> { #expect(limit.words(at: start + .seconds(second)) == nil) }
        #expect(limit.words(at: start + .seconds(60)) == " (and 29 more since the last such message)")
        #expect(limit.words(at: start + .seconds(61)) == "")
        #expect(limit.words(at: start + .seconds(62)) == nil)
        #expect(limit.words(at: start + .minutes(9)) == " (and 1 more since the last such message)")
    }

    /// A client may ask for what is damaged as often as it likes.
    @Test func unreadableContentFillsNoLog() throws {
        let sample = try ReplaySample()
        var bytes = try sample.folder.read("site.webarc")
        let film = try #require(bytes.firstRange(of: ReplaySample.film[300_000..<300_100])).lowerBound
        bytes[film] ^= 1
        try sample.folder.write("site.webarc", bytes)
        let log = LogLines()
        let service = ReplayService(try ArchiveLibrary([sample.path]), logger: Logger(label: "test") { _ in log })
        let server = try ReplayServer(
            service,
            options: {
                var options = ReplayServer.Options()
                options.port = 0
                return options
            }())
        defer { server.stop(within: .zero) }
        let client = try RawClient(port: server.port)
        let request = "GET /film.webm HTTP/1.1\r\nHost: localhost\r\nRange: bytes=300000-300010\r\n\r\n"
        for _ in 0..<100 { client.send(request) }
        client.endSending()
        let responses = String(decoding: try client.receiveAll(), as: UTF8.self)
        #expect(responses.split(separator: "HTTP/1.1 500").count >= 100)
        #expect(service.counters[.failed] == 100)
        // Ten a minute, and a minute may have ended meanwhile.
        let lines = log.all.filter { $0.contains("film.webm") }
        #expect(10...20 ~= lines.count, "\(lines.count)")
    }
}
