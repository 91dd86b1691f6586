// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite struct FetchTests {
    private let folder: TemporaryFolder
    private let server: HTTPTestServer
    private var file: String { folder.path("site.webarc").string }

    init() throws {
        folder = try TemporaryFolder()
        server = try HTTPTestServer()
    }

    private func url(_ path: String) -> String { server.url(path).absoluteString }

    private func fetch(_ arguments: String...) throws -> ExternalTool.Result {
        try WebarcTool.run(["fetch", "-o", file] + arguments)
    }

    /// The stored response to a GET; nil for none.
    private func entry(_ path: String) throws -> ArchiveEntry? {
        try ArchiveReader(path: FilePath(file)).entry(for: url(path))
    }

    @Test func fetchedResponsesAreAvailableWithoutTheServer() throws {
        let page = "<!doctype html><p>" + String(repeating: "Hello ", count: 2000)
        server["/"] = try HTTPTestResponse.html(page).field("X-Twice", "1").field("X-Twice", "2").gzip()
        server.chain("/old", count: 3, status: 301, to: "/")
        server["/missing"] = .status(404, "not here")
        server["/empty"] = HTTPTestResponse(204)
        let long = HTTPTestResponse.generated(3_000_000)
        server["/long"] = long
        let result = try fetch(url("/"), url("/old/1"), url("/missing"), url("/empty"), url("/long"))
        #expect(result.status == 0 && result.errorText.isEmpty, "\(result.errorText)")
        #expect(
            result.lines == [
                "200 \(page.utf8.count)".padded(14) + " text/html                \(url("/"))",
                "200 \(page.utf8.count)".padded(14)
                    + " text/html                \(url("/old/1")) -> \(url("/old/2")) -> "
                    + "\(url("/old/3")) -> \(url("/"))",
                "404          8 text/plain               \(url("/missing"))",
                "204          0 -                        \(url("/empty"))",
                "200    3000000 application/octet-stream \(url("/long"))",
            ])
        server.stop()
        func get(_ path: String, _ arguments: String...) throws -> ExternalTool.Result {
            try WebarcTool.run(["get", url(path), file, "--offline", "--quiet"] + arguments)
        }
        for path in ["/", "/old/1", "/old/3"] {
            let result = try get(path)
            #expect(result.status == 0 && result.text == page && result.errorText.isEmpty, "\(path)")
            let head = try get(path, "--head").lines
            #expect(head.first == "200" && head.contains("Content-Type: text/html; charset=utf-8"), "\(head)")
            #expect(head.contains("X-Twice: 1, 2"), "\(head)")
        }
        let missing = try get("/missing", "--head")
        #expect(missing.status == 0 && missing.lines.first == "404")
        #expect(try get("/missing").text == "not here")
        #expect(try get("/empty").output.isEmpty)
        #expect(try Array(get("/long").output) == long.body.bytes())
        #expect(try get("/nothing").status == 1)
        #expect(try WebarcTool.run("cat", file, url("/old/1"), "--follow").text == page)
        let verified = try WebarcTool.run("verify", file)
        #expect(verified.status == 0, "\(verified.text)")
    }

    @Test func methodFieldsAndBodyAreSentAndResponsesToThemAreFoundAgain() throws {
        server.echo("/echo")
        let photo = try folder.write("photo", [0xFF, 0x00, 0x0A]).string
        _ = try fetch(
            url("/echo"), "--data", "q=swift", "-H", "X-One: 1", "--header", "Accept: text/plain", "-A", "me/1")
        _ = try fetch(url("/echo"), "-X", "PUT", "--data", "@\(photo)", "-H", "Content-Type: image/jpeg")
        _ = try fetch(url("/echo"))
        let (form, put, get) = (server.requests[0], server.requests[1], server.requests[2])
        #expect(form.method == "POST" && form.body == Array("q=swift".utf8))
        #expect(form.fields["Content-Type"] == "application/x-www-form-urlencoded" && form.fields["X-One"] == "1")
        #expect(form.fields["User-Agent"] == "me/1" && form.fields["Accept"] == "text/plain")
        #expect(put.method == "PUT" && put.body == [0xFF, 0x00, 0x0A] && put.fields["Content-Type"] == "image/jpeg")
        #expect(get.method == "GET" && get.body.isEmpty && get.fields["User-Agent"]?.hasPrefix("webarc/1") == true)
        server.stop()
        let ask = ["get", url("/echo"), file, "--policy", "archive-only", "-q"]
        let echo = try HTTPTestRequest.Echo(decoding: WebarcTool.run(ask + ["--data", "q=swift"]).output)
        #expect(echo.method == "POST" && echo.body == Data("q=swift".utf8))
        #expect(try HTTPTestRequest.Echo(decoding: WebarcTool.run(ask).output).method == "GET")
        #expect(try WebarcTool.run(ask + ["--data", "q=other"]).status == 1)
    }

    @Test func aRepeatedFetchIsAddedAndComesFirst() throws {
        server.on("/news", inTurn: .text("first"), .text("second"))
        #expect(try fetch(url("/news")).status == 0)
        #expect(try fetch(url("/news")).status == 0)
        #expect(try WebarcTool.run("cat", file, url("/news")).text == "second")
        #expect(try WebarcTool.run("ls", file).lines == [url("/news"), url("/news")])
    }

    @Test func aURLThatCannotBeLoadedEndsWith69AndTheOthersAreLoaded() throws {
        let gone = try HTTPTestServer()
        gone.stop()
        server["/there"] = .text("there")
        server["/cut"] = HTTPTestResponse.generated(1000).with { $0.cut = .close(after: 500) }
        server["/away"] = .redirect(to: gone.url("/").absoluteString)
        let result = try fetch(gone.url("/a").absoluteString, url("/cut"), url("/away"), url("/there"), "--json")
        #expect(result.status == 69)
        #expect(
            result.errorLines.count == 3 && result.errorLines[0].hasPrefix("webarc: \(gone.url("/a").absoluteString): ")
        )
        let objects = try result.objects
        #expect(objects.map { $0["error"] is Int } == [true, true, true, false], "\(result.text)")
        #expect(objects[0]["error"] as? Int == URLError.cannotConnectToHost.rawValue)
        #expect(objects[3]["status"] as? Int == 200 && objects[3]["length"] as? Int == 5)
        #expect(try entry("/there") != nil && entry("/cut") == nil)
        // The redirect came, even if it led nowhere.
        #expect(try entry("/away")?.response?.status == 302)
    }

    @Test func aServerThatSaysNothingIsGivenUp() throws {
        let gate = HTTPTestGate()
        server["/"] = HTTPTestResponse.text("late").with { $0.headGate = gate }
        let result = try fetch(url("/"), "--timeout", "1s")
        #expect(result.status == 69 && result.errorLines.count == 1 && gate.arrivals == 1, "\(result.errorText)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func credentialsAreStoredOnRequestOnly() throws {
        server.on("/") { _ in HTTPTestResponse.text("private").field("Set-Cookie", "session=1").field("X-Kept", "1") }
        let fields = ["-H", "Authorization: Basic YTpi", "-H", "Cookie: a=1", "-H", "X-Sent: 1"]
        for (options, kept) in [([], false), (["--keep-credentials"], true)] {
            let result = try WebarcTool.run(["fetch", "-o", file, url("/")] + fields + options)
            #expect(result.status == 0, "\(result.errorText)")
            let entry = try #require(try entry("/"))
            let (request, response) = (try entry.request.headers, try #require(try entry.response).headers)
            #expect(request["X-Sent"] == "1" && response["X-Kept"] == "1")
            #expect((request["Authorization"] != nil) == kept && (request["Cookie"] != nil) == kept, "\(kept)")
            #expect((response["Set-Cookie"] != nil) == kept, "\(kept)")
        }
        #expect(
            server.requests.allSatisfy { $0.fields["Authorization"] == "Basic YTpi" && $0.fields["Cookie"] == "a=1" })
    }

    @Test func responsesThatMustNotBeStoredAreReported() throws {
        server["/secret"] = HTTPTestResponse.text("secret").field("Cache-Control", "no-store")
        server["/short"] = .text("short")
        server["/mine"] = HTTPTestResponse.text("mine").field("Vary", "Cookie")
        let result = try fetch(url("/secret"), url("/short"), url("/mine"), "-H", "Cookie: a=1")
        #expect(result.status == 0 && result.lines.count == 3)
        #expect(result.errorLines.count == 2)
        #expect(result.errorText.contains("\(url("/secret")): not stored: the response has Cache-Control: no-store"))
        #expect(result.errorText.contains("\(url("/mine")): not stored: it varies with fields that are not stored"))
        #expect(try entry("/secret") == nil && entry("/short") != nil)
        #expect(try entry("/mine") == nil)
        #expect(try fetch(url("/mine"), "-H", "Cookie: a=1", "--keep-credentials").errorText.isEmpty)
        let hops = try fetch(url("/secret"), "--json").objects.first?["hops"] as? [[String: Any]]
        #expect(hops?.first?["stored"] as? Bool == false && hops?.first?["reason"] as? String == "noStore")
        #expect(try fetch(url("/secret"), "--ignore-no-store").errorText.isEmpty)
        #expect(try entry("/secret") != nil)
    }

    @Test(arguments: [("/long", "the body exceeds 4096 bytes"), ("/zip", "the body exceeds 4096 bytes")])
    func aBodyBeyondMaxSizeEndsItsLoadWith1(_ path: String, _ message: String) throws {
        // Of each, bytes beyond the limit never come.
        server["/long"] = HTTPTestResponse.generated(5000).with { $0.gate = HTTPTestGate() }
        server["/zip"] = try HTTPTestResponse.text(String(repeating: "a", count: 1 << 20)).gzip().gzip()
        server["/short"] = .text("short")
        let result = try fetch(url(path), url("/short"), "--max-size", "4K")
        #expect(result.status == 1 && result.lines.count == 1, "\(result.lines)")
        #expect(result.errorLines == ["webarc: \(url(path)): \(message); raise the limit with --max-size"])
        #expect(try entry(path) == nil && entry("/short") != nil)
        server["/gone"] = HTTPTestResponse().with { $0.cut = .closeBeforeHead }
        #expect(try fetch(url(path), url("/gone"), "--max-size", "4K").status == 69)
    }

    @Test func aBodyThatTheSystemRefusesToKeepEndsWith74() throws {
        server["/long"] = .generated(1 << 20)
        // Blocks of 512 or 1,024 bytes: less than the body, and more than what is kept in memory.
        let command = #"ulimit -f 600 && exec "$0" fetch -o "$1" "$2""#
        let result = try ExternalTool.run(["bash", "-c", command, WebarcTool.path, file, url("/long")])
        #expect(
            result.status == 74 && result.errorText.contains("cannot write a body"), "\(result.errorText)")
    }

    @Test func aRequestToEndKeepsWhatHasCome() throws {
        let gate = HTTPTestGate()
        server["/first"] = .text("first")
        server["/second"] = HTTPTestResponse.text("second").with { $0.headGate = gate }
        let tool = try RunningTool([WebarcTool.path, "fetch", "-o", file, url("/first"), url("/second")])
        #expect(gate.waitForArrivals())
        tool.signal(SIGTERM)
        let (status, output) = tool.result()
        #expect(status == 130 && output.hasSuffix("\(url("/first"))\n"))
        #expect(tool.errorText == "webarc: stopped; the responses so far are stored\n")
        #expect(try entry("/first") != nil && entry("/second") == nil)
    }

    @Test func obstaclesCauseTheirStatusBeforeAnythingIsLoaded() throws {
        server["/"] = .text("page")
        let foreign = try folder.write("foreign", "no archive".utf8).string
        let result = try WebarcTool.run("fetch", url("/"), "-o", foreign)
        #expect(result.status == 2 && result.errorLines.count == 1, "\(result.errorText)")
        let data = try fetch(url("/"), "--data", "@\(folder.path("nothing").string)")
        #expect(data.status == 74 && data.errorText.contains("nothing"), "\(data.errorText)")
        #expect(server.requests.isEmpty)
        let lost = try WebarcTool.run("fetch", url("/"), "-o", folder.path("no/folder.webarc").string)
        #expect(lost.status == 74 && lost.errorLines.count == 1, "\(lost.errorText)")
    }

    /// A field may hold a key, whatever its name.
    @Test func fieldsOfHeaderDoNotFollowToAnotherOrigin() throws {
        let other = try HTTPTestServer()
        other["/end"] = .text("end")
        server["/end"] = .text("end")
        server["/here"] = HTTPTestResponse(302).field("Location", "/end")
        server["/away"] = HTTPTestResponse(307).field("Location", other.url("/end").absoluteString)
        for path in ["/here", "/away"] {
            let result = try fetch(
                url(path), "--header", "X-Api-Key: secret", "--header", "Authorization: Bearer x", "--header",
                "Accept: application/json", "--user-agent", "tester")
            #expect(result.status == 0, "\(result.errorText)")
        }
        #expect(server.requests.map { $0.fields["X-Api-Key"] } == ["secret", "secret", "secret"])
        let away = try #require(other.requests.first)
        #expect(away.fields["X-Api-Key"] == nil && away.fields["Authorization"] == nil)
        #expect(away.fields["Accept"] == "application/json" && away.fields["User-Agent"] == "tester")
        let stored = try ArchiveReader(path: FilePath(file)).entry(for: other.url("/end").absoluteString)
        #expect(try #require(stored).request.headers["X-Api-Key"] == nil)
    }

    @Test func credentialsInALocationAreNotStored() throws {
        server["/end"] = .text("end")
        let target = url("/end").replacing("http://", with: "http://user:secret@")
        server["/old"] = HTTPTestResponse(302).field("Location", target)
        let result = try fetch(url("/old"))
        #expect(result.status == 0 && !result.text.contains("secret"), "\(result.text) \(result.errorText)")
        let old = try #require(try entry("/old")?.response)
        #expect(old.headers["Location"] == url("/end"))
        #expect(try entry("/end") != nil)
        let listed = try WebarcTool.run("ls", file, "--json").text
        #expect(listed.contains("/end") && !listed.contains("secret"), "\(listed)")
    }

    /// As browsers read a URL; none of these is followed.
    @Test(arguments: [
        #"http:\\user:secret@other.example/x"#, "http:/user:secret@other.example/", "http:user:secret@other.example/",
        #"\\user:secret@other.example/"#, "//user:secret@other.example/", "ht\ttp:/\t/user:secret@other.example/",
    ])
    func credentialsInALocationThatOnlyBrowsersReadAreNotStored(_ target: String) throws {
        server["/old"] = HTTPTestResponse(302).field("Location", target)
        _ = try fetch(url("/old"), "--quiet")
        #expect(FileManager.default.fileExists(atPath: file))
        #expect(try !WebarcTool.run("index", file, "--plist", "-o", "-").text.contains("secret"))
        let listed = try WebarcTool.run("ls", file, "--json").text
        #expect(listed.contains("/old") && !listed.contains("secret"), "\(listed)")
    }
}

extension String {
    /// The first three letters, and the rest moved to the end of as many columns.
    fileprivate func padded(_ width: Int) -> String {
        let rest = dropFirst(4)
        return prefix(3) + String(repeating: " ", count: width - 3 - rest.count) + rest
    }
}
