// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A maker of WARC files with odd and broken records, from a seed.
package struct OddWARC {
    private var random: SeededGenerator
    package private(set) var bytes: [UInt8] = []
    private var identifiers: [String] = []
    private let isSound: Bool

    /// Makes records.
    ///
    /// - Parameter isSound: whether the records are odd, and none is false: digests and codings are as claimed, and each record has a second of
    ///   its own, by which others find it.
    package init(_ random: SeededGenerator, records: Int, isSound: Bool = false) {
        (self.random, self.isSound) = (random, isSound)
        for number in 0..<records { addRecord(number) }
    }

    private mutating func one<Value>(_ values: Value...) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func addRecord(_ number: Int) {
        let type = one(
            "response", "response", "response", "request", "request", "revisit", "resource",
            isSound ? "resource" : "metadata", "Odd",
            isSound ? "response" : "")
        let block: [UInt8] =
            switch type {
            case "response", "revisit": isSound || chance(90) ? response() : noise()
            case "request": isSound || chance(90) ? request() : noise()
            default: !isSound && chance(20) ? response() : noise()
            }
        let feed = isSound || chance(90) ? "\r\n" : "\n"
        let identifier = "<urn:uuid:\(number)>"
        var lines = [one("WARC/1.0", "WARC/1.1", "WARC/1.1")]
        if !type.isEmpty { lines.append(one("WARC-Type: ", "warc-type:", "WARC-Type:  ") + type) }
        if isSound || chance(95) { lines.append("WARC-Record-ID: \(identifier)") }
        lines.append("WARC-Date: \(date(number))")
        if isSound || chance(90) { lines.append("WARC-Target-URI: \(url())") }
        if chance(60), let other = identifiers.randomElement(using: &random) {
            lines.append("WARC-Concurrent-To: \(other)")
        }
        if !isSound, chance(30) { lines.append("WARC-Payload-Digest: \(one("sha1:AAAA", "SHA1:BBBB", "x"))") }
        if chance(10) { lines.append("WARC-Truncated: \(one("length", "time", "odd"))") }
        if chance(10) { lines.append("X-Folded: a\(feed) \tb") }
        if !isSound, chance(10) { lines.append("no colon at all") }
        if chance(10) { lines.append("X-Empty:") }
        lines.append("Content-Length: \(block.count)")
        identifiers = identifiers.suffix(5) + [identifier]
        bytes += (lines.joined(separator: feed) + feed + feed).utf8
        bytes += block
        bytes +=
            isSound
            ? "\r\n\r\n".utf8
            : one("\r\n\r\n", "\r\n\r\n", "\r\n\r\n", "\n\n", "\r\n", "\r\n\r\n\r\n", "\r\n\r\n\0\0").utf8
    }

    private mutating func date(_ number: Int) -> String {
        guard isSound else { return one("2020-01-01T00:00:00Z", "2020-01-01T00:00:00.5Z", "yesterday") }
        let digits = [number / 3600 % 24, number / 60 % 60, number % 60].map { ($0 < 10 ? "0" : "") + String($0) }
        return "2020-01-01T\(digits.joined(separator: ":"))Z"
    }

    private mutating func url() -> String {
        one(
            "http://a.example/\(Int.random(in: 0..<20, using: &random))", "<http://a.example/x>",
            isSound ? "http://a.example/y/?b=1&a" : "dns:a.example", isSound ? "https://a.example/" : "not a url",
            isSound ? "http://A.example/%7Ex" : "HTTP://A.example/%7Ex#top", "http://a.example/é")
    }

    private mutating func noise() -> [UInt8] { random.bytes(Int.random(in: 0..<300, using: &random)) }

    private mutating func response() -> [UInt8] {
        let feed = chance(90) ? "\r\n" : "\n"
        var lines = [
            one(
                "HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 200 ", "HTTP/1.1 404",
                isSound ? "HTTP/1.1 301 Moved" : "HTTP/2 301 Moved",
                "HTTP/1.1 999 \u{e9}", isSound ? "HTTP/1.1 410 Gone" : "HTTP/1.1  200 OK",
                isSound ? "HTTP/1.0 500 x" : "ICY 200 OK"),
            "Content-Type: \(one("text/html", "text/plain; charset=\"x", "image/png"))",
        ]
        if isSound, lines[0].contains(" 301") { lines.append("Location: /moved") }
        var content =
            chance(50) ? Array(repeating: UInt8(ascii: "a"), count: Int.random(in: 0..<500, using: &random)) : noise()
        if chance(30) {
            lines.append(
                "Content-Encoding: \(isSound ? one("gzip", "GZIP") : one("gzip", "GZIP", "identity", "br", "odd"))")
            if isSound || chance(60) { content = gzip(content) }
        }
        if chance(30) {
            lines.append("Transfer-Encoding: chunked")
            if isSound || chance(70) { content = chunked(content) }
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
            "GET /x HTTP/1.1", "POST /x HTTP/1.0", "GET http://a.example/x HTTP/1.1",
            isSound ? "GET / HTTP/1.0" : "get",
            isSound ? "POST * HTTP/1.1" : "OPTIONS * HTTP/1.1")
        // A POST without content has two keys in indexes, one with an empty parameter.
        let content = isSound && line.hasPrefix("POST") ? [1] + noise() : chance(30) ? noise() : []
        return Array((line + feed + "Host: a.example" + feed + feed).utf8) + content
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
            coded +=
                (String(part.count, radix: 16) + one("", ";a=b", isSound ? "" : " ") + "\r\n").utf8 + part + "\r\n".utf8
            rest = rest.dropFirst(part.count)
        }
        return coded + (isSound ? "0\r\n\r\n" : one("0\r\n\r\n", "0\r\n", "0\r\nX-Trailer: 1\r\n\r\n", "")).utf8
    }
}
