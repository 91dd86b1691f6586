// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("import and export")
struct InterchangeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("crawl.warc", Self.warc)
    }

    private static let warc: [UInt8] = {
        let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Odd:no blank\r\n\r\n<title>One</title>"
        let records = [("response", "http://a.test/", block), ("metadata", "http://a.test/", "fetchTimeMs: 7\r\n")]
        return records.flatMap { type, url, block in
            "WARC/1.0\r\nWARC-Type: \(type)\r\nWARC-Target-URI: \(url)\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Length: \(block.utf8.count)\r\n\r\n\(block)\r\n\r\n"
                .utf8
        }
    }()

    @discardableResult
    private func webarc(_ arguments: String..., status: Int32 = 0) throws -> ExternalTool.Result {
        let result = try WebarcTool.run(arguments, in: folder.url)
        try #require(result.status == status, "\(arguments): \(result.errorText)")
        return result
    }

    @Test func thereAndBack() throws {
        let result = try webarc("import", "crawl.warc", "-o", "a.webarc", "--exact", "--json")
        let object = try #require(try result.objects.first)
        #expect(
            object["records"] as? Int == 2 && object["responses"] as? Int == 1 && object["otherRecords"] as? Int == 1)
        #expect(try webarc("cat", "a.webarc", "http://a.test/").text == "<title>One</title>")
        try webarc("verify", "a.webarc")
        try webarc("export", "a.webarc", "--exact", "-o", "b.warc")
        #expect(try folder.read("b.warc") == Self.warc)
        #expect(Array(try webarc("export", "a.webarc", "--exact", "-o", "-").output) == Self.warc)
        try webarc("export", "a.webarc", "-o", "c.warc.gz")
        let unpacked = try ExternalTool.run(["gzip", "-dc", folder.path("c.warc.gz").string])
        #expect(unpacked.status == 0 && unpacked.text.contains("WARC-Type: warcinfo\r\n"))
    }

    @Test func fromStandardInput() throws {
        let result = try ExternalTool.run(
            ["sh", "-c", "gzip -c crawl.warc | \"$1\" import - -o a.webarc", "sh", WebarcTool.path], in: folder.url)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try webarc("cat", "a.webarc", "http://a.test/").text == "<title>One</title>")
    }

    @Test func damageIsReported() throws {
        try folder.write("crawl.warc", Self.warc.dropLast(10))
        let result = try webarc("import", "crawl.warc", "-o", "a.webarc", status: 1)
        #expect(result.errorText.contains("crawl.warc: the record ends before its 16 bytes"), "\(result.errorText)")
        #expect(try webarc("cat", "a.webarc", "http://a.test/").text == "<title>One</title>")
        try webarc("import", "crawl.warc", "-o", "b.webarc", "--strict", status: 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path("b.webarc").string))
    }

    /// The advice of the commands that take archives, and of the import for what it does not read.
    @Test func otherFiles() throws {
        let result = try webarc("ls", "crawl.warc", status: 2)
        #expect(result.errorText.contains("a WARC file") && result.errorText.contains("webarc import"))
        try folder.write("notes.txt", Array("notes".utf8))
        try webarc("import", "notes.txt", "-o", "a.webarc", status: 2)
        try webarc("import", "none.warc", "-o", "a.webarc", status: 74)
        try webarc("import", "crawl.warc", "-o", "a.webarc")
        try webarc("export", "a.webarc", "--exact", "-o", "b.warc", status: 64)
        try webarc("pack", ".", "-o", "site.webarc")
        try webarc("export", "site.webarc", "--exact", "-o", "b.warc", status: 64)
    }

    /// The name of a folder gives files, without root, and existing ones stay.
    @Test func toAFolder() throws {
        try webarc("import", "crawl.warc", "-o", "a.webarc")
        try webarc("export", "a.webarc", "-o", "site/")
        #expect(try folder.read("site/index.html") == Array("<title>One</title>".utf8))
        let again = try webarc("export", "a.webarc", "-o", "site", status: 73)
        #expect(again.errorText.contains("site/index.html"), "\(again.errorText)")
        try webarc("export", "a.webarc", "-o", "-", "--format", "folder", status: 64)
        try webarc("export", "a.webarc", "-o", "b.warc", "--text", status: 64)
    }
}
