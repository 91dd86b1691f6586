// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing
import WebArchive

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct HTTPTestServerTests {
    private func curl(_ arguments: String..., input: String = "") throws -> ExternalTool.Result {
        try ExternalTool.run(
            ["curl", "--silent", "--show-error", "--max-time", "60"] + arguments, input: Data(input.utf8))
    }

    private func load(_ url: URL) throws -> (data: Data?, response: HTTPURLResponse?, error: (any Error)?) {
        let session = URLSession(configuration: .ephemeral)
        defer { session.finishTasksAndInvalidate() }
        return try BackgroundThread {
            let result = Mutex<(Data?, HTTPURLResponse?, (any Error)?)>((nil, nil, nil))
            let done = DispatchSemaphore(value: 0)
            session.dataTask(with: url) { data, response, error in
                result.withLock { $0 = (data, response as? HTTPURLResponse, error) }
                done.signal()
            }.resume()
            done.wait()
            return result.withLock { $0 }
        }.value()
    }

    @Test func statusReasonFieldsAndBodyAreSentAsTheyStand() throws {
        let server = try HTTPTestServer()
        let fields: HeaderFields = ["x-b": "1", "Set-Cookie": "a=1", "X-A": "2", "set-cookie": "b=2"]
        server["/odd"] = HTTPTestResponse(299, fields, body: HTTPTestBody("body")).with { $0.reason = "Odd Enough" }
        let result = try curl("--include", server.url("/odd?query").absoluteString)
        #expect(
            result.text == "HTTP/1.1 299 Odd Enough\r\nx-b: 1\r\nSet-Cookie: a=1\r\nX-A: 2\r\nset-cookie: b=2\r\n"
                + "Content-Length: 4\r\n\r\nbody")
        #expect(server.requestLines == ["GET /odd?query"])
        server["/odd"] = nil
        #expect(try curl("--write-out", "%{http_code}", server.url("/odd").absoluteString).text.hasSuffix("404"))
    }

    @Test(arguments: [HTTPTestResponse.Framing.contentLength, .chunked, .untilClose])
    func aLongBodyComesWholeWhateverItsFraming(_ framing: HTTPTestResponse.Framing) throws {
        let server = try HTTPTestServer()
        let response = HTTPTestResponse.generated(12_345_678).with { $0.framing = framing }
        server["/"] = response
        let result = try curl(
            "--write-out", "%{stderr}%{http_code} %header{transfer-encoding}", server.url().absoluteString)
        #expect(Array(result.output) == response.body.bytes())
        #expect(result.errorText == (framing == .chunked ? "200 chunked" : "200 "))
        #expect(response.body.bytes(1_000_000..<1_000_010) == Array(response.body.bytes()[1_000_000..<1_000_010]))
    }

    @Test func thePiecesOfABodyComeWhenTheGateLetsThem() throws {
        let server = try HTTPTestServer()
        let gate = HTTPTestGate()
        server["/"] = .pieces(["one", "two"], gate)
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(gate.waitForArrivals())
        #expect(try client.receive { $0.hasSuffix("\r\n\r\n") }.hasSuffix("chunked\r\n\r\n"))
        gate.release()
        #expect(try client.receive { $0.contains("one") } == "3\r\none\r\n")
        #expect(gate.waitForArrivals(2))
        gate.open()
        #expect(try client.receive { $0.hasSuffix("0\r\n\r\n") } == "3\r\ntwo\r\n0\r\n\r\n")
    }

    @Test func status100ContinueIsOptional() throws {
        let server = try HTTPTestServer()
        let gate = HTTPTestGate()
        server["/"] = HTTPTestResponse.text("late").with { $0.headGate = gate }
        var client = Optional(try RawClient(port: server.port))
        client?.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(gate.waitForArrivals())
        client = nil
        #expect(server.waitForConnections())
        gate.release()
        #expect(try curl(server.url().absoluteString).text == "late")
        #expect(server.failures.isEmpty)
    }

    @Test(
        arguments: [
            ("short", 18), ("nothing", 52), ("reset", 56), ("resetAtOnce", 56), ("malformed", 1), ("lie", 18),
            ("chunks", 18),
        ])
    func aConnectionEndsWhereTheTestSays(_ name: String, _ status: Int32) throws {
        let server = try HTTPTestServer()
        let body = HTTPTestResponse.generated(100_000)
        server["/short"] = body.with { $0.cut = .close(after: 50_000) }
        server["/chunks"] = body.with {
            $0.cut = .close(after: 50_000)
            $0.framing = .chunked
        }
        let gate = HTTPTestGate()
        server["/reset"] = body.with {
            $0.cut = .reset(after: 50_000)
            $0.gate = gate
        }
        server["/nothing"] = body.with { $0.cut = .closeBeforeHead }
        server["/resetAtOnce"] = body.with { $0.cut = .resetBeforeHead }
        server["/malformed"] = .raw("HTTP 200 nothing of the kind\r\n\r\n")
        server["/lie"] = body.with { $0.declaredLength = 200_000 }
        gate.open()
        let result = try curl("--output", "-", "--http1.1", server.url("/\(name)").absoluteString)
        #expect(result.status == status, "\(result.errorText)")
        if ["short", "chunks"].contains(name) { #expect(Array(result.output) == body.body.bytes(0..<50_000)) }
        if name == "lie" { #expect(result.output.count == 100_000) }
    }

    @Test func redirectsOfAllKindsLeadOn() throws {
        let server = try HTTPTestServer()
        server.chain("/hop", count: 4, status: 307, to: "end?x")
        server.echo("/hop/end")
        let target = server.url("/hop/1").absoluteString
        let result = try curl("--location", "--data", "a=b", "--write-out", "%{stderr}%{num_redirects}", target)
        let echo = try HTTPTestRequest.Echo(decoding: result.output)
        #expect(echo.method == "POST" && echo.target == "/hop/end?x" && echo.body == Data("a=b".utf8))
        #expect(result.errorText == "4")
        server["/nowhere"] = .redirect(301, to: nil, body: "stay")
        #expect(try curl("--location", server.url("/nowhere").absoluteString).text == "stay")
        server["/loop"] = .redirect(308, to: "/loop")
        #expect(try curl("--location", "--max-redirs", "3", server.url("/loop").absoluteString).status == 47)
    }

    @Test func aValidCachedResponseIsNotSentAgain() throws {
        let server = try HTTPTestServer()
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        server["/"] = HTTPTestResponse.text("body").field("ETag", "\"1\"").field("Last-Modified", date)
        func answer(_ field: String) throws -> String {
            try curl("--write-out", "%{http_code} %header{etag}", "--header", field, server.url().absoluteString).text
        }
        #expect(try answer("If-None-Match: \"0\", W/\"1\"") == "304 \"1\"")
        #expect(try answer("If-None-Match: \"2\"") == "body200 \"1\"")
        #expect(try answer("If-Modified-Since: \(date)") == "304 \"1\"")
        #expect(try answer("If-Modified-Since: Sun, 06 Nov 1994 08:49:38 GMT") == "body200 \"1\"")
    }

    @Test func partsHeadsAndAnswersWithoutABody() throws {
        let server = try HTTPTestServer()
        server["/"] = HTTPTestResponse.text("0123456789").with { $0.hasRanges = true }
        func range(_ range: String) throws -> String {
            try curl(
                "--range", range, "--write-out", "|%{http_code} %header{content-range}", server.url().absoluteString
            ).text
        }
        #expect(try range("2-4") == "234|206 bytes 2-4/10")
        #expect(try range("8-") == "89|206 bytes 8-9/10")
        #expect(try range("-3") == "789|206 bytes 7-9/10")
        #expect(try range("10-") == "|416 bytes */10")
        let head = try curl("--head", server.url().absoluteString).text
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("Content-Length: 10\r\n\r\n"))
        server["/none"] = HTTPTestResponse(204, body: HTTPTestBody("never sent"))
        #expect(try curl("--include", server.url("/none").absoluteString).text == "HTTP/1.1 204 No Content\r\n\r\n")
    }

    @Test(arguments: [0, 1, 65_536, 200_000])
    func compressedBodiesAreWhatTheSessionDecodes(_ count: Int) throws {
        let server = try HTTPTestServer()
        let plain = HTTPTestResponse.generated(count)
        server["/gzip"] = try plain.gzip()
        server["/br"] = plain.brotli()
        for coding in ["gzip", "br"] {
            let (data, response, error) = try load(server.url("/\(coding)"))
            #expect(error == nil && data.map { Array($0) } == plain.body.bytes(), "\(coding)")
            #expect(response?.value(forHTTPHeaderField: "Content-Encoding") == coding)
        }
    }

    @Test func anEchoSaysWhatCame() throws {
        let server = try HTTPTestServer()
        server.echo("/echo")
        let fields = ["--header", "X-One: 1", "--header", "x-one: 2"]
        let tool = ["curl", "--silent", "--request", "PATCH", "--data-binary", "@-"] + fields
        // Long enough for curl to ask whether it may send it.
        var random = SeededGenerator.printed()
        let body = random.text(2_000_000)
        let result = try ExternalTool.run(tool + [server.url("/echo?q=%20").absoluteString], input: Data(body))
        let echo = try HTTPTestRequest.Echo(decoding: result.output)
        #expect(echo.method == "PATCH" && echo.target == "/echo?q=%20" && Array(echo.body) == body)
        #expect(echo.fields.filter { $0[0].lowercased() == "x-one" } == [["X-One", "1"], ["x-one", "2"]])
        let request = try #require(server.requests.first)
        #expect(request.body == body && request.path == "/echo" && request.fields["x-ONE"] == "1, 2")
    }

    @Test func requestsOfOneConnectionAreAnsweredInTheirOrder() throws {
        let server = try HTTPTestServer()
        let gate = HTTPTestGate()
        server["/slow"] = HTTPTestResponse.text("first").with { $0.headGate = gate }
        server.on("/turns", inTurn: .text("second"), .text("third"))
        let client = try RawClient(port: server.port)
        client.send(
            "GET /slow HTTP/1.1\r\n\r\nGET /turns HTTP/1.1\r\n\r\nGET /turns HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(gate.waitForArrivals())
        gate.release()
        let text = String(decoding: try client.receiveAll(), as: UTF8.self)
        let bodies = text.components(separatedBy: "HTTP/1.1").compactMap { $0.components(separatedBy: "\r\n\r\n").last }
        #expect(bodies == ["", "first", "second", "third"])
        #expect(Set(server.requests.map(\.connection)) == [1])
    }

    @Test func aServerThatHasStoppedIsGoneAndCanComeBackAtItsPlace() throws {
        let server = try HTTPTestServer()
        let gate = HTTPTestGate()
        server["/"] = HTTPTestResponse.generated(1000).with {
            $0.gate = gate
            $0.pieceLength = 100
        }
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(gate.waitForArrivals())
        server.stop()
        server.stop()
        #expect(String(decoding: try client.receiveAll(), as: UTF8.self).hasSuffix("\r\n\r\n"))
        gate.open()
        #expect(try curl(server.url().absoluteString).status == 7)
        #expect(try load(server.url()).error.map { ($0 as? URLError)?.code } == .cannotConnectToHost)
        let second = try HTTPTestServer(port: server.port)
        second["/"] = .text("back")
        #expect(try curl(server.url().absoluteString).text == "back")
    }

    @Test func anInternalErrorReachesTheTest() throws {
        let server = try HTTPTestServer()
        struct Trouble: Error {}
        server.on("/trouble") { _ in throw Trouble() }
        #expect(try curl("--write-out", "%{http_code}", server.url("/trouble").absoluteString).text == "Trouble()\n500")
        #expect(server.failures == ["GET /trouble: Trouble()"])
        #expect(throws: HTTPTestResponse.Failure.self) { try server.waitForRequests() }
        let client = try RawClient(port: server.port)
        client.send("this is no HTTP\r\n\r\n")
        _ = try client.receiveAll()
        #expect(server.failures.count == 2)
    }

    @Test func aSlowBodyTakesItsTime() throws {
        let server = try HTTPTestServer()
        server["/"] = HTTPTestResponse.generated(1000).with { $0.pace = 100_000 }
        #expect(try curl(server.url().absoluteString).output.count == 1000)
        // A byte a second, of a body that no task waits for.
        server["/forever"] = HTTPTestResponse.generated(1000).with { $0.pace = 1 }
        var client = Optional(try RawClient(port: server.port))
        client?.send("GET /forever HTTP/1.1\r\n\r\n")
        #expect(try client?.receive { $0.contains("\r\n\r\n") }.isEmpty == false)
        client = nil
        #expect(server.waitForConnections())
    }
}
