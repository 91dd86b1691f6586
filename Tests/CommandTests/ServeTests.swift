// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite struct ServeTests {
    private let folder: TemporaryFolder
    private let path: FilePath

    init() throws {
        folder = try TemporaryFolder()
        path = try Self.archive("site.webarc", "first", in: folder)
    }

    private static func archive(_ name: String, _ text: String, in folder: TemporaryFolder) throws -> FilePath {
        let path = folder.path(name)
        let writer = try ArchiveWriter(creating: path)
        for host in ["site.example", "cdn.example"] {
            try writer.add(
                ArchiveRequest(url: "https://\(host)/"),
                response: ArchiveResponse(headers: ["Content-Type": "text/plain"]),
                body: writer.addBody(Array(text.utf8)))
        }
        try writer.setMetadata("mainPage", to: "https://site.example/")
        try writer.commit()
        return path
    }

    /// A server on a free port, once it has printed the port.
    private func serve(_ arguments: String...) throws -> (tool: RunningTool, port: Int) { try serve(path, arguments) }

    private func serve(_ path: FilePath, _ arguments: [String]) throws -> (tool: RunningTool, port: Int) {
        let tool = try RunningTool([WebarcTool.path, "serve", path.string, "--port", "0"] + arguments)
        #expect(tool.waitForError("(press Ctrl-C to stop)"))
        let place = try #require(tool.errorText.firstMatch(of: #/http://127\.0\.0\.1:(\d+)//#))
        return (tool, try #require(Int(place.1)))
    }

    private func curl(_ arguments: String...) throws -> ExternalTool.Result { try curl(arguments) }

    private func curl(_ arguments: [String]) throws -> ExternalTool.Result {
        try ExternalTool.run(["curl", "--silent", "--show-error", "--max-time", "60"] + arguments)
    }

    #if os(Linux)  // Other systems have one loopback address.
        /// One client does not take all descriptors where a process may have few.
        @Test func fewOpenFiles() throws {
            let tool = try RunningTool([
                "sh", "-c", "ulimit -n 100; exec \"$@\"", "sh", WebarcTool.path, "serve", path.string, "--port", "0",
            ])
            #expect(tool.waitForError("(press Ctrl-C to stop)"))
            #expect(tool.errorText.contains("at most 50 connections, not 20000"))
            let place = try #require(tool.errorText.firstMatch(of: #/http://127\.0\.0\.1:(\d+)//#))
            let script = """
                import socket, subprocess, sys
                held = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(90)]
                subprocess.run(["curl", "-s", "--max-time", "60", "--interface", "127.0.0.2", f"http://127.0.0.1:{sys.argv[1]}/"])
                """
            #expect(try ExternalTool.run(["python3", "-c", script, String(place.1)]).output == Data("first".utf8))
            tool.signal(SIGTERM)
            _ = tool.result()
        }
    #endif

    /// Small responses go out at once, for users without privileges as well.
    @Test(.enabled(if: SystemCallTrace.isAvailable)) func connectionsHaveNoDelay() throws {
        let calls = folder.path("calls").string
        let tool = try RunningTool([
            "strace", "-D", "-f", "-qqq", "-o", calls, "-e", "trace=setsockopt", WebarcTool.path, "serve", path.string,
            "--port", "0",
        ])
        #expect(tool.waitForError("(press Ctrl-C to stop)"))
        let place = try #require(tool.errorText.firstMatch(of: #/http://127\.0\.0\.1:(\d+)//#))
        #expect(try curl("http://127.0.0.1:\(place.1)/").status == 0)
        let lines = try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n")
        // A thread's number, and a call: `setsockopt(18, SOL_TCP, TCP_NODELAY, "\\1\\0\\0\\0", 4) = 0`.
        #expect(lines.contains { $0.contains(/SOL_TCP, TCP_NODELAY, ("\\1|\[1\]).* = 0$/) })
        tool.signal(SIGTERM)
        _ = tool.result()
    }

    /// The archive has a capture of each year from 2018 to 2022.
    @Test(
        arguments: [
            ([], 2022), (["--at", "2020-01-01"], 2020), (["--at", "2020-07-02T00:00:00+02:00"], 2020),
            (["--at", "2020-07-03T00:00:00Z"], 2021), (["--at", "@0"], 2018), (["--at", "2100-01-01"], 2022),
        ] as [([String], Int)])
    func capturesOfATime(_ arguments: [String], _ year: Int) throws {
        let path = folder.path("years.webarc")
        let writer = try ArchiveWriter(creating: path)
        for year in 2018...2022 {
            let date = try #require(
                try ExternalTool.run(["date", "--utc", "--date", "\(year)-01-01", "+%s"]).text.split(separator: "\n")
                    .first)
            try writer.add(
                ArchiveRequest(url: "https://site.example/"),
                response: ArchiveResponse(headers: ["Content-Type": "text/plain"]),
                body: writer.addBody(Array("\(year)".utf8)), time: Int64(date).flatMap { ArchiveTime(seconds: $0) })
        }
        try writer.commit()
        let tool = try RunningTool(
            [WebarcTool.path, "serve", path.string, "--port", "0", "--access-log", "none"] + arguments)
        #expect(tool.waitForError("(press Ctrl-C to stop)"))
        let place = try #require(tool.errorText.firstMatch(of: #/http://127\.0\.0\.1:(\d+)//#))
        let response = try curl(
            "--write-out", " %header{memento-datetime} %header{etag}", "http://127.0.0.1:\(place.1)/")
        #expect(response.text.hasPrefix("\(year) ") && response.text.contains(" Jan \(year) 00:00:00 GMT \""))
        let tag = try #require(response.text.split(separator: " ").last)
        let status = try curl(
            "--write-out", "%{http_code}", "--header", "If-None-Match: \(tag)", "http://127.0.0.1:\(place.1)/")
        #expect(status.text == "304")
        let why = try WebarcTool.run(["why", path.string, "https://site.example/"] + arguments)
        #expect(why.status == 0 && why.text.contains("captured \(year)-01-01T00:00:00Z"))
        tool.signal(SIGTERM)
    }

    /// Rules for recordings of the web, and the explorer's list of what they found.
    @Test(arguments: [([], "200"), (["--without-rule", "cacheBusters", "--without-rule", "withoutQuery"], "404")])
    func cacheBusters(_ arguments: [String], _ status: String) throws {
        let path = folder.path("busters.webarc")
        let writer = try ArchiveWriter(creating: path)
        try writer.add(
            ArchiveRequest(url: "https://site.example/api?id=1&_=1589234567890"),
            response: ArchiveResponse(headers: ["Content-Type": "text/plain"]), body: writer.addBody(Array("one".utf8)))
        try writer.commit()
        let (tool, port) = try serve(path, ["--access-log", "none"] + arguments)
        let site = "http://127.0.0.1:\(port)"
        for query in ["id=1&_=1700000000000", "_=1&id=1"] {
            #expect(try curl("-o", "/dev/null", "-w", "%{http_code}", "\(site)/api?\(query)").text == status)
        }
        #expect(try curl("-o", "/dev/null", "-w", "%{http_code}", "\(site)/api?id=2&_=1").text == "404")
        let misses = try curl("\(site)/-/api/misses").text
        #expect(misses.contains("\"cacheBusters\"") == (status == "200"), "\(misses)")
        let why = try WebarcTool.run(["why", path.string, "https://site.example/api?id=1&_=7"] + arguments)
        #expect(why.text.contains("cache busters: GET https://site.example/api?id=1&_=7: matches") == (status == "200"))
        tool.signal(SIGTERM)
    }

    /// Content of a POST, as curl sends it: in one piece and in many, of a known length and by the chunked coding.
    @Test(arguments: [[], ["--without-rule", "similarContent"]])
    func similarContent(_ arguments: [String]) throws {
        let path = folder.path("posts.webarc")
        let writer = try ArchiveWriter(creating: path)
        let long = "{\"text\":\"\(String(repeating: "x", count: 65_000))\",\"nonce\":\"%\"}"
        let longer = long.replacing("xx", with: "xxxx")
        let stored = ["{\"id\":1,\"nonce\":\"%\"}", "{\"id\":2,\"nonce\":\"%\"}", long, longer]
        for (number, content) in stored.enumerated() {
            try writer.add(
                ArchiveRequest(
                    method: "POST", url: "https://site.example/api", headers: ["Content-Type": "application/json"]),
                requestBody: writer.addBody(Array(content.replacing("%", with: "stored").utf8)),
                response: ArchiveResponse(), body: writer.addBody(Array("\(number)".utf8)))
        }
        try writer.commit()
        let (tool, port) = try serve(path, ["--access-log", "none"] + arguments)
        let site = "http://127.0.0.1:\(port)"
        for (number, content) in stored.enumerated() {
            for (nonce, isChunked) in [("stored", false), ("other", false), ("other", true)] {
                try folder.write("content", Array(content.replacing("%", with: nonce).utf8))
                let data = "@\(folder.path("content").string)"
                let response = try curl(
                    ["--header", isChunked ? "Transfer-Encoding: chunked" : "X: y"] + [
                        "--header", "Content-Type: application/json; charset=utf-8", "--data-binary", data,
                        "\(site)/api",
                    ])
                let isFound = nonce == "stored" || arguments.isEmpty && number < 3
                #expect((response.text == "\(number)") == isFound, "\(number) \(nonce) \(isChunked)")
                let why = try WebarcTool.run(
                    ["why", path.string, "/api", "--content-type", "application/json", "--data", data, "--json"]
                        + arguments)
                #expect((why.status == 0) == isFound, "\(number) \(nonce)")
                let rules = try why.objects.first?["rules"] as? [String]
                #expect(!isFound || rules == [nonce == "stored" ? "exact" : "similarContent"])
            }
        }
        for other in [
            ["--data", "{\"id\":3,\"nonce\":\"a\"}", "--header", "Content-Type: application/json"],
            ["--data", "{\"id\":1,\"nonce\":\"a\"}"],
            ["-X", "PUT", "--data", "{\"id\":1,\"nonce\":\"a\"}", "--header", "Content-Type: application/json"],
        ] {
            let status = try curl(["-o", "/dev/null", "-w", "%{http_code}"] + other + ["\(site)/api"]).text
            #expect(status.hasPrefix("40"), "\(other)")
        }
        let last = [
            "--data", "{\"id\":1,\"nonce\":\"a\"}", "--header", "Content-Type: application/json", "\(site)/api",
        ]
        #expect((try curl(last).text == "0") == arguments.isEmpty)
        let misses = try curl("\(site)/-/api/misses").text
        #expect(misses.contains("\"similarContent\"") == arguments.isEmpty, "\(misses)")
        tool.signal(SIGTERM)
    }

    @Test func ownPagesCanBeSwitchedOff() throws {
        let (tool, port) = try serve("--no-own-pages")
        #expect(try curl("-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:\(port)/-/health").text == "404")
        tool.signal(SIGTERM)
    }

    /// The log is a pipe, also by a link that only the system can follow.
    @Test(arguments: ["-", "/dev/stdout"]) func servesUntilItIsStopped(_ log: String) throws {
        let (tool, port) = try serve("--access-log", log)
        #expect(try curl("http://127.0.0.1:\(port)/").text == "first")
        tool.signal(SIGTERM)
        let (status, output) = tool.result()
        #expect(status == 0)
        #expect(output.contains("\"GET / HTTP/1.1\" 200 5 "))
        #expect(tool.errorText == "Serving https://site.example/ at http://127.0.0.1:\(port)/ (press Ctrl-C to stop)\n")
    }

    @Test func hangUpTakesANewArchiveAndRefusesADamagedOne() throws {
        let (tool, port) = try serve("--access-log", "none")
        let next = try Self.archive("next", "second", in: folder)
        #expect(rename(next.string, path.string) == 0)
        tool.signal(SIGHUP)
        #expect(tool.waitForError("verified, and now served"))
        #expect(try curl("http://127.0.0.1:\(port)/").text == "second")
        try folder.write("bad", Array("no archive".utf8))
        #expect(rename(folder.path("bad").string, path.string) == 0)
        tool.signal(SIGHUP)
        #expect(tool.waitForError("the old one stays in use"))
        #expect(try curl("http://127.0.0.1:\(port)/").text == "second")
    }

    @Test func asAProxyForCurl() throws {
        let authority = folder.path("authority").string
        let missing = try WebarcTool.run("serve", "--proxy", path.string, "--authority", authority)
        #expect(missing.status == 64)
        #expect(missing.errorText.contains("webarc ca create \(path) --authority \(authority)"))
        let created = try WebarcTool.run("ca", "create", path.string, "--authority", authority)
        #expect(created.status == 0)
        let certificate = try #require(created.lines.first)
        let (tool, port) = try serve("--proxy", "--authority", authority)
        #expect(tool.errorText.contains("a proxy at 127.0.0.1:\(port), for cdn.example, site.example"))
        let response = try curl("--proxy", "http://127.0.0.1:\(port)", "--cacert", certificate, "https://cdn.example/")
        #expect(response.text == "first")
    }

    @Test func failures() throws {
        #expect(try WebarcTool.run("serve", folder.path("none").string).status == 74)
        #expect(try WebarcTool.run("serve").status == 64)
        #expect(try WebarcTool.run("serve", path.string, "--cache", "much").status == 64)
        try folder.write("text", Array("no archive".utf8))
        #expect(try WebarcTool.run("serve", folder.path("text").string).status == 2)
        let (tool, port) = try serve()
        let taken = try WebarcTool.run("serve", path.string, "--port", "\(port)")
        #expect(taken.status == 74)
        #expect(taken.errorText.contains("127.0.0.1, port \(port)"))
        #expect(taken.errorText.contains("; choose another port with --port"), "\(taken.errorText)")
        withExtendedLifetime(tool) {}
    }

    /// 192.0.2.0/24 is for documentation (RFC 5737), and .invalid for names that are not there (RFC 6761).
    @Test(arguments: [
        ("192.0.2.1", "cannot listen on 192.0.2.1, port 0: "),
        ("nix.invalid", "no address found for the host nix.invalid"),
    ])
    func anAddressOfAnotherMachine(_ host: String, _ message: String) throws {
        let result = try WebarcTool.run("serve", path.string, "--host", host, "--port", "0")
        #expect(result.status == 74)
        #expect(result.errorText.hasPrefix("webarc: \(message)"), "\(result.errorText)")
        #expect(result.errorText.hasSuffix("; choose an address of this machine with --host\n"), "\(result.errorText)")
    }

    /// The first port that needs no privileges on Linux; elsewhere 1024.
    private static let firstFreePort: Int = {
        let text = try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding: .utf8)
        return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 1024
    }()

    @Test(.enabled(if: geteuid() != 0 && firstFreePort > 80)) func aPortThatNeedsPrivileges() throws {
        let result = try WebarcTool.run("serve", path.string, "--port", "80")
        #expect(result.status == 74)
        #expect(
            result.errorText.hasSuffix("; ports below 1024 need privileges; choose another with --port\n"),
            "\(result.errorText)")
    }
}
