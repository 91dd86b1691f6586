// SPDX-License-Identifier: Apache-2.0

import TestSupport
import WebArchive

/// A maker of WARC files with odd and broken records, from a seed.
struct OddWARC {
    private var random: SeededGenerator
    private(set) var bytes: [UInt8] = []
    private var identifiers: [String] = []

    init(_ random: SeededGenerator, records: Int) {
        self.random = random
        for number in 0..<records { addRecord(number) }
    }

    private mutating func one<Value>(_ values: Value...) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func addRecord(_ number: Int) {
        let type = one(
            "response", "response", "response", "request", "request", "revisit", "resource", "metadata", "Odd", "")
        let block: [UInt8] =
            switch type {
            case "response", "revisit": chance(90) ? response() : noise()
            case "request": chance(90) ? request() : noise()
            default: chance(20) ? response() : noise()
            }
        let feed = chance(90) ? "\r\n" : "\n"
        let identifier = "<urn:uuid:\(number)>"
        var lines = [one("WARC/1.0", "WARC/1.1", "WARC/1.1")]
        if !type.isEmpty { lines.append(one("WARC-Type: ", "warc-type:", "WARC-Type:  ") + type) }
        if chance(95) { lines.append("WARC-Record-ID: \(identifier)") }
        lines.append("WARC-Date: \(one("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z", "yesterday"))")
        if chance(90) { lines.append("WARC-Target-URI: \(url())") }
        if chance(60), let other = identifiers.randomElement(using: &random) {
            lines.append("WARC-Concurrent-To: \(other)")
        }
        if chance(30) { lines.append("WARC-Payload-Digest: \(one("sha1:AAAA", "SHA1:BBBB", "x"))") }
        if chance(10) { lines.append("WARC-Truncated: \(one("length", "time", "odd"))") }
        if chance(10) { lines.append("X-Folded: a\(feed) \tb") }
        if chance(10) { lines.append("no colon at all") }
        if chance(10) { lines.append("X-Empty:") }
        lines.append("Content-Length: \(block.count)")
        identifiers = identifiers.suffix(5) + [identifier]
        bytes += (lines.joined(separator: feed) + feed + feed).utf8
        bytes += block
        bytes += one("\r\n\r\n", "\r\n\r\n", "\r\n\r\n", "\n\n", "\r\n", "\r\n\r\n\r\n", "\r\n\r\n\0\0").utf8
    }

    private mutating func url() -> String {
        one(
            "http://a.example/\(Int.random(in: 0..<20, using: &random))", "<http://a.example/x>", "dns:a.example",
            "not a url",
            "HTTP://A.example/%7Ex#top", "http://a.example/é")
    }

    private mutating func noise() -> [UInt8] { random.bytes(Int.random(in: 0..<300, using: &random)) }

    private mutating func response() -> [UInt8] {
        let feed = chance(90) ? "\r\n" : "\n"
        var lines = [
            one(
                "HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 200 ", "HTTP/1.1 404", "HTTP/2 301 Moved",
                "HTTP/1.1 999 \u{e9}",
                "HTTP/1.1  200 OK", "ICY 200 OK"),
            "Content-Type: \(one("text/html", "text/plain; charset=\"x", "image/png"))",
        ]
        var content =
            chance(50) ? Array(repeating: UInt8(ascii: "a"), count: Int.random(in: 0..<500, using: &random)) : noise()
        if chance(30) {
            lines.append("Content-Encoding: \(one("gzip", "GZIP", "identity", "br", "odd"))")
            if chance(60) { content = gzip(content) }
        }
        if chance(30) {
            lines.append("Transfer-Encoding: chunked")
            if chance(70) { content = chunked(content) }
        }
        if chance(40) {
            lines.append(
                one("Location: /b", "Set-Cookie: a=1", "X:y", "x-a:  b  ", "Date: Tue, 14 Nov 2023 22:13:21 GMT"))
        }
        if chance(20) { lines += ["X-Dup: 1", "x-dup: 2"] }
        if chance(10) { lines.append("X-Latin: caf\u{e9}") }
        return Array((lines.joined(separator: feed) + feed + feed).utf8) + content
    }

    private mutating func request() -> [UInt8] {
        let feed = chance(90) ? "\r\n" : "\n"
        let line = one(
            "GET /x HTTP/1.1", "POST /x HTTP/1.0", "GET http://a.example/x HTTP/1.1", "get", "OPTIONS * HTTP/1.1")
        return Array((line + feed + "Host: a.example" + feed + feed).utf8) + (chance(30) ? noise() : [])
    }

    /// A gzip member that stores its bytes (RFC 1951 section 3.2.4).
    private func gzip(_ bytes: [UInt8]) -> [UInt8] {
        let (length, sum) = (UInt16(bytes.count), Checksum.of(bytes))
        var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1]
        for value in [length, ~length] { member += [UInt8(value & 255), UInt8(value >> 8)] }
        member += bytes
        for value in [sum, UInt32(bytes.count)] { member += (0..<4).map { UInt8(value >> (8 * UInt32($0)) & 255) } }
        return member
    }

    private mutating func chunked(_ bytes: [UInt8]) -> [UInt8] {
        var (coded, rest) = ([UInt8](), bytes[...])
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...200, using: &random))
            coded += (String(part.count, radix: 16) + one("", ";a=b", " ") + "\r\n").utf8 + part + "\r\n".utf8
            rest = rest.dropFirst(part.count)
        }
        return coded + one("0\r\n\r\n", "0\r\n", "0\r\nX-Trailer: 1\r\n\r\n", "").utf8
    }
}
