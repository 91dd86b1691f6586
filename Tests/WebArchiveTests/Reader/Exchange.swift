// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import WebArchive

/// What a test gives to a writer, and what it therefore expects of a reader.
struct Exchange {
    var request: ArchiveRequest
    /// The canonical URL, as the test knows it.
    var key: String
    var requestBody: [UInt8]?
    var answer: ArchiveAnswer?
    /// The answer that a reader gives: with what the writer took from header fields.
    var expectedAnswer: ArchiveAnswer?
    var body: [UInt8]?
    var time: ArchiveTime?
    var expectedTime: ArchiveTime?
    var role = ArchiveEntry.Role.exchange
    /// What the `Last-Modified` field says.
    var lastModified: ArchiveTime?

    /// A `GET` that was answered as given, with nothing left to be taken from header fields.
    init(_ url: String, answer: ArchiveAnswer? = ArchiveAnswer(), body: [UInt8]? = nil, time: ArchiveTime? = nil) {
        request = ArchiveRequest(url: url)
        key = url
        self.answer = answer
        expectedAnswer = answer
        self.body = body
        self.time = time
        expectedTime = time
    }

    var requestDigest: ContentDigest? { requestBody.map { ContentDigest(of: $0) } }

    func write(to writer: ArchiveWriter, stream: Int? = nil) throws {
        func store(_ body: [UInt8]?) throws -> ArchiveWriter.BodyReference? {
            guard let body else { return nil }
            guard let stream else { return try writer.addBody(body) }
            let target = try writer.beginBody()
            for start in Swift.stride(from: 0, to: body.count, by: stream) {
                try target.write(Array(body[start..<min(start + stream, body.count)]))
            }
            return try target.finish()
        }
        try writer.add(
            request, requestBody: store(requestBody), answer: answer, body: store(body), time: time, role: role)
    }

    /// In what an entry differs; throws what reading it throws.
    func differences(from entry: ArchiveEntry) throws(ArchiveError) -> [String] {
        var found: [String] = []
        func check(_ isSame: Bool, _ what: String) { if !isSame { found.append("\(key): \(what)") } }
        check(try entry.key == key, "key")
        check(try entry.keyBytes == Array(key.utf8), "key bytes")
        check(try entry.request == request, "request")
        check(try entry.method == request.method, "method")
        check(try entry.time == expectedTime, "time")
        check(try entry.role == role, "role")
        check(try entry.requestBody?.bytes() == requestBody, "request body")
        check(try entry.answer == expectedAnswer, "answer")
        check(try entry.modified == expectedAnswer?.modified, "modified")
        check(try entry.kind == expectedAnswer.map { $0.isRedirect ? .redirect : .response }, "kind")
        let stored = try entry.body
        check(stored?.length == body.map { UInt64($0.count) }, "length of the body")
        check(try stored?.bytes() == body, "body")
        check(stored?.digest == body.map { ContentDigest(of: $0) }, "digest")
        return found
    }
}

/// Several commits of exchanges, and the order in which a reader gives them: specification sections 8.2 and 8.5.
struct Commits {
    let commits: [[Exchange]]
    /// Newest commit first, those of a commit in the order of its rows.
    private let rows: [Exchange]

    init(_ commits: [[Exchange]]) {
        self.commits = commits
        rows = commits.reversed().flatMap(Self.sorted)
    }

    private static func sorted(_ exchanges: [Exchange]) -> [Exchange] {
        let rows = exchanges.enumerated().map { number, exchange in
            let parts = [
                Array(exchange.key.utf8), Array(exchange.request.method.utf8), exchange.requestDigest?.bytes ?? [],
            ]
            return (parts: parts, time: exchange.expectedTime?.nanoseconds ?? 0, number: number)
        }
        let order = rows.sorted { left, right in
            for (a, b) in zip(left.parts, right.parts) where a != b { return a.lexicographicallyPrecedes(b) }
            return left.time != right.time ? left.time > right.time : left.number > right.number
        }
        return order.map { exchanges[$0.number] }
    }

    /// All of them by key, newest commit first.
    func listing(prefix: String = "") -> [Exchange] {
        let found = rows.enumerated().filter { $0.element.key.utf8.starts(with: prefix.utf8) }
        let order = found.sorted { left, right in
            let (a, b) = (left.element.key.utf8, right.element.key.utf8)
            return a.elementsEqual(b) ? left.offset < right.offset : a.lexicographicallyPrecedes(b)
        }
        return order.map(\.element)
    }

    /// The answers to a request, newest first.
    func captures(_ key: String, _ method: String, _ digest: ContentDigest?) -> [Exchange] {
        let found = rows.enumerated().filter { _, exchange in
            exchange.key == key && exchange.request.method == method && exchange.requestDigest == digest
                && exchange.role != .unpackOnly
        }
        let order = found.sorted { left, right in
            let (a, b) = (left.element.expectedTime?.nanoseconds ?? 0, right.element.expectedTime?.nanoseconds ?? 0)
            return a != b ? a > b : left.offset < right.offset
        }
        return order.map(\.element)
    }

    /// In what an archive differs from what was written.
    func differences(from reader: ArchiveReader) throws(ArchiveError) -> [String] {
        let expected = listing()
        let entries = try reader.entries()
        guard entries.count == expected.count else { return ["\(entries.count) entries instead of \(expected.count)"] }
        var found: [String] = []
        for (exchange, entry) in zip(expected, entries) { found += try exchange.differences(from: entry) }
        return found
    }
}

extension TemporaryFolder {
    /// Writes a new archive, or appends a commit.
    @discardableResult
    func archive(
        _ exchanges: [Exchange], in name: String = "a.webarc", blockExponent: UInt8 = 12, appending: Bool = false
    ) throws -> FilePath {
        let options = ArchiveWriter.Options(blockExponent: blockExponent)
        let writer =
            try appending
            ? ArchiveWriter(appendingTo: path(name), options: options)
            : ArchiveWriter(creating: path(name), options: options)
        for exchange in exchanges { try exchange.write(to: writer) }
        try writer.commit()
        return path(name)
    }
}
