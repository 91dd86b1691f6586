// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite("crawl --top-up")
struct TopUpTests {
    private let folder: TemporaryFolder
    private let origin: HTTPTestServer

    init() throws {
        (folder, origin) = (try TemporaryFolder(), try HTTPTestServer())
        origin["/data.json"] = .text("[1]")
        origin["/moved"] = .redirect(302, to: "/data.json")
        let writer = try ArchiveWriter(creating: folder.path("site.webarc"))
        try writer.add(
            ArchiveRequest(url: origin.url("/").absoluteString), response: ArchiveResponse(), body: writer.addBody([1]))
        try writer.commit()
    }

    /// The report of a proof, in the form of Documentation/prove.md.
    private func report(_ misses: [[String: String]]) throws -> FilePath {
        let summary = try JSONSerialization.data(
            withJSONObject: ["complete": false, "misses": misses] as [String: Any])
        return try folder.write(
            "report.json", Array(#"{"page": "x", "complete": false}"#.utf8) + [0x0A] + Array(summary) + [0x0A])
    }

    private func topUp(_ report: FilePath, _ options: String...) throws -> ExternalTool.Result {
        try WebarcTool.run(
            ["crawl", "--top-up", report.string, "-o", folder.path("site.webarc").string, "--json"] + options)
    }

    private func miss(_ path: String, method: String = "GET", content: String? = nil) -> [String: String] {
        var miss = ["method": method, "url": origin.url(path).absoluteString]
        miss["content"] = content
        return miss
    }

    /// Exactly the missed requests are sent, and their responses are in the archive.
    @Test func missedRequestsAreLoaded() throws {
        let report = try report([miss("/moved"), miss("/data.json"), miss("/moved")])
        let result = try topUp(report, "--allow-private", "-H", "X-Api-Key: secret", origin.url("/").absoluteString)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(origin.requestLines == ["GET /moved", "GET /data.json", "GET /data.json"])
        #expect(origin.requests.allSatisfy { $0.fields["X-Api-Key"] == "secret" })
        let archive = try ArchiveReader(path: folder.path("site.webarc"))
        #expect(
            try archive.entry(for: CanonicalURL(origin.url("/data.json").absoluteString))?.body?.bytes()
                == Array("[1]".utf8))
        #expect(try archive.entry(for: CanonicalURL(origin.url("/moved").absoluteString)) != nil)
        try archive.forEachEntry { entry throws(ArchiveError) in
            #expect(try entry.request.headers["X-Api-Key"] == nil)
            return true
        }
    }

    @Test func whatCannotBeLoadedIsNamed() throws {
        let misses = [
            miss("/none"), miss("/post", method: "POST", content: String(repeating: "0", count: 32)),
            ["method": "GET", "url": "file:///etc/passwd"], ["method": "GET", "url": "wss://a.example/"],
        ]
        let result = try topUp(try report(misses), "--allow-private")
        #expect(result.status == 69)
        let objects = try result.objects
        #expect(objects.dropLast().map { $0["loaded"] as? Bool } == [false, false, false, false])
        #expect(objects.first?["status"] as? Int == 404)
        #expect(objects.last?["failed"] as? Int == 4)
        #expect(origin.requestLines == ["GET /none"])
    }

    @Test func privateTargetsAreRefused() throws {
        #expect(try topUp(try report([miss("/data.json")])).status == 69)
        #expect(origin.requests.isEmpty)
    }

    @Test(arguments: ["", "no JSON", "{}", #"{"misses": 1}"#])
    func anotherTextIsNoReport(_ text: String) throws {
        let result = try topUp(try folder.write("other.json", Array(text.utf8)))
        #expect(result.status == 1 && result.errorText.contains("other.json"), "\(result.errorText)")
    }

    @Test func theArchiveMustBeThere() throws {
        let report = try report([])
        let result = try WebarcTool.run("crawl", "--top-up", report.string, "-o", folder.path("new.webarc").string)
        #expect(result.status == 74 && result.errorText.contains("new.webarc"), "\(result.errorText)")
        #expect(try WebarcTool.run("crawl", "-o", folder.path("new.webarc").string).status == 64)
    }
}
