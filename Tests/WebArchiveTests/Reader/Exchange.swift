// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport

@testable import WebArchive

/// The content that a test passes to a writer, and expects from a reader.
struct Exchange {
    var request: ArchiveRequest
    /// The canonical URL, as the test knows it.
    var key: String
    var requestBody: [UInt8]?
    var response: ArchiveResponse?
    /// The response that a reader gives: with what the writer took from header fields.
    var expectedResponse: ArchiveResponse?
    var body: [UInt8]?
    var time: ArchiveTime?
    var expectedTime: ArchiveTime?
    var role = ArchiveEntry.Role.exchange
    /// The time of the `Last-Modified` field.
    var lastModified: ArchiveTime?

    /// A `GET` that was answered as given, with nothing left to be taken from header fields.
    init(_ url: String, response: ArchiveResponse? = ArchiveResponse(), body: [UInt8]? = nil, time: ArchiveTime? = nil)
    {
        request = ArchiveRequest(url: url)
        key = url
        self.response = response
        expectedResponse = response
        self.body = body
        self.time = time
        expectedTime = time
    }

    var requestDigest: ContentDigest? { requestBody.map { ContentDigest(hashing: $0) } }

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
            request, requestBody: store(requestBody), response: response, body: store(body), time: time, role: role)
    }

    /// The values of an entry that differ from the written ones, and the errors of reading it.
    struct Outcome {
        var differences: [String] = []
        var errors: [ArchiveError] = []

        fileprivate mutating func check(_ what: String, _ isSame: () throws(ArchiveError) -> Bool) {
            do throws(ArchiveError) {
                if try !isSame() { differences.append(what) }
            } catch {
                errors.append(error)
            }
        }
    }

    /// Reads every part of an entry, whatever becomes of the others.
    func outcome(of entry: ArchiveEntry) -> Outcome {
        var outcome = Outcome()
        outcome.check("\(key): key") { () throws(ArchiveError) in try entry.key == key }
        outcome.check("\(key): key bytes") { () throws(ArchiveError) in try entry.keyBytes == Array(key.utf8) }
        outcome.check("\(key): request") { () throws(ArchiveError) in try entry.request == request }
        outcome.check("\(key): method") { () throws(ArchiveError) in try entry.method == request.method }
        outcome.check("\(key): time") { () throws(ArchiveError) in try entry.time == expectedTime }
        outcome.check("\(key): role") { () throws(ArchiveError) in try entry.role == role }
        outcome.check("\(key): answer") { () throws(ArchiveError) in try entry.response == expectedResponse }
        outcome.check("\(key): modified") { () throws(ArchiveError) in try entry.modified == expectedResponse?.modified
        }
        outcome.check("\(key): kind") { () throws(ArchiveError) in
            try entry.kind == expectedResponse.map { $0.isRedirect ? .redirect : .response }
        }
        outcome.check("\(key): request body") { () throws(ArchiveError) in
            try Self.isSame(entry.requestBody, requestBody)
        }
        outcome.check("\(key): body") { () throws(ArchiveError) in try Self.isSame(entry.body, body) }
        return outcome
    }

    private static func isSame(_ stored: ArchiveBody?, _ expected: [UInt8]?) throws(ArchiveError) -> Bool {
        guard let stored, let expected else { return (stored == nil) == (expected == nil) }
        guard stored.length == UInt64(expected.count), stored.digest == ContentDigest(hashing: expected) else {
            return false
        }
        // Without the standard library's comparison, which takes its time in debug builds.
        let bytes = try stored.bytes()
        return bytes.count == expected.count && memcmp(bytes, expected, bytes.count) == 0
    }

    /// In what an entry differs; throws the first error.
    func differences(from entry: ArchiveEntry) throws(ArchiveError) -> [String] {
        let outcome = outcome(of: entry)
        if let error = outcome.errors.first { throw error }
        return outcome.differences
    }
}

/// Several commits of exchanges, and the order in which a reader gives them: specification sections 8.2 and 8.5.
struct Commits {
    let commits: [[Exchange]]
    /// Oldest commit first, those of a commit in the order of its rows.
    let rowsOfCommits: [[Exchange]]
    /// Newest commit first.
    private let rows: [Exchange]

    init(_ commits: [[Exchange]]) {
        self.commits = commits
        rowsOfCommits = commits.map(Self.sorted)
        rows = Array(rowsOfCommits.reversed().joined())
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

    /// The responses to a request, newest first.
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
