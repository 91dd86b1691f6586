// SPDX-License-Identifier: Apache-2.0

import NIOCore
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveRecording

@Suite("Response parser")
struct ResponseParserTests {
    /// The events of a response as text: heads by their status, the content, and trailers.
    private static func parse(_ pieces: [[UInt8]], isHEAD: Bool = false) throws -> (text: String, left: Int) {
        var parser = ResponseParser()
        parser.begin(isHEAD: isHEAD)
        var (unread, text, content) = (ByteBuffer(), "", [UInt8]())
        for piece in pieces {
            unread.writeBytes(piece)
            while let event = try parser.next(&unread) {
                switch event {
                case .head(let head): text += "\(head.status) \(head.fields.count);"
                case .content(let bytes): content += bytes.readableBytesView
                case .end(let trailers):
                    return (
                        text + String(decoding: content, as: UTF8.self) + ";\(trailers.map(\.value))",
                        unread.readableBytes
                    )
                }
            }
        }
        return (text + String(decoding: content, as: UTF8.self) + (parser.endConnection() ? ";end" : ";cut"), 0)
    }

    /// The framing of RFC 9112 section 6.3.
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP", "200 1;ok;[]"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", "200 2;ok;[]"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!", "200 2;ok!;end"),
        ("HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok!", "200 1;ok!;end"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "200 2;ok;[]"
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1;a=\"b\"\r\nk\r\n0\r\nA: b\r\n\r\n",
            "200 1;ok;[\"b\"]"
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nraw", "200 1;raw;end"),
        ("HTTP/1.0 200 OK\r\n\r\nall", "200 0;all;end"),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "304 1;;[]"),
        ("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", "103 1;204 0;;[]"),
        ("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "200 1;ok;[]"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "200 1;half;cut"),
    ])
    func framing(_ message: String, _ expected: String) throws {
        let bytes = Array(message.utf8)
        #expect(try Self.parse([bytes]).text == expected)
        #expect(try Self.parse(bytes.map { [$0] }).text == expected)
        let seed = UInt64.random(in: 0 ... .max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let cuts = ([0, bytes.count] + (0..<4).map { _ in Int.random(in: 0...bytes.count, using: &random) })
                .sorted()
            let pieces = zip(cuts, cuts.dropFirst()).map { Array(bytes[$0..<$1]) }
            #expect(try Self.parse(pieces).text == expected, "seed \(seed)")
        }
    }

    @Test func bytesAfterAResponseAreLeft() throws {
        let message = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 ".utf8)
        #expect(try Self.parse([message]).left == "HTTP/1.1 ".utf8.count)
    }

    @Test(arguments: [
        "HTTP/1.1 20 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nokay\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1" + String(repeating: " ", count: 5000),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "A: b\r\n", count: 30_000),
        "HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 30_000),
    ])
    func malformedResponses(_ message: String) {
        #expect(throws: ArchiveError.self) { try Self.parse([Array(message.utf8)]) }
    }
}
