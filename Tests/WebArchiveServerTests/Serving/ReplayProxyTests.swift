// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveServer

/// As a proxy, with curl as the client that trusts the device's authority.
@Suite struct ReplayProxyTests {
    private let sample: ReplaySample
    private let server: TestServer
    private let certificate: String

    init() throws {
        sample = try ReplaySample { writer in
            try ReplaySample.add("http://plain.example:81/", "text/plain", Array("plain".utf8), writer)
            for time in Self.times {
                try writer.add(
                    ArchiveRequest(url: "https://site.example/dated"),
                    response: ArchiveResponse(headers: ["Cache-Control": "max-age=600"]),
                    body: writer.addBody(Array(time.text.utf8)), time: ArchiveTime(seconds: time.seconds))
            }
            for (name, length) in Self.fieldLengths {
                try writer.add(
                    ArchiveRequest(url: "https://site.example/\(name)"),
                    response: ArchiveResponse(headers: ["X-Long": String(repeating: "x", count: length)]),
                    body: writer.addBody(Array(name.utf8)))
            }
        }
        let authority = try DeviceAuthority(hosts: ["site.example", "cdn.example"], device: "test", now: Date())
        try authority.write(to: sample.folder.path("ca"))
        certificate = sample.folder.path("ca").appending(DeviceAuthority.certificateName).string
        server = try TestServer([sample.path]) { $0.authority = authority }
    }

    private func proxied(_ arguments: String...) throws -> ExternalTool.Result {
        try proxied(arguments: arguments)
    }

    private func proxied(arguments: [String]) throws -> ExternalTool.Result {
        try ExternalTool.run(
            [
                "curl", "--silent", "--show-error", "--max-time", "60", "--proxy", "http://127.0.0.1:\(server.port)",
                "--noproxy", "", "--cacert", certificate,
            ] + arguments)
    }

    @Test func pagesAtTheirOwnOrigins() throws {
        #expect(try proxied("https://site.example/").output == Data(ReplaySample.page))
        #expect(try proxied("https://cdn.example/font.woff2").output == Data([1, 2, 3]))
        #expect(try proxied("http://plain.example:81/").text == "plain")
        #expect(try proxied("https://site.example/film.webm").output == Data(ReplaySample.film))
        // HTTP for HTTPS is a rule of matching.
        #expect(try proxied("http://site.example/style.css").output == Data(ReplaySample.style))
    }

    private static let times: [(seconds: Int64, text: String)] = [
        (1_577_836_800, "Wed, 01 Jan 2020 00:00:00 GMT"), (1_640_995_200, "Sat, 01 Jan 2022 00:00:00 GMT"),
    ]

    /// RFC 7089, with the program that others use.
    @Test(arguments: ["--http2", "--http1.1"]) func captureOfATime(_ version: String) throws {
        func response(_ asked: String?) throws -> String {
            try proxied(
                arguments: [
                    version, "--write-out", " %{http_code} %header{memento-datetime} %header{vary} %header{link}",
                    "https://site.example/dated",
                ] + (asked.map { ["--header", "Accept-Datetime: \($0)"] } ?? [])
            ).text
        }
        let fields = "accept-datetime <https://site.example/dated>; rel=\"original timegate\""
        for (asked, time) in [
            (nil, Self.times[1]), ("Thu, 31 May 2007 20:35:00 GMT", Self.times[0]), (Self.times[1].text, Self.times[1]),
        ] {
            #expect(try response(asked) == "\(time.text) 200 \(time.text) \(fields)")
        }
        #expect(try response("yesterday").contains(" 400  Accept-Language, \(fields)"))
        let other = try proxied(
            "--write-out", "%header{memento-datetime}%header{vary}", "https://site.example/style.css")
        #expect(other.output == Data(ReplaySample.style))
    }

    @Test(arguments: [("--http2", "2"), ("--http1.1", "1.1")])
    func bothVersions(_ option: String, _ version: String) throws {
        let response = try proxied(
            option, "--write-out", " %{http_version} %{http_code}", "--range", "699000-",
            "https://site.example/film.webm",
            "--output", "/dev/null")
        #expect(response.text == " \(version) 206")
    }

    @Test(arguments: ["--http2", "--http1.1"], [(150, "200"), (200, "431")])
    func fieldsOfARequest(_ version: String, _ fields: (count: Int, status: String)) throws {
        let headers = (0..<fields.count).flatMap { ["--header", "x\($0): 1"] }
        let response = try proxied(
            arguments: [version, "--write-out", "%{http_code}", "--output", "/dev/null", "https://site.example/short"]
                + headers)
        #expect(response.text == fields.status, "\(response.errorText)")
    }

    private static let fieldLengths = ["short": 15_000, "long": 20_000, "longest": 90_000]

