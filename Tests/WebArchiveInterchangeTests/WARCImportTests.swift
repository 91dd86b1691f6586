// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct WARCImportTests {
    private let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.
    private var path: FilePath { folder.path("a.webarc") }

    /// A record; the length of the block is added.
    private func record(_ type: String, _ url: String, _ fields: [String] = [], _ block: String) -> [UInt8] {
        let head =
            ["WARC/1.1", "WARC-Type: \(type)", "WARC-Target-URI: \(url)", "WARC-Date: 2020-01-01T00:00:00Z"]
            + fields + ["Content-Length: \(block.utf8.count)", "", ""]
        return Array((head.joined(separator: "\r\n") + block + "\r\n\r\n").utf8)
    }

    private func response(_ url: String, _ body: String, _ fields: [String] = []) -> [UInt8] {
        record("response", url, fields, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n\(body)")
    }

    @discardableResult
    private func importing(
        _ files: [UInt8]..., options: ArchiveImporter.Options = ArchiveImporter.Options()
    ) throws -> ArchiveImporter.Summary {
        let paths = try files.enumerated().map { try folder.write("\($0).warc", $1) }
        return try ArchiveImporter(into: path, options: options).run(paths)
    }

    private func body(_ url: String) throws -> String? {
        let entry = try ArchiveReader(path: path).entry(for: CanonicalURL(url))
        return try entry?.body.map { String(decoding: try $0.bytes(), as: UTF8.self) }
    }

    /// A revisit gets its body, also if that comes later or in another file.
    @Test func revisits() throws {
        let revisit = { (url: String, digest: String) in
            record(
                "revisit", url, ["WARC-Payload-Digest: \(digest)"], "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n")
        }
        let summary = try importing(
            response("http://a/1", "one", ["WARC-Payload-Digest: sha1:ONE"]) + revisit("http://a/2", "SHA1:ONE")
                + revisit("http://a/3", "sha1:TWO") + revisit("http://a/4", "sha1:NONE"),
            response("http://a/5", "two", ["WARC-Payload-Digest: sha1:TWO"]))
        #expect(summary.revisits == 2 && summary.unresolvedURLs == ["http://a/4"])
        #expect(try body("http://a/2") == "one" && body("http://a/3") == "two")
        #expect(try body("http://a/4") == nil)
        let lost = try #require(try ArchiveReader(path: path).entries(prefix: "http://a/4").first)
        #expect(try lost.role == .withoutBody && lost.response?.absentDigest == "sha1:NONE")
        #expect(try lost.response?.mediaType == "text/css")
    }

    /// Requests and responses in both orders, and with a record between them.
    @Test func requestsAndResponses() throws {
        let request = { (url: String, id: String, other: String) in
            record(
                "request", url, ["WARC-Record-ID: \(id)", "WARC-Concurrent-To: \(other)"],
                "POST /form HTTP/1.1\r\nHost: a\r\n\r\na=\(id)")
        }
        try importing(
            request("http://a/1", "<q1>", "<r1>") + response("http://a/1", "one", ["WARC-Record-ID: <r1>"])
                + response("http://a/2", "two", ["WARC-Record-ID: <r2>"]) + record("metadata", "http://a/2", [], "x: y")
                + request("http://a/2", "<q2>", "<r2>") + request("http://a/3", "<q3>", "<r3>"))
        let archive = try ArchiveReader(path: path)
        let entries = try archive.entries()
        #expect(try entries.map { try "\($0.method) \($0.key)" } == ["POST http://a/1", "POST http://a/2"])
        let sent = try entries.map { String(decoding: try $0.requestBody?.bytes() ?? [], as: UTF8.self) }
        #expect(sent == ["a=<q1>", "a=<q2>"])
        // The metadata, and the request without a response: an entry for it would state that there is none.
        let kept = try (0..<archive.recordCount).map { try archive.record($0).record.headers["WARC-Type"] }
        #expect(kept == ["metadata", "request"])
    }

    /// Codings go where the bytes prove them, and stay where they are only claimed.
    @Test(arguments: [
        ("Transfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n", "abc", ["chunked"]),
        ("Transfer-Encoding: chunked", "abc", "abc", []), ("Content-Encoding: gzip", "abc", "abc", []),
        ("Content-Encoding: br\r\nTransfer-Encoding: chunked", "3\r\nabc\r\n0\r\n\r\n", "abc", ["chunked"]),
        ("Content-Encoding: identity", "abc", "abc", []), ("Content-Length: 7", "abc", "abc", []),
    ])
    func codings(_ fields: String, _ content: String, _ expected: String, _ removed: [String]) throws {
        try importing(record("response", "http://a/", [], "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n\(content)"))
        #expect(try body("http://a/") == expected)
        let entry = try ArchiveReader(path: path).entry(for: CanonicalURL("http://a/"))
        #expect(try entry?.response?.codings == removed)
    }

    /// Content that Python compressed, in each coding of a server.
    @Test(arguments: ["gzip", "deflate", "raw deflate"]) func codingsByPython(_ coding: String) throws {
        let script = """
            import gzip, sys, zlib
            data = b"hello " * 100_000
            raw = zlib.compressobj(9, zlib.DEFLATED, -15)
            coded = {"gzip": gzip.compress(data), "deflate": zlib.compress(data),
                     "raw deflate": raw.compress(data) + raw.flush()}[sys.argv[1]]
            block = b"HTTP/1.1 200 OK\\r\\nContent-Encoding: %s\\r\\n\\r\\n" % sys.argv[1].split()[-1].encode() + coded
            sys.stdout.buffer.write(b"WARC/1.0\\r\\nWARC-Type: response\\r\\nWARC-Target-URI: http://a/\\r\\nContent-Length: %d\\r\\n\\r\\n"
                                    % len(block) + block + b"\\r\\n\\r\\n")
            """
        let made = try ExternalTool.run(["python3", "-c", script, coding])
        try #require(made.status == 0)
        try importing(Array(made.output))
        #expect(try body("http://a/") == String(repeating: "hello ", count: 100_000))
    }

    /// The records before and after damage are there, and the damage is reported with its place.
    @Test(arguments: ["plain", "gzip"]) func damage(_ form: String) throws {
        let records = (0..<10).map { response("http://a/\($0)", "body \($0) " + String(repeating: "x", count: 1_000)) }
        var file: [UInt8] = []
        var offsets: [Int] = []
        for record in records {
            offsets.append(file.count)
            if form == "gzip" {
                try folder.write("one", record)
                file += Array(try ExternalTool.run(["gzip", "-nc", folder.path("one").string]).output)
            } else {
                file += record
            }
        }
        if form == "gzip" { file[offsets[4] + 60] ^= 0xFF } else { file[offsets[4] + 2] ^= 0xFF }
        let summary = try importing(file)
        let urls = try ArchiveReader(path: path).entries().map { try $0.key }
        #expect(urls == (0..<10).filter { $0 != 4 }.map { "http://a/\($0)" })
        let error = try #require(summary.damage.first)
        #expect(error.code == .damaged && error.path == folder.path("0.warc").string)
        #expect(try #require(error.offset) >= offsets[4] && #require(error.offset) < offsets[5])
        var strict = ArchiveImporter.Options()
        strict.isStrict = true
        try? FileManager.default.removeItem(atPath: path.string)
        #expect(
            archiveError { _ = try ArchiveImporter(into: path, options: strict).run([folder.path("0.warc")]) }?.code
                == .damaged)
        #expect(!FileManager.default.fileExists(atPath: path.string))
    }

    /// A file that was cut off anywhere gives the records before the cut.
    @Test func cutOff() throws {
        let records = (0..<3).map { response("http://a/\($0)", "body \($0)") }
        let file = records.flatMap { $0 }
        for length in 6..<file.count {
            let summary = try importing(Array(file[..<length]))
            let whole = try ArchiveReader(path: path).entries().count
            // The line ends after a block may be missing.
            let expected = (1...3).last { file[..<length].count >= records[..<$0].reduce(0) { $0 + $1.count } - 4 } ?? 0
            #expect(whole == expected, "after \(length) bytes")
            #expect(summary.damage.count <= 1)
        }
    }

    /// A record that claims more than any file has, and one whose head has no end.
    @Test func claims() throws {
        let huge =
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 1152921504606846976\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx"
        #expect(try importing(Array(huge.utf8)).damage.map(\.code) == [.truncated])
        #expect(
            try importing(Array("WARC/1.0\r\n".utf8) + [UInt8](repeating: 0x61, count: 1 << 20)).damage.map(\.code) == [
                .damaged
            ])
        #expect(try importing(Array("WARC/1.0\r\nContent-Length: -1\r\n\r\n".utf8)).damage.map(\.code) == [.damaged])
        #expect(archiveError { try importing(Array("hello".utf8)) }?.code == .notAnArchive)
        #expect(archiveError { try importing([]) }?.code == .notAnArchive)
    }

    /// A megabyte that represents a gigabyte of zeros stays content as it was received.
    @Test func bombs() throws {
        let script = """
            import sys, zlib
            c = zlib.compressobj(9, zlib.DEFLATED, 31)
            coded = b"".join(c.compress(bytes(1 << 20)) for _ in range(256)) + c.flush()
            block = b"HTTP/1.1 200 OK\\r\\nContent-Encoding: gzip\\r\\n\\r\\n" + coded
            sys.stdout.buffer.write(b"WARC/1.0\\r\\nWARC-Type: response\\r\\nWARC-Target-URI: http://a/\\r\\nContent-Length: %d\\r\\n\\r\\n"
                                    % len(block) + block + b"\\r\\n\\r\\n")
            """
        let made = try ExternalTool.run(["python3", "-c", script])
        try importing(Array(made.output))
        let length = try ArchiveReader(path: path).entry(for: CanonicalURL("http://a/"))?.body?.length
        #expect(length == 256 << 20, "below the limit of 64 MiB and 2,000 bytes for each byte")
    }

    @Test func appending() throws {
        try importing(response("http://a/1", "one"))
        var options = ArchiveImporter.Options()
        options.appends = true
        try importing(response("http://a/2", "two"), options: options)
        #expect(try body("http://a/1") == "one" && body("http://a/2") == "two")
        #expect(try ArchiveReader(path: path).commitCount == 2)
    }
}
