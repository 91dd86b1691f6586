// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct WACZExportTests {
    private let imported = ImportedFiles()

    private func exported(_ archive: FilePath? = nil, addsText: Bool = false) throws -> [UInt8] {
        let collected = ByteCollector()
        var exporter = WACZExporter(try ArchiveReader(path: archive ?? imported.path))
        exporter.addsText = addsText
        try exporter.write { bytes throws(ArchiveError) in
            collected.append(Array(bytes))
        }
        return collected.all
    }

    private func add(_ text: String, to builder: CommitBuilder) throws(ArchiveError) -> CommitBuilder.BodyReference {
        try Array(text.utf8).withBytes { (bytes) throws(ArchiveError) in try builder.addBody(bytes) }
    }

    /// Runs a script of Python with a ZIP file as `zip`, and returns its output.
    private func python(_ wacz: [UInt8], _ script: String) throws -> String {
        let path = try imported.folder.write("out.wacz", wacz)
        let start = """
            import gzip, hashlib, json, sys, zipfile
            zip = zipfile.ZipFile(sys.argv[1])
            assert zip.testzip() is None
            lines = gzip.decompress(zip.read("indexes/index.cdx.gz")).decode().splitlines()
            pages = [json.loads(line) for line in zip.read("pages/pages.jsonl").splitlines()]
            package = json.loads(zip.read("datapackage.json"))

            """
        let result = try ExternalTool.run(["python3", "-c", start + script, path.string])
        try #require(result.status == 0, "\(result.errorText)")
        return result.text
    }

    /// Python finds each record at the offset of its line, and the digest of each member.
    @Test func offsets() throws {
        try imported(OddWARC(SeededGenerator.printed(), records: 300).bytes)
        let count = try python(
            exported(),
            """
            warc = zip.read("archive/data.warc.gz")
            assert lines == sorted(lines)
            for line in lines:
                key, time, rest = line.split(" ", 2)
                entry = json.loads(rest)
                start, length = int(entry["offset"]), int(entry["length"])
                record = gzip.decompress(warc[start:start + length])
                head = record.split(b"\\r\\n\\r\\n", 1)[0].decode(errors="replace").split("\\r\\n")
                assert head[0] == "WARC/1.1", head
                fields = {}
                for field in head[1:]:
                    name, _, value = field.partition(":")
                    fields.setdefault(name.lower(), value.strip())
                assert fields["warc-target-uri"].strip("<>") == entry["url"], (fields, entry)
                assert fields.get("warc-payload-digest") == entry.get("digest"), (fields, entry)
                assert entry["filename"] == "data.warc.gz"
            # The list of blocks leads to the lines.
            index = zip.read("indexes/index.cdx.gz")
            blocks = []
            for line in zip.read("indexes/index.idx").decode().splitlines()[1:]:
                place = json.loads(line[line.index("{"):])
                block = index[place["offset"]:place["offset"] + place["length"]]
                assert place["digest"] == "sha256:" + hashlib.sha256(block).hexdigest()
                blocks += gzip.decompress(block).decode().splitlines()
            assert blocks == lines
            for resource in package["resources"]:
                content = zip.read(resource["path"])
                assert resource["hash"] == "sha256:" + hashlib.sha256(content).hexdigest(), resource
                assert resource["bytes"] == len(content), resource
            assert {r["path"] for r in package["resources"]} == set(zip.namelist()) - {
                "datapackage.json", "datapackage-digest.json"}
            digest = json.loads(zip.read("datapackage-digest.json"))
            assert digest["hash"] == "sha256:" + hashlib.sha256(zip.read("datapackage.json")).hexdigest()
            print(len(lines))
            """)
        #expect(try #require(Int(count.trimmingCharacters(in: .whitespacesAndNewlines))) > 50)
    }

    /// The pages that the archive lists come with all that it has of them, and come back.
    @Test func pagesOfTheArchive() throws {
        let builder = try CommitBuilder(creating: imported.path)
        let time = try #require(ArchiveTime(nanoseconds: 1_577_836_800_000_000_000))
        let body = try add("<title>No</title>", to: builder)
        _ = try builder.add(
            ArchiveRequest(url: "http://a/"), response: ArchiveResponse(headers: ["Content-Type": "text/html"]),
            body: body, time: time)
        try builder.add(
            ArchivePage(url: "http://a/", time: time, title: "Grüße \"x\"", status: 200, isSeed: true, depth: 0),
            text: add("die\nSeite", to: builder))
        try builder.add(ArchivePage(url: "http://a/", depth: 3))
        try builder.setMetadata("title", to: "T")
        try builder.setMetadata("description", to: "D")
        try builder.setMetadata("mainPage", to: "http://a/")
        try builder.commit()
        let wacz = try exported()
        #expect(try wacz == exported())
        let text = try python(
            wacz,
            """
            assert pages[0]["format"] == "json-pages-1.0" and pages[0]["hasText"]
            first, second = pages[1:]
            assert first.pop("id") != ""
            assert first == {"url": "http://a/", "ts": "2020-01-01T00:00:00Z", "title": "Grüße \\"x\\"", "status": 200,
                "seed": True, "depth": 0, "text": "die\\nSeite"}, first
            assert second["ts"] == "2020-01-01T00:00:00Z" and second["depth"] == 3
            print(package["title"], package["description"], package["mainPageUrl"], package["created"],
                package["wacz_version"], package["profile"])
            """)
        #expect(text == "T D http://a/ 2020-01-01T00:00:00Z 1.1.1 data-package\n")
        let again = imported.folder.path("again.webarc")
        let summary = try ArchiveImporter(into: again).run([imported.folder.path("out.wacz")])
        // Two pages with one URL and one time are one.
        #expect(summary.damage.isEmpty && summary.pages == 1)
        let page = try ArchiveReader(path: again).page(0)
        #expect(try page.page.title == "Grüße \"x\"" && page.text?.bytes() == Array("die\nSeite".utf8))
        #expect(try ArchiveReader(path: again).metadata()["title"] == "T")
    }

    /// An archive without a list of pages gets the HTML documents that a GET gave.
    @Test func documents() throws {
        func document(_ url: String, _ head: String, _ body: String) -> [UInt8] {
            ImportedFiles.record("response", url, [], "HTTP/1.1 \(head)\r\n\r\n\(body)")
        }
        try imported(
            document("http://a/", "200 OK\r\nContent-Type: text/html; charset=utf-8", "<html><title>Grüße</title>"),
            document("http://a/lost", "404 Not Found\r\nContent-Type: text/html", "<title>Lost</title>"),
            document("http://a/x.css", "200 OK\r\nContent-Type: text/css", "a {}"),
            document("http://a/y", "200 OK\r\nContent-Type: application/xhtml+xml", "<html/>"))
        let text = try python(
            exported(),
            """
            print([(page["url"], page.get("title"), page["status"]) for page in pages[1:]])
            """)
        #expect(text == "[('http://a/', 'Grüße', 200), ('http://a/y', None, 200)]\n")
    }

    /// Documents have their text on request, and a text that the archive lists stays.
    @Test func textOfDocuments() throws {
        let builder = try CommitBuilder(creating: imported.path)
        for (url, document) in [("http://a/", "<title>T</title><p>of <b>A</b>"), ("http://b/", "<p>of B")] {
            _ = try builder.add(
                ArchiveRequest(url: url), response: ArchiveResponse(headers: ["Content-Type": "text/html"]),
                body: add(document, to: builder), time: ArchiveTime(seconds: 1_577_836_800))
        }
        try builder.add(ArchivePage(url: "http://a/"), text: add("listed", to: builder))
        try builder.add(ArchivePage(url: "http://a/", depth: 1))
        try builder.add(ArchivePage(url: "http://b/", time: ArchiveTime(seconds: 1_577_836_800)))
        try builder.add(ArchivePage(url: "http://none/"))
        try builder.commit()
        let script = "print(pages[0]['hasText'], [page.get('text') for page in pages[1:]])"
        #expect(try python(exported(), script) == "True ['listed', None, None, None]\n")
        #expect(
            try python(exported(addsText: true), script) == "True ['listed', 'of A\\n', 'of B\\n', None]\n")
    }

    /// An empty archive has a package as well, and the file comes in again.
    @Test func emptyArchive() throws {
        try ArchiveWriter(creating: imported.path).commit()
        #expect(
            try python(exported(), "print(len(lines), len(pages), package['created'])") == "0 1 1970-01-01T00:00:00Z\n")
        let summary = try ArchiveImporter(into: imported.folder.path("b.webarc"))
            .run([imported.folder.path("out.wacz")])
        #expect(summary.damage.isEmpty && summary.otherRecords == 1)
    }

    /// The same URL with other bodies of requests has other keys.
    @Test func requestsWithBodies() throws {
        let builder = try CommitBuilder(creating: imported.path)
        let bodies = [
            ("application/x-www-form-urlencoded", "b=1+2&a=%C3%A9"), ("application/json", #"{"q": {"n": [1, true]}}"#),
            ("application/octet-stream", "\u{1}\u{2}"), ("text/plain", "plain"),
        ]
        for (type, body) in bodies {
            _ = try builder.add(
                ArchiveRequest(method: "POST", url: "http://a/p?x", headers: ["Content-Type": type]),
                requestBody: add(body, to: builder), response: ArchiveResponse(),
                body: add(type, to: builder))
        }
        try builder.commit()
        let text = try python(exported(), "for line in lines: print(line.split(' ')[0])")
        #expect(
            text.split(separator: "\n")
                == [
                    "a)/p?__wb_method=post&__wb_post_data=cgxhaw4=&x", "a)/p?__wb_method=post&__wb_post_data=aqi=&x",
                    "a)/p?__wb_method=post&a=%c3%a9&b=1%202&x", "a)/p?__wb_method=post&n=1&n.2_=true&x",
                ].sorted().map { Substring($0) })
    }

    // From the tests of the Python package surt, and of the Java program before it.
    @Test(arguments: [
        ("http://www.example.com/", "com,example)/"), ("http://example.com", "com,example)/"),
        ("http://WWW2.Example.com:80/Path/?B=2&a=1#top", "com,example)/path?a=1&b=2"),
        ("https://example.com:8443/a//b/../c/", "com,example:8443)/a/c"),
        ("http://example.com/%7Euser/%2525", "com,example)/~user/%25"),
        ("http://example.com/?a=&a&a=1", "com,example)/?a&a=&a=1"), ("http://example.com/?", "com,example)/"),
        ("http://192.168.0.1/x", "1,0,168,192)/x"), ("dns:Example.com", "dns:example.com"),
        ("urn:view:http://Example.com/", "urn:view:http://example.com"),
        ("urn:view:http://Example.com/?b&a", "urn:view:http://example.com?a&b"),
        ("http://example.com/caf\u{e9} x", "com,example)/caf%c3%a9%20x"),
        ("http://example.com/%2Fa%2e%2e", "com,example)/a.."),
        ("http://a.b/x?B=1&PHPSESSID=9682993c8daa2c5497996114facdc805&a=2", "b,a)/x?a=2&b=1"),
        ("http://a.b/x?sid=9682993c8daa2c5497996114facdc805", "b,a)/x"),
        ("http://a.b/x?sid=9682993c8daa2c5497996114facdc80", "b,a)/x?sid=9682993c8daa2c5497996114facdc80"),
        ("http://a.b/x?ASPSESSIONIDaaabbbcc=aaaabbbbccccddddeeeeffff&y", "b,a)/x?y"),
        ("http://a.b/x?y&CFID=1&CFTOKEN=2&z=3", "b,a)/x?y&z=3"),
        ("http://a.b/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx", "b,a)/mileg.aspx"),
        ("http://a.b/(4hqa0555fwsecu455xqckv45)/mileg.aspx?x", "b,a)/mileg.aspx?x"),
    ])
    func keys(_ url: String, _ key: String) {
        #expect(String(decoding: URLKey.bytes(of: url), as: UTF8.self) == key)
    }

    /// A ZIP file whose members and directory need numbers of 64 bits, without its content.
    @Test func longFiles() throws {
        let path = imported.folder.path("long.zip")
        let file = try FileDescriptor.open(
            path, .readWrite, options: [.create, .truncate], permissions: .ownerReadWrite)
        defer { try? file.close() }
        let place = Place()
        // Zeros become holes.
        let zip = ZIPWriter { bytes throws(ArchiveError) in
            if bytes.count < 1 << 20 {
                do { try file.writeAll(toAbsoluteOffset: place.offset, bytes) } catch {
                    throw ArchiveError(.io, "cannot write", cause: error)
                }
            }
            place.offset += Int64(bytes.count)
        }
        let zeros = [UInt8](repeating: 0, count: 1 << 26)
        try zip.add("long") { write throws(ArchiveError) in
            for _ in 0..<65 { try zeros.withBytes { (bytes) throws(ArchiveError) in try write(bytes) } }
        }
        try zip.add("short", SpooledBody(Array("behind".utf8)))
        try zip.finish()
        let source = try FileByteSource(path: path)
        let read = try ZIPFile(source)
        #expect(read.members.map(\.length) == [65 << 26, 6])
        #expect(try read.bytes(of: read.members[1], name: "short", maximumLength: 100) == Array("behind".utf8))
        let script = """
            import sys, zipfile
            zip = zipfile.ZipFile(sys.argv[1])
            print([entry.file_size for entry in zip.infolist()], zip.read("short"))
            """
        let result = try ExternalTool.run(["python3", "-c", script, path.string])
        #expect(result.text == "[4362076160, 6] b'behind'\n", "\(result.errorText)")
    }

    private final class Place { var offset: Int64 = 0 }
}
