// SPDX-License-Identifier: Apache-2.0

import TestSupport
import WebArchive

/// Random exchanges that touch every way in which a value can be stored.
struct ExchangeGenerator {
    var random: SeededGenerator
    /// Bodies that exchanges share, of lengths around those of blocks.
    let bodies: [[UInt8]]
    private var counter = 0

    init(_ random: SeededGenerator, blockLength: Int) {
        var random = random
        var bodies: [[UInt8]] = [[], [0x41]]
        for length in [blockLength - 1, blockLength, blockLength + 1, 2 * blockLength, 3 * blockLength + 5, 700] {
            bodies += [random.bytes(length), random.text(length)]
        }
        // Blocks that compress and blocks that do not, in one body.
        bodies.append(random.text(blockLength) + random.bytes(blockLength) + random.text(9))
        self.random = random
        self.bodies = bodies
    }

    mutating func commits(_ count: Int, of exchangeCount: Int) -> Commits {
        Commits((0..<count).map { _ in (0..<exchangeCount).map { _ in exchange() } })
    }

    mutating func exchange() -> Exchange {
        let number = Int.random(in: 0..<30, using: &random)
        let key = "http://h.example/p/q\(number)"
        let spellings = [
            key, key, key, "HTTP://H.EXAMPLE/p/q\(number)", "http://h.example:80/p/./q\(number)",
            "http://h.example/p/%71\(number)", " \(key)#fragment",
        ]
        var exchange = Exchange(spellings[Int.random(in: 0..<spellings.count, using: &random)])
        exchange.key = key
        exchange.request.method = pick(["GET", "GET", "GET", "POST", "HEAD", "get", "M-SEARCH"])
        if random.chance(3) { exchange.request.headers = fields() }
        if random.chance(4) { exchange.requestBody = pick(bodies) }
        exchange.role = pick([.exchange, .exchange, .exchange, .alias, .unpackOnly])
        exchange.time = time()
        exchange.expectedTime = exchange.time
        exchange.response = nil
        exchange.expectedResponse = nil
        if !random.chance(8) { addAnswer(to: &exchange) }
        return exchange
    }

    private mutating func addAnswer(to exchange: inout Exchange) {
        var response = ArchiveResponse(
            status: pick([200, 200, 200, 404, 304, 100, 999, 301]),
            reason: pick(["", "OK", "Not Found", "na\u{EF}ve"]),
            mediaType: pick([nil, "text/html", "image/png"]), charset: pick([nil, "utf-8"]),
            modified: time(), address: pick([nil, "192.0.2.1", "2001:db8::1"]),
            codings: pick([[], [], ["gzip"], ["br", "chunked"]]))
        exchange.body = pick([nil] + bodies.map { $0 })
        if random.chance(3) { exchange.body = random.text(Int.random(in: 1...3000, using: &random)) }
        response.headers = fields()
        addDerivedFields(to: &response, of: &exchange)
        exchange.response = response
        exchange.expectedResponse = response
        if response.modified == nil, let lastModified = exchange.lastModified {
            exchange.expectedResponse?.modified = lastModified
        }
        addRedirect(to: &exchange)
        if let headers = exchange.response?.headers, random.chance(2) {
            exchange.response?.headers = HeaderFields(headers.shuffled(using: &random))
            exchange.expectedResponse?.headers = exchange.response?.headers ?? []
        }
    }

    /// Fields that follow from other values, fields that nearly do, and the other way round.
    private mutating func addDerivedFields(to response: inout ArchiveResponse, of exchange: inout Exchange) {
        let length = exchange.body?.count ?? 0
        let lengths = ["\(length)", "\(length)", "0\(length)", "\(length + 1)", "+\(length)", "", "\(length) "]
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            response.headers.append(
                name: pick(["Content-Length", "content-length", "CONTENT-Length"]), value: pick(lengths))
        }
        let digest = ContentDigest(hashing: exchange.body ?? [])
        counter += 1
        if random.chance(2) {
            let tags = [
                "\"\(digest)\"", "W/\"\(digest)\"", "\"\(digest.description.uppercased())\"", "\"own-\(counter)\"",
            ]
            response.headers.append(name: pick(["ETag", "etag"]), value: pick(tags))
        }
        if random.chance(2) {
            let moment = response.modified ?? ArchiveTime(seconds: Int64.random(in: 1...2_000_000_000, using: &random))
            guard let moment else { return }
            let text = HTTPDate.text(nanoseconds: moment.nanoseconds)
            response.headers.append(name: pick(["Last-Modified", "last-modified"]), value: text)
            exchange.lastModified = ArchiveTime(nanoseconds: HTTPDate.nanoseconds(text) ?? 0)
        }
        if random.chance(2) {
            let moment = exchange.time ?? ArchiveTime(seconds: Int64.random(in: 1...2_000_000_000, using: &random))
            guard let moment else { return }
            let text = HTTPDate.text(nanoseconds: moment.nanoseconds)
            response.headers.append(name: "Date", value: text)
            if exchange.time == nil { exchange.expectedTime = HTTPDate.nanoseconds(text).flatMap(ArchiveTime.init) }
        }
    }

    private mutating func addRedirect(to exchange: inout Exchange) {
        guard random.chance(4) else { return }
        if random.chance(4) {
            exchange.response?.redirectTarget = "x-other:target"
            exchange.expectedResponse?.redirectTarget = "x-other:target"
            return
        }
        let locations: [(String, String?)] = [
            ("/abs", "http://h.example/abs"), ("r/s", "http://h.example/p/r/s"), ("../up", "http://h.example/up"),
            ("?x=1", "\(exchange.key)?x=1"), ("//z.example/y", "http://z.example/y"),
            ("https://o.example/a", "https://o.example/a"), ("http://[", nil),
        ]
        let (location, target) = pick(locations)
        let status = pick([301, 302, 303, 307, 308, 200, 300])
        for path in [\Exchange.response, \Exchange.expectedResponse] {
            exchange[keyPath: path]?.status = status
            exchange[keyPath: path]?.headers.append(name: "location", value: location)
        }
        if status > 300 { exchange.expectedResponse?.redirectTarget = target }
    }

    private mutating func fields() -> HeaderFields {
        var fields = HeaderFields()
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            counter += 1
            switch Int.random(in: 0..<6, using: &random) {
            case 0: fields.append(HeaderField(nameBytes: random.bytes(2), valueBytes: random.bytes(9)))
            case 1: fields.append(HeaderField(nameBytes: Array("X-Odd".utf8), valueBytes: [0, 0xFF, 0x0D, 0x0A, 0x80]))
            case 2: fields.append(name: "Set-Cookie", value: "id=\(counter)")
            case 3: fields.append(name: "X-Empty", value: "")
            case 4: fields.append(name: "X-Own", value: "value \(counter)")
            default: fields.append(name: pick(["Server", "server", "Vary"]), value: pick(["a", "b", "accept"]))
            }
        }
        return fields
    }

    private mutating func time() -> ArchiveTime? {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: nil
        case 1: ArchiveTime(nanoseconds: Int64.random(in: -5_000_000_000...5_000_000_000, using: &random))
        case 2: ArchiveTime(nanoseconds: 1_700_000_000_123_456_789)
        default: ArchiveTime(seconds: Int64.random(in: 1_600_000_000...1_600_000_050, using: &random))
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
}