    /// A head that fits no frame of HTTP/2 comes over HTTP/1.1, and the responses after it are whole.
    @Test func fieldsLongerThanAFrame() throws {
        let names = ["short", "long", "style.css", "longest", "short", "style.css"]
        let response = try proxied(
            arguments: ["--http2", "--write-out", " %{http_code} %{http_version} %header{x-long}\n"]
                + names.map { "https://site.example/\($0)" })
        let lines = response.text.replacing(String(decoding: ReplaySample.style, as: UTF8.self), with: "style.css")
            .split(separator: "\n", omittingEmptySubsequences: true)
        try #require(lines.count == names.count, "\(response.errorText)")
        for (name, line) in zip(names, lines) {
            let length = Self.fieldLengths[name] ?? 0
            let field = String(repeating: "x", count: length)
            // curl may go on over HTTP/1.1 for the rest.
            let versions = length > 16_384 ? ["1.1"] : ["2", "1.1"]
            let expected = versions.map { "\(name) 200 \($0) \(field)" }
            #expect(expected.contains(String(line)), "\(name): \(line.prefix(100))")
        }
        #expect(lines[0].hasPrefix("short 200 2"))
    }

    /// Several streams at once on one connection.
    @Test func manyStreams() throws {
        let folder = sample.folder.path("out").string
        let urls = (0..<30).flatMap { ["https://site.example/film.webm", "--output", "\(folder)/\($0)"] }
        let response = try ExternalTool.run(
            [
                "curl", "--silent", "--show-error", "--parallel", "--create-dirs", "--max-time", "60", "--http2",
                "--proxy",
                "http://127.0.0.1:\(server.port)", "--noproxy", "", "--cacert", certificate, "--write-out",
                "%{http_code}\n",
            ] + urls)
        #expect(response.text.split(separator: "\n") == Array(repeating: "200", count: 30))
        for number in 0..<30 { #expect(try sample.folder.read("out/\(number)") == ReplaySample.film) }
    }

    @Test func nothingIsForwarded() throws {
        for url in ["http://127.0.0.1:\(server.port)/", "http://nowhere.example/", "https://site.example/none"] {
            let response = try proxied("--write-out", "%{http_code}", url)
            #expect(response.text.hasSuffix("504"), "\(url)")
            #expect(response.text.contains("nothing is ever fetched from the network"))
        }
        #expect(server.service.misses.all.map(\.url).contains("https://site.example/none"))
    }

    /// RFC 5280 section 4.2.1.10: the authority's own certificate forbids what it is not for.
    @Test func otherHostsAreNotTrusted() throws {
        let response = try proxied("https://bank.example/")
        #expect(response.status == 60, "curl's code for a certificate that does not verify: \(response.errorText)")
        #expect(response.output.isEmpty)
        // The end of the handshake may come to the server after curl has ended.
        #expect(waits { server.service.counters[.missing] > 0 })
        #expect(server.service.misses.all.map(\.url) == ["https://bank.example/"])
        #expect(server.service.counters[.missing] == 1)
    }

    /// The authority does not even sign for other hosts, for a client that would not look at the constraints.
    @Test(arguments: ["bank.example", "www.site.example"])
    func otherHostsAreNotSignedFor(_ host: String) throws {
        let script = """
            openssl s_client -proxy 127.0.0.1:\(server.port) -connect \(host):443 -servername \(host) </dev/null 2>/dev/null \
            | openssl x509 >'\(sample.folder.path("leaf").string)'
            openssl verify -CAfile '\(certificate)' '\(sample.folder.path("leaf").string)'
            """
        let verified = try ExternalTool.run(["sh", "-c", script])
        #expect(verified.errorText.contains("unable to get local issuer certificate"), "\(verified.errorText)")
    }

    @Test(arguments: [
        "site.example", "site.example:", "site.example:99999", ":443", "http://a:443", "a b:443", "[::1:443",
    ])
    func malformedTargets(_ target: String) throws {
        let response = try server.exchange("CONNECT \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(response.isEmpty || response.hasPrefix("HTTP/1.1 400 "), "\(response)")
        #expect(try server.curl(server.url("/style.css")).output == Data(ReplaySample.style))
    }

    /// RFC 9110 section 9.3.6: neither a length nor a transfer coding.
    @Test func theAnswerToCONNECT() throws {
        let client = try RawClient(port: server.port)
        client.send("CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n\r\n")
        #expect(try client.receive { $0.hasSuffix("\r\n\r\n") } == "HTTP/1.1 200 OK\r\n\r\n")
    }

    /// Bytes other than TLS end the tunnel, and nothing else.
    @Test func noiseInATunnel() throws {
        let client = try RawClient(port: server.port)
        client.send("CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n\r\n")
        #expect(try client.receive { $0.hasSuffix("\r\n\r\n") }.hasPrefix("HTTP/1.1 200 "))
        client.send("GET / HTTP/1.1\r\nHost: site.example\r\n\r\n")
        _ = try client.receiveAll()
        #expect(try proxied("https://site.example/style.css").output == Data(ReplaySample.style))
    }

    /// Without the proxy's form of a request, it is a server like others; through it, it has no pages of its own.
    @Test func directRequests() throws {
        #expect(try server.curl(server.url("/style.css")).output == Data(ReplaySample.style))
        #expect(try server.curl(server.url("/-/health")).text == "ok\n")
        #expect(
            try proxied("--write-out", "%{http_code}", "--output", "/dev/null", "https://site.example/-/health").text
                == "504")
    }
}
