// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite("record")
struct RecordTests {
    private let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.

    private func start(_ options: [String] = [], limit: String = "") throws -> (RunningTool, port: Int) {
        let program = WebarcTool.path + "-server"
        let arguments =
            [program, "record", "-o", folder.path("a.webarc").string, "--port", "0", "--allow-private", "--authority"]
            + [folder.path("ca").string] + options
        let tool = try RunningTool(["sh", "-c", "\(limit)exec \"$@\"", "sh"] + arguments)
        #expect(tool.waitForError("press Ctrl-C"), "\(tool.errorText)")
        let port = try #require(tool.errorText.firstMatch(of: /127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) })
        return (tool, port)
    }

    private func curl(_ port: Int, _ urls: [String]) throws {
        let options = ["--silent", "--max-time", "60", "--proxy", "http://127.0.0.1:\(port)", "--output", "/dev/null"]
        #expect(try ExternalTool.run(["curl"] + urls.flatMap { options + [$0, "--next"] }.dropLast()).status == 0)
    }

    @Test func recordsAndAppends() throws {
        let origin = try RawOrigin { request in
            let body = "the body of \(request.target)"
            return RawOrigin.Response("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        for path in ["/a", "/b"] {
            let (tool, port) = try start(["--json"])
            try curl(port, [origin.url(path)])
            tool.signal(SIGINT)
            let result = tool.result()
            #expect(result.status == 0)
            let events = try result.output.split(separator: "\n").map {
                try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            #expect(events.map { $0["event"] as? String } == ["start", "exchange", "end"])
            #expect(events.last?["exchanges"] as? Int == 1)
            let body = try WebarcTool.run("cat", folder.path("a.webarc").string, origin.url(path))
            #expect(body.text == "the body of \(path)")
        }
        #expect(try WebarcTool.run("verify", folder.path("a.webarc").string).status == 0)
        #expect(try WebarcTool.run("ls", folder.path("a.webarc").string).lines.count == 2)
    }

    /// A killed process loses what it had not committed, and nothing else.
    @Test func survivesAKill() throws {
        let body = String(repeating: "0123456789", count: 30_000)
        let origin = try RawOrigin { request in
            RawOrigin.Response("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        let path = folder.path("a.webarc")
        // So many files cause a commit at once.
        let urls = (0..<32).map { origin.url("/\($0)") }
        for round in 1...2 {
            let (tool, port) = try start()
            try curl(port, urls)
            #expect(waits { (try? ArchiveReader(path: path))?.entryCount == 32 * round })
            try curl(port, [origin.url("/late")])
            tool.signal(SIGKILL)
            _ = tool.result()
            #expect(try WebarcTool.run("verify", path.string).status == 0)
        }
    }

    /// A file that may not grow any more is one on a full disk.
    @Test func aFullDiskLeavesTheLastCommit() throws {
        var random = SeededGenerator(seed: 17)
        let body = random.bytes(200_000)
        let origin = try RawOrigin { request in
            let own = body.dropLast(8) + Array(request.target.utf8.suffix(8))
            return RawOrigin.Response([
                Array("HTTP/1.1 200 OK\r\nContent-Length: \(own.count)\r\n\r\n".utf8), Array(own),
            ])
        }
        let path = folder.path("a.webarc")
        for (limit, urls, status) in [("", ["/first"], 0), ("ulimit -f 1000; ", (10..<20).map { "/\($0)" }, 74)] {
            let (tool, port) = try start(limit: limit)
            try curl(port, urls.map(origin.url))
            tool.signal(SIGTERM)
            #expect(tool.result().status == status, "\(tool.errorText)")
            #expect(try WebarcTool.run("verify", path.string).status == 0)
            #expect(try ArchiveReader(path: path).entryCount == 1)
        }
    }

    @Test func refusesWrongUsage() throws {
        #expect(try WebarcTool.run("record").status == 64)
        #expect(try WebarcTool.run("record", "-o", "a", "--port", "70000").status == 64)
        #expect(try WebarcTool.run("record", "-o", "a", "--max-size", "many").status == 64)
        try folder.write("other", Array("not an archive".utf8))
        let result = try WebarcTool.run(
            "record", "-o", folder.path("other").string, "--authority", folder.path("ca").string)
        #expect(result.status == 2, "\(result.errorText)")
    }
}
