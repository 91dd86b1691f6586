// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// The choice of the entry for a request: specification section 8.5.
@Suite struct ArchiveReaderLookupTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// An exchange that can be recognized by its reason phrase.
    private func exchange(
        _ name: String, _ url: String = "http://a/", time: Int64? = nil, method: String = "GET", body: [UInt8]? = nil,
        role: ArchiveEntry.Role = .exchange
    ) -> Exchange {
        var exchange = Exchange(
            url, response: ArchiveResponse(reason: name), time: time.flatMap { ArchiveTime(seconds: $0) })
        exchange.request.method = method
        exchange.requestBody = body
        exchange.role = role
        return exchange
    }

    private func names(
        _ reader: ArchiveReader, _ url: String = "http://a/", method: String = "GET", body: [UInt8]? = nil
    ) throws -> [String] {
        let captures = try reader.captures(
            of: CanonicalURL(url), method: method, bodyDigest: body.map { ContentDigest(hashing: $0) })
        let newest = try reader.entry(
            for: CanonicalURL(url), method: method, bodyDigest: body.map { ContentDigest(hashing: $0) })
        let names = try captures.map { try $0.response?.reason ?? "" }
        #expect(try newest?.response?.reason == names.first)
        return names
    }

    @Test func newestFirstWithinACommit() throws {
        let reader = try ArchiveReader(
            path: folder.archive([
                exchange("5", time: 5), exchange("9", time: 9), exchange("unknown, first"), exchange("-3", time: -3),
                exchange("7", time: 7), exchange("9, later", time: 9), exchange("unknown, second"),
            ]))
        #expect(try names(reader) == ["9, later", "9", "7", "5", "unknown, second", "unknown, first", "-3"])
    }

    @Test func newestFirstOverCommits() throws {
        try folder.archive([exchange("0: 5", time: 5), exchange("0: 9", time: 9), exchange("0")])
        try folder.archive([exchange("1: 7", time: 7), exchange("1: 9", time: 9), exchange("1")], appending: true)
        try folder.archive([exchange("2: 1", time: 1), exchange("2: 8", time: 8)], appending: true)
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        #expect(try names(reader) == ["1: 9", "0: 9", "2: 8", "1: 7", "0: 5", "2: 1", "1", "0"])
    }

    @Test func methodAndBodyDecide() throws {
        let exchanges = [
            exchange("get"), exchange("head", method: "HEAD"), exchange("lower", method: "get"),
            exchange("post", method: "POST"), exchange("post 1", method: "POST", body: [1]),
            exchange("post 2", method: "POST", body: [2]), exchange("post empty", method: "POST", body: []),
            exchange("get 1", body: [1]),
        ]
        for (appending, commits) in [(false, [exchanges]), (true, [Array(exchanges[..<4]), Array(exchanges[4...])])] {
            for (number, commit) in commits.enumerated() { try folder.archive(commit, appending: number > 0) }
            let reader = try ArchiveReader(path: folder.path("a.webarc"))
            #expect(reader.commitCount == (appending ? 2 : 1))
            #expect(try names(reader) == ["get"])
            #expect(try names(reader, method: "HEAD") == ["head"])
            #expect(try names(reader, method: "get") == ["lower"])
            #expect(try names(reader, method: "POST") == ["post"])
            #expect(try names(reader, method: "POST", body: [1]) == ["post 1"])
            #expect(try names(reader, method: "POST", body: [2]) == ["post 2"])
            #expect(try names(reader, method: "POST", body: []) == ["post empty"])
            #expect(try names(reader, body: [1]) == ["get 1"])
            #expect(try names(reader, body: [3]).isEmpty)
            #expect(try names(reader, method: "PUT").isEmpty)
        }
    }

    @Test func whatIsKeptForUnpackingIsNotAnswered() throws {
        let reader = try ArchiveReader(
            path: folder.archive([
                exchange("rules", time: 9, role: .unpackOnly), exchange("alias", time: 5, role: .alias),
                exchange("own", time: 3), exchange("only rules", "http://b/", role: .unpackOnly),
            ]))
        #expect(try names(reader) == ["alias", "own"])
        #expect(try names(reader, "http://b/").isEmpty)
        #expect(try reader.entries().count == 4)
    }

    @Test(
        arguments: [(0, true), (1, true), (2, false), (3, false), (-1, false), (.max, false)] as [(Int64, Bool)])
    func aRoleOfALaterVersionIsNotAnswered(_ role: Int64, _ isServed: Bool) throws {
        // A role that is no default, so that the table lists the key.
        try folder.archive([exchange("x", role: .alias)])
        var surgeon = RowSurgeon(try folder.read("a.webarc"))
        surgeon.set("Entry", "role", to: role)
        #expect(try names(ArchiveReader(bytes: surgeon.bytes)) == (isServed ? ["x"] : []))
    }

    @Test func urlsAsText() throws {
        let reader = try ArchiveReader(path: folder.archive([exchange("x", "http://a/b")]))
        #expect(try reader.entry(for: " HTTP://A:80/c/../%62#f")?.response?.reason == "x")
        #expect(try reader.entry(for: "http://a/") == nil)
    }

    @Test(arguments: ["", "a/b", "http://["])
    func aTextThatIsNoURLIsAnError(_ text: String) throws {
        let reader = try ArchiveReader(path: folder.archive([exchange("x", "http://a/b")]))
        #expect(archiveError { _ = try reader.entry(for: text) }?.code == .invalidArgument)
    }
}
