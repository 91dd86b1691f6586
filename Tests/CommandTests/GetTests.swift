// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite struct GetTests {
    private let folder: TemporaryFolder
    private let server: HTTPTestServer
    private let file: String

    /// An archive with one old response, of a server that has a newer one.
    init() throws {
        folder = try TemporaryFolder()
        server = try HTTPTestServer()
        server["/page"] = .text("new")
        server["/other"] = .text("other")
        let path = folder.path("site.webarc")
        file = path.string
        let writer = try ArchiveWriter(creating: path)
        try writer.add(
            ArchiveRequest(url: server.url("/page").absoluteString),
            response: ArchiveResponse(
                headers: ["Content-Type": "text/plain", "Cache-Control": "max-age=60", "ETag": "\"1\""]),
            body: writer.addBody(Array("old".utf8)),
            time: ArchiveTime(seconds: Int64(Date().timeIntervalSince1970) - 3600))
        try writer.commit()
    }

    private func get(_ path: String, _ arguments: String...) throws -> ExternalTool.Result {
        try WebarcTool.run(["get", server.url(path).absoluteString, file] + arguments)
    }

    @Test(
        arguments: [
            ("archive-only", "old", "from the archive", 0...0), ("archive-first", "old", "from the archive", 0...0),
            ("network-first", "new", "from the network", 1...1), ("network-only", "new", "from the network", 1...1),
            ("http", "new", "from the network", 1...1),
            // The program may have ended before its refresh, which nothing keeps, has begun.
            ("stale-while-revalidate", "old", "from the archive, stale", 0...1),
        ])
    func aPolicyDecidesWhereTheResponseComesFrom(
        _ policy: String, _ body: String, _ source: String, _ requests: ClosedRange<Int>
    ) throws {
        let before = try folder.read("site.webarc")
        let result = try get("/page", "--policy", policy)
        #expect(result.status == 0 && result.text == body)
        #expect(result.errorText == "webarc: \(server.url("/page").absoluteString): 200, \(source)\n")
        #expect(requests.contains(server.requests.count))
        #expect(try folder.read("site.webarc") == before)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(files == ["site.webarc"])
    }

    @Test(
        arguments: [
            ("archive-only", "old"), ("archive-first", "old"), ("network-first", "old"), ("http", "old"),
            ("stale-while-revalidate", "old"), ("network-only", nil),
        ])
    func withoutANetworkTheStoredResponseIsServedIfThePolicyPermitsIt(_ policy: String, _ body: String?)
        throws
    {
        let result = try get("/page", "--policy", policy, "--offline")
        #expect(result.status == (body == nil ? 1 : 0) && result.text == (body ?? ""), "\(result.errorText)")
        let missing = try get("/other", "--policy", policy, "--offline")
        #expect(missing.status == 1 && missing.output.isEmpty && missing.errorLines.count == 1, "\(missing.errorText)")
        #expect(server.requests.isEmpty)
    }

    @Test func aMissingServerEndsWith69OrServesTheStoredResponse() throws {
        server.stop()
        let first = try get("/page", "--policy", "network-first")
        #expect(first.status == 0 && first.text == "old" && first.errorText.hasSuffix("from the archive, stale\n"))
        let only = try get("/page", "--policy", "network-only")
        #expect(only.status == 69 && only.output.isEmpty && only.errorLines.count == 1, "\(only.errorText)")
    }

    @Test func recordingKeepsLoadedResponses() throws {
        let result = try get("/other", "--record")
        #expect(
            result.text == "other" && result.errorText.hasSuffix("200, from the network, stored\n"),
            "\(result.errorText)")
        server["/secret"] = HTTPTestResponse.text("secret").field("Cache-Control", "no-store")
        let secret = try get("/secret", "--record").errorText
        #expect(
            secret.contains("200, from the network, not stored: the response has Cache-Control: no-store"), "\(secret)")
        server.stop()
        #expect(try get("/other", "--offline").text == "other")
        #expect(try get("/page", "--offline").text == "old")
    }

    @Test(arguments: [[], ["--record"]])
    func aBodyBeyondMaxSizeEndsItsLoad(_ options: [String]) throws {
        server["/long"] = HTTPTestResponse.generated(5000).with { $0.gate = HTTPTestGate() }
        let url = server.url("/long").absoluteString
        let result = try WebarcTool.run(["get", url, file, "--max-size", "4K"] + options)
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(
            result.errorLines == ["webarc: \(url): the body exceeds 4096 bytes; raise the limit with --max-size"])
    }

    @Test func aConfirmedResponseKeepsItsBodyAndIsFreshAgain() throws {
        server["/page"] = HTTPTestResponse.text("never sent").field("ETag", "\"1\"").field(
            "Cache-Control", "max-age=60")
        let result = try get("/page", "--policy", "http", "--record")
        #expect(result.text == "old" && result.errorText.hasSuffix("200, from the archive, validated by the server\n"))
        #expect(try get("/page", "--policy", "http").errorText.hasSuffix("200, from the archive\n"))
        #expect(server.requests.map { $0.fields["If-None-Match"] } == ["\"1\""])
    }

    @Test func agesDecideAboutStaleWhileRevalidateAndTheRefreshIsNotLost() throws {
        let policy = ["--policy", "stale-while-revalidate"]
        func get(_ ages: String...) throws -> String {
            let result = try WebarcTool.run(
                ["get", server.url("/page").absoluteString, file, "--record"] + policy + ages)
            return "\(result.text): \(result.errorLines.first?.split(separator: ", ").last ?? "")"
        }
        #expect(try get("--fresh-for", "2h") == "old: from the archive")
        #expect(server.requests.isEmpty)
        // The stored response is an hour old.
        #expect(try get("--fresh-for", "1m", "--expires-after", "1d") == "old: stale")
        #expect(server.requests.count == 1)
        #expect(try get() == "new: from the archive")
        #expect(try get("--fresh-for", "0", "--expires-after", "0s") == "new: stored")
        #expect(server.requests.count == 2)
    }

    @Test func theHeadAndAFileInsteadOfTheBody() throws {
        let head = try get("/page", "--offline", "--head", "--quiet")
        #expect(head.lines.first == "200" && head.lines.contains("Content-Length: 3") && head.errorText.isEmpty)
        let out = folder.path("out").string
        let result = try get("/page", "--offline", "-o", out)
        #expect(result.output.isEmpty && result.status == 0)
        #expect(try folder.read("out") == Array("old".utf8))
        let over = try get("/page", "--offline", "-o", file)
        #expect(over.status == 73 && over.errorLines.last?.contains("an archive exists at this path") == true)
        #expect(try get("/page", "--offline").text == "old")
    }

    @Test func eachRedirectReportsItsSource() throws {
        server["/old"] = .redirect(301, to: "/page")
        let result = try get("/old", "--record")
        #expect(result.text == "old")
        #expect(
            result.errorLines == [
                "webarc: \(server.url("/old").absoluteString): 301, from the network, stored",
                "webarc: \(server.url("/page").absoluteString): 200, from the archive",
            ])
        server["/loop"] = .redirect(302, to: "/loop")
        let loop = try get("/loop")
        #expect(loop.status == 69 && loop.errorText.contains("redirects"), "\(loop.errorText)")
    }
}
