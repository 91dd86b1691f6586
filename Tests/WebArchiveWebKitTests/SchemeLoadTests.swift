// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive
import WebArchiveReplay

@testable import WebArchiveWebKit

@Suite struct SchemeLoadTests {
    private static let page = ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"]

    private struct Loaded {
        let head: SchemeLoad.Head
        let pieces: [Data]

        var content: [UInt8] { pieces.flatMap { $0 } }
        var text: String { String(decoding: content, as: UTF8.self) }
    }

    private func load(
        _ url: String, of sample: ReplaySample, method: String = "GET", fields: [String: String] = [:],
        body: Data? = nil
    ) async throws -> Loaded {
        let url = try #require(URL(string: url))
        let responder = try sample.responder()
        let load = try #require(
            SchemeLoad(responder, method: method, url: url, fields: fields, body: body))
        let head = await load.start()
        var pieces: [Data] = []
        while let piece = try await load.next() { pieces.append(piece) }
        return Loaded(head: head, pieces: pieces)
    }

    @Test func aPageHasItsStatusFieldsAndContent() async throws {
        let loaded = try await load("webarc-https://site.example/", of: try ReplaySample(), fields: Self.page)
        #expect(loaded.head.status == 200)
        #expect(loaded.head.fields["Content-Type"] == "text/html")
        #expect(loaded.head.fields["Content-Length"] == String(ReplaySample.page.count))
        #expect(loaded.content == ReplaySample.page)
    }

    @Test func aLongBodyComesInPieces() async throws {
        let loaded = try await load("webarc-https://site.example/film.webm", of: try ReplaySample())
        #expect(loaded.pieces.count > 1)
        #expect(loaded.content == ReplaySample.film)
    }

    @Test func aRangeIsAnsweredWithItsBytesOnly() async throws {
        let loaded = try await load(
            "webarc-https://site.example/film.webm", of: try ReplaySample(), fields: ["Range": "bytes=600000-600009"])
        #expect(loaded.head.status == 206)
        #expect(loaded.head.fields["Content-Range"] == "bytes 600000-600009/700000")
        #expect(loaded.content == Array(ReplaySample.film[600_000...600_009]))
    }

    @Test func aPageIsRedirectedByAPageThatLeadsOn() async throws {
        let loaded = try await load("webarc-https://site.example/old", of: try ReplaySample(), fields: Self.page)
        #expect(loaded.head.status == 200)
        #expect(loaded.text.contains(#"content="0;url=webarc-https://site.example/index.html#top""#))
        #expect(loaded.head.fields["Content-Length"] == String(loaded.content.count))
    }

    /// Text of an archive does not end the attribute in which it stands.
    @Test func aRedirectIsNoMarkup() async throws {
        let target = #"mailto:a@site.example#"><script>alert(1)</script>"#
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/go"),
                response: ArchiveResponse(status: 302, headers: ["Location": target], redirectTarget: target))
        }
        let loaded = try await load("webarc-https://site.example/go", of: sample, fields: Self.page)
        #expect(!loaded.text.contains("<script>"))
    }

    @Test func anythingElseFollowsItsRedirects() async throws {
        let sample = try ReplaySample { writer in
            for (name, target) in [("one.css", "two.css"), ("two.css", "https://site.example/style.css")] {
                try writer.add(
                    ArchiveRequest(url: "https://site.example/\(name)"),
                    response: ArchiveResponse(status: 302, headers: ["Location": target], redirectTarget: target))
            }
        }
        let loaded = try await load(
            "webarc-https://site.example/one.css", of: sample, fields: ["Accept": "text/css,*/*;q=0.1"])
        #expect(loaded.head.status == 200)
        #expect(loaded.content == ReplaySample.style)
    }

    @Test func redirectsInACircleEnd() async throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/circle"),
                response: ArchiveResponse(status: 302, headers: ["Location": "circle"], redirectTarget: "circle"))
        }
        #expect(try await load("webarc-https://site.example/circle", of: sample).head.status == 302)
    }

    @Test func aRequestIsFoundByItsBody() async throws {
        let query = Data(#"{"q":1}"#.utf8)
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(method: "POST", url: "https://site.example/api"),
                requestBody: writer.addBody(Array(query)),
                response: ArchiveResponse(headers: ["Content-Type": "application/json"]), body: writer.addBody([0x31]))
        }
        let url = "webarc-https://site.example/api"
        #expect(try await load(url, of: sample, method: "POST", body: query).content == [0x31])
        #expect(try await load(url, of: sample, method: "POST", body: Data("{}".utf8)).head.status != 200)
    }

    @Test func fieldsOfOneNameAreJoined() async throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/links"),
                response: ArchiveResponse(
                    headers: HeaderFields([
                        HeaderField(name: "Link", value: "</a>; rel=next"),
                        HeaderField(name: "Link", value: "</b>; rel=prev"),
                    ])), body: writer.addBody([1]))
        }
        let loaded = try await load("webarc-https://site.example/links", of: sample)
        #expect(loaded.head.fields["Link"] == "</a>; rel=next, </b>; rel=prev")
    }

    @Test func aURLThatIsNotInTheArchiveIsAnErrorOfItsOwn() async throws {
        let loaded = try await load("webarc-https://nowhere.example/", of: try ReplaySample(), fields: Self.page)
        #expect(loaded.head.status == 504)
        #expect(!loaded.content.isEmpty)
    }

    @Test(arguments: ["https://site.example/", "file:///etc/passwd"])
    func urlsOfOtherSchemesAreRefused(text: String) throws {
        let url = try #require(URL(string: text))
        let responder = try ReplaySample().responder()
        #expect(SchemeLoad(responder, method: "GET", url: url, fields: [:], body: nil) == nil)
    }
}
