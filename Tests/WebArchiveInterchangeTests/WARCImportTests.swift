// SPDX-License-Identifier: Apache-2.0

import CZstd
import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct WARCImportTests {
    private let imported = ImportedFiles()
    private var path: FilePath { imported.path }

    /// A revisit gets its body, also if that comes later or in another file.
    @Test func revisits() throws {
        let revisit = { (url: String, digest: String) in
            ImportedFiles.record(
                "revisit", url, ["WARC-Payload-Digest: \(digest)"], "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n")
        }
        let summary = try imported(
            ImportedFiles.response("http://a/1", "one", ["WARC-Payload-Digest: sha1:ONE"])
                + revisit("http://a/2", "SHA1:ONE")
                + revisit("http://a/3", "sha1:TWO") + revisit("http://a/4", "sha1:NONE"),
            ImportedFiles.response("http://a/5", "two", ["WARC-Payload-Digest: sha1:TWO"]))
        #expect(summary.revisits == 2 && summary.unresolvedURLs == ["http://a/4"])
        #expect(try imported.body("http://a/2") == "one" && imported.body("http://a/3") == "two")
        #expect(try imported.body("http://a/4") == nil)
        let lost = try #require(try ArchiveReader(path: path).entries(prefix: "http://a/4").first)
        #expect(try lost.role == .withoutBody && lost.response?.absentDigest == "sha1:NONE")
        #expect(try lost.response?.mediaType == "text/css")
    }

    /// Requests and responses in both orders, and with a record between them.
    @Test func requestsAndResponses() throws {
        let request = { (url: String, id: String, other: String) in
            ImportedFiles.record(
                "request", url, ["WARC-Record-ID: \(id)", "WARC-Concurrent-To: \(other)"],
                "POST /form HTTP/1.1\r\nHost: a\r\n\r\na=\(id)")
        }
        try imported(
            request("http://a/1", "<q1>", "<r1>")
                + ImportedFiles.response("http://a/1", "one", ["WARC-Record-ID: <r1>"])
                + ImportedFiles.response("http://a/2", "two", ["WARC-Record-ID: <r2>"])
                + ImportedFiles.record("metadata", "http://a/2", [], "x: y")
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
        try imported(
            ImportedFiles.record("response", "http://a/", [], "HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n\(content)"))
        #expect(try imported.body("http://a/") == expected)
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
        try imported(Array(made.output))
        #expect(try imported.body("http://a/") == String(repeating: "hello ", count: 100_000))
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
        try imported(Array(made.output))
        let length = try ArchiveReader(path: path).entry(for: CanonicalURL("http://a/"))?.body?.length
        #expect(length == 256 << 20, "below the limit of 64 MiB and 2,000 bytes for each byte")
    }

    @Test func appending() throws {
        try imported(ImportedFiles.response("http://a/1", "one"))
        var options = ArchiveImporter.Options()
        options.appends = true
        try imported(ImportedFiles.response("http://a/2", "two"), options: options)
        #expect(try imported.body("http://a/1") == "one" && imported.body("http://a/2") == "two")
        #expect(try ArchiveReader(path: path).commitCount == 2)
    }

    /// A revisit is found by the record, by URL and date, and by the digest; a digest without text names nothing.
    @Test func namesOfRevisits() throws {
        func revisit(_ url: String, _ fields: [String]) -> [UInt8] {
            ImportedFiles.record("revisit", url, fields, "HTTP/1.1 200 OK\r\nX-A: b\r\n\r\n")
        }
        let summary = try imported(
            ImportedFiles.response("http://a/1", "one", ["WARC-Record-ID: <1>", "WARC-Payload-Digest:"])
                + revisit("http://a/2", ["WARC-Refers-To: <1>"])
                + revisit(
                    "http://a/3",
                    ["WARC-Refers-To-Target-URI: HTTP://a:80/1", "WARC-Refers-To-Date: 2020-01-01T00:00:00Z"])
                + revisit("http://a/4", ["WARC-Payload-Digest:"]))
        #expect(summary.revisits == 2 && summary.unresolvedURLs == ["http://a/4"])
        #expect(try imported.body("http://a/2") == "one" && imported.body("http://a/3") == "one")
        // A later import finds those of the archive.
        var options = ArchiveImporter.Options()
        options.appends = true
        let later = try imported(
            revisit(
                "http://a/5", ["WARC-Refers-To-Target-URI: http://a/1", "WARC-Refers-To-Date: 2020-01-01T00:00:00Z"]),
            options: options)
        #expect(try later.revisits == 1 && imported.body("http://a/5") == "one")
    }

    /// A revisit of a POST stays the response to a POST, and one by 304 leaves the response that it confirms.
    @Test func requestsOfRevisits() throws {
        let names = ["WARC-Payload-Digest: sha1:A"]
        try imported(
            ImportedFiles.response("http://a/api", "first", names)
                + ImportedFiles.record(
                    "revisit", "http://a/api", names + ["WARC-Record-ID: <r>"], "HTTP/1.1 200 OK\r\n\r\n")
                + ImportedFiles.record(
                    "request", "http://a/api", ["WARC-Concurrent-To: <r>"], "POST /api HTTP/1.1\r\n\r\nx=1")
                + ImportedFiles.record(
                    "revisit", "http://a/api",
                    names + ["WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified"],
                    "HTTP/1.1 304 Not Modified\r\n\r\n"))
        let entries = try ArchiveReader(path: path).entries()
        #expect(try entries.map { try "\($0.method) \($0.response?.status ?? 0)" } == ["GET 200", "POST 200"])
        let out = String(decoding: try imported.exported(), as: UTF8.self)
        #expect(out.contains("HTTP/1.1 304 Not Modified") && out.contains("POST /api HTTP/1.1"))
    }

    /// Texts that begin like a coded stream, and were decoded already.
    @Test(arguments: [
        ("br", "3 items were found in this list"), ("br", ";"), ("deflate", "{\n  \"0 @media 404\": 1}"),
        ("deflate", "[1, 2]"), ("zstd", "(text"), ("gzip, gzip", "text"),
    ])
    func textsWithAFalseClaim(_ coding: String, _ text: String) throws {
        try imported(
            ImportedFiles.record(
                "response", "http://a/", [], "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\r\n\(text)"))
        // One byte can be a whole stream without contents: nothing tells the two apart.
        if text.count > 1 { #expect(try imported.body("http://a/") == text) }
    }

    /// Lengths at which the last output of the decoder is full.
    @Test(arguments: [131_071, 131_072, 131_073, 262_144]) func zstandard(_ length: Int) throws {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        let coded = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(length)) { buffer, count in
            count = ZSTD_compress(buffer.baseAddress, buffer.count, text, text.count, 3)
        }
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n".utf8)
        let record =
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Length: \(head.count + coded.count)\r\n\r\n"
        try imported(Array(record.utf8) + head + coded)
        #expect(try imported.body("http://a/")?.utf8.count == length)
    }

    /// A coding that stays in the body stays in the fields of an export.
    @Test func codingsThatStay() throws {
        try imported(
            ImportedFiles.record(
                "response", "http://a/", [],
                "HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
            ))
        let out = String(decoding: try imported.exported(), as: UTF8.self)
        #expect(out.contains("Content-Encoding: compress\r\n") && !out.contains("Transfer-Encoding"))
    }

    /// Aliases, files without a server, and revisits without a body have records too, each with its own identifier.
    @Test func everyEntryIsExported() throws {
        let builder = try ArchiveWriter(creating: path)
        let body = try builder.addBody(Array("page".utf8))
        let entry = try builder.add(ArchiveRequest(url: "http://a/"), response: ArchiveResponse(), body: body)
        try builder.addAlias(CanonicalURL("http://a/index.html"), of: entry)
        for _ in 0..<2 {
            try builder.add(
                ArchiveRequest(method: "POST", url: "http://a/post"), response: ArchiveResponse(), body: body)
        }
        var file = ArchiveResponse(headers: ["Content-Type": "text/dns"])
        file.isDerived = true
        try builder.add(ArchiveRequest(url: "dns:a"), response: file, body: body)
        var lost = ArchiveResponse()
        lost.absentDigest = "sha1:LOST"
        try builder.add(ArchiveRequest(url: "http://a/lost"), response: lost, role: .withoutBody)
        try builder.commit()
        let out = String(decoding: try imported.exported(), as: UTF8.self)
        for part in ["WARC-Target-URI: http://a/index.html", "WARC-Type: resource", "WARC-Payload-Digest: sha1:LOST"] {
            #expect(out.contains(part), "\(part)")
        }
        let identifiers = out.matches(of: /WARC-Record-ID: (\S+)/).map { String($0.1) }
        #expect(identifiers.count == 9 && Set(identifiers).count == 9, "\(identifiers.count)")
    }

    /// Start lines of exports have versions that other readers of WARC files accept.
    @Test func versionsOfExports() throws {
        let block = "HTTP/2 200\r\nContent-Type: text/plain\r\n\r\nx"
        let old = "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\ny"
        try imported(
            ImportedFiles.record("response", "http://a/2", [], block)
                + ImportedFiles.record("response", "http://a/1", [], old))
        let text = String(decoding: try imported.exported(), as: UTF8.self)
        #expect(text.contains("\r\n\r\nHTTP/1.1 200 \r\n") && text.contains("\r\n\r\nHTTP/1.0 200 OK\r\n"))
        #expect(!text.contains("HTTP/2"))
    }
}
