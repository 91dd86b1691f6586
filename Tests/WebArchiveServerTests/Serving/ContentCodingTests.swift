// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import TestSupport
import Testing
import WebArchive
import WebArchiveReplay

@testable import WebArchiveServer

/// Content codings (RFC 9110 section 8.4.1), decoded by curl.
@Suite struct ContentCodingTests {
    private static let text = (0..<6000).map { "line \($0 % 97) of a text that repeats itself\n" }.joined()

    private let sample: ReplaySample

    init() throws {
        sample = try ReplaySample { writer in
            for (name, type, bytes) in [
                ("long.txt", "text/plain", Array(Self.text.utf8)),
                ("page.html", "text/html", Array(Self.text.prefix(9000).utf8)),
                ("film.mp4", "video/mp4", Array(Self.text.utf8)), ("short.css", "text/css", Array("a{}".utf8)),
                ("coded.svgz", "image/svg+xml", ReplaySample.film),
            ] {
                var headers: HeaderFields = ["Content-Type": type]
                if name.hasSuffix("svgz") { headers.append(name: "Content-Encoding", value: "x-own") }
                try writer.add(
                    ArchiveRequest(url: "https://site.example/\(name)"), response: ArchiveResponse(headers: headers),
                    body: writer.addBody(bytes))
            }
        }
    }

    private func server(_ coding: ReplayService.Options.Coding = .allClients) throws -> TestServer {
        var options = ReplayService.Options()
        options.coding = coding
        return try TestServer([sample.path], options: options)
    }

    /// Status, fields with names in lower case, and the decoded content.
    private func get(
        _ server: TestServer, _ path: String, _ fields: String...
    ) throws -> (status: Int, fields: [String: String], content: Data) {
        let result = try server.curl(
            ["--compressed", "--dump-header", "/dev/stderr"] + fields.flatMap { ["--header", $0] } + [server.url(path)])
        var found: [String: String] = [:]
        let lines = result.errorText.split(whereSeparator: \.isNewline)
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            if parts.count == 2 { found[parts[0].lowercased(), default: ""] += parts[1] }
        }
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return (status, found, result.output)
    }

    @Test(arguments: ["gzip", "zstd"], ["/long.txt", "/page.html"])
    func curlDecodesTheContent(_ coding: String, _ path: String) throws {
        let server = try server()
        let plain = try get(server, path, "Accept-Encoding: identity")
        #expect(plain.fields["content-encoding"] == nil && plain.fields["vary"] == "Accept-Encoding")
        // The second one comes from the cache.
        for _ in 0..<2 {
            let coded = try get(server, path, "Accept-Encoding: \(coding)")
            #expect(coded.fields["content-encoding"] == coding && coded.fields["vary"] == "Accept-Encoding")
            #expect(coded.content == plain.content && !plain.content.isEmpty)
            let length = try #require(coded.fields["content-length"].flatMap { Int($0) })
            #expect(length < plain.content.count / 2)
            #expect(coded.fields["etag"] != plain.fields["etag"])
        }
    }

    @Test(
        arguments: [
            ("gzip;q=0.5, zstd;q=0.2", "gzip"), ("gzip, zstd", "zstd"), ("br, gzip;q=0", nil), ("", nil),
            ("deflate", nil),
            ("GZIP", "gzip"), ("zstd;q=0, gzip;q=0.1", "gzip"), ("identity, *;q=0", nil),
            ("gzip;q=inf", nil), ("gzip, gzip;q=0", nil), ("gzip;q=1.0 , zstd;q=0.999", "gzip"),
        ] as [(String, String?)])
    func theClientsWeightsCount(_ accepted: String, _ coding: String?) throws {
        let found = try get(server(), "/long.txt", "Accept-Encoding: \(accepted)")
        #expect(found.fields["content-encoding"] == coding)
        #expect(found.content == Data(Self.text.utf8))
    }

    @Test(arguments: ["/film.mp4", "/short.css", "/coded.svgz"])
    func otherContentStaysAsItIs(_ path: String) throws {
        let found = try get(server(), path, "Accept-Encoding: gzip")
        #expect(found.fields["content-encoding"] != "gzip")
        #expect(found.fields["vary"] == nil)
    }

    /// The coded bytes are another representation, and a range is one of the bytes as they are.
    @Test func conditionsAndRanges() throws {
        let server = try server()
        let gzip = "Accept-Encoding: gzip"
        let plain = try #require(try get(server, "/long.txt", "Accept-Encoding: identity").fields["etag"])
        let coded = try #require(try get(server, "/long.txt", gzip).fields["etag"])
        let known = try get(server, "/long.txt", gzip, "If-None-Match: \(coded)")
        #expect(known.status == 304 && known.fields["etag"] == coded && known.fields["vary"] == "Accept-Encoding")
        #expect(try get(server, "/long.txt", gzip, "If-None-Match: \(plain)").status == 200)
        #expect(try get(server, "/long.txt", "Accept-Encoding: identity", "If-None-Match: \(coded)").status == 200)
        let range = try get(server, "/long.txt", gzip, "Range: bytes=10-19")
        #expect(range.status == 206 && range.fields["etag"] == plain)
        #expect(range.content == Data(Self.text.utf8.dropFirst(10).prefix(10)))
        let outdated = try get(server, "/long.txt", gzip, "Range: bytes=10-19", "If-Range: \(coded)")
        #expect(outdated.status == 200 && outdated.content == Data(Self.text.utf8))
    }

    @Test func headHasTheLengthOfGet() throws {
        let server = try server()
        let coded = try get(server, "/long.txt", "Accept-Encoding: gzip")
        let head = try server.curl("--head", "--header", "Accept-Encoding: gzip", server.url("/long.txt")).text
        #expect(head.contains("Content-Length: \(coded.fields["content-length"] ?? "none")\r\n"))
        #expect(head.contains("Content-Encoding: gzip\r\n"))
    }

    /// A recorded origin is replayed with the fields that it had.
    @Test func replayedOriginsKeepTheirFields() throws {
        var request = ReplayRequest("https://site.example/long.txt", headerFields: [.acceptEncoding: "gzip"])
        request.mayBeCoded = true
        let response = try sample.responder().respond(to: request)
        #expect(response.field(.contentEncoding) == nil && response.field(.vary) == nil)
        #expect(!response.mustBeRevalidated)
    }

    @Test(arguments: [ReplayService.Options.Coding.remoteClients, .noClients])
    func clientsOnThisMachineGetPlainContent(_ coding: ReplayService.Options.Coding) throws {
        let found = try get(server(coding), "/long.txt", "Accept-Encoding: gzip")
        #expect(found.fields["content-encoding"] == nil && found.fields["vary"] == nil)
    }

    /// Another archive may be at this address tomorrow.
    @Test func browsersAskAgain() throws {
        let server = try server(.noClients)
        for path in ["/long.txt", "/old", "/none"] {
            let control = try get(server, path).fields["cache-control"]
            #expect(control == (path == "/none" ? "no-store" : "no-cache"))
        }
    }
}
