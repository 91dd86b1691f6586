// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

@Suite struct HARExportTests {
    private let imported = HARFile()

    /// Writes an archive with exchanges of many kinds.
    private func writeArchive() throws {
        let writer = try ArchiveWriter(creating: imported.path)
        func add(
            _ url: String, _ body: [UInt8], _ headers: HeaderFields, status: Int = 200, codings: [String] = [],
            method: String = "GET", requestBody: [UInt8]? = nil, seconds: Int64 = 1_600_000_000
        ) throws {
            var request = ArchiveRequest(method: method, url: url, headers: ["Accept": "*/*", "Accept": "b"])
            request.version = "HTTP/1.1"
            var response = ArchiveResponse(status: status, reason: "Réason", headers: headers, codings: codings)
            (response.version, response.address) = ("HTTP/2", "192.0.2.1")
            try writer.add(
                request, requestBody: requestBody.map { try writer.addBody($0) }, response: response,
                body: writer.addBody(body), time: ArchiveTime(seconds: seconds, nanoseconds: 123_456_789))
        }
        let text = Array(String(repeating: "é\"\\\n\u{0B}", count: 100_000).utf8)
        try add(
            "https://a/?q=a%20b+c&d#e", text,
            ["Content-Type": "text/html; charset=utf-8", "Set-Cookie": "a", "Set-Cookie": "b"])
        try add("https://a/none", Array("é".utf8), ["Content-Type": "text/html"])
        try add("https://a/latin", [0xE9], ["Content-Type": "text/html; charset=iso-8859-1"])
        try add("https://a/ascii", [0x61], ["Content-Type": "text/css; charset=iso-8859-1"])
        for length in 0..<4 { try add("https://a/\(length).png", [UInt8](repeating: 0xFF, count: length), [:]) }
        try add(
            "https://a/large", (0..<1_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31) },
            ["Content-Type": "image/png"])
        try add(
            "https://a/gzip", Array("hi".utf8), ["Content-Type": "text/plain", "Content-Encoding": "gzip"],
            codings: ["gzip"])
        try add("https://a/to", [], ["Location": "/none"], status: 302)
        try add(
            "https://a/post", [0x7B, 0x7D], ["Content-Type": "application/json"], method: "POST",
            requestBody: [0xFF, 0])
        try add(
            "https://a/post", [0x7B], ["Content-Type": "application/json"], method: "POST",
            requestBody: Array("x=é".utf8))
        for seconds in [3, 1, 2] as [Int64] {
            try add("https://a/often", Array("\(seconds)".utf8), [:], seconds: seconds)
        }
        try add("https://a/same", [1], [:])
        try add("https://a/same", [2], [:])
        try writer.commit()
    }

    /// The import of an export gives the same exchanges, and the same export.
    @Test func roundTrip() throws {
        try writeArchive()
        let bytes = try HARFile.exported(imported.path)
        #expect(try HARFile.exported(imported.path) == bytes)
        let again = imported.folder.path("b.webarc")
        let summary = try ArchiveImporter(into: again).run([imported.folder.write("a.har", bytes)])
        #expect(summary.damage.isEmpty && summary.missingBodies == 0)
        let (first, second) = (try ArchiveReader(path: imported.path), try ArchiveReader(path: again))
        let (old, new) = (try first.entries(), try second.entries())
        #expect(old.count == new.count)
        for (a, b) in zip(old, new) {
            let url = try a.url
            #expect(try a.request == b.request && a.time == b.time, "\(url)")
            #expect(try a.requestBody?.bytes() == b.requestBody?.bytes(), "\(url)")
            #expect(try a.body?.bytes() == b.body?.bytes(), "\(url)")
            let (x, y) = (try #require(try a.response), try #require(try b.response))
            #expect(
                (x.status, x.reasonBytes, x.headers, x.version) == (y.status, y.reasonBytes, y.headers, y.version),
                "\(url)")
            #expect((x.codings, x.address, x.redirectTarget) == (y.codings, y.address, y.redirectTarget), "\(url)")
        }
        #expect(try HARFile.exported(again) == bytes)
    }

    /// Exports are valid JSON, with all members that HAR 1.2 requires, for readers that others wrote.
    @Test(.enabled(if: Python.isThere)) func members() throws {
        try writeArchive()
        let script = """
            import base64, json, sys
            log = json.load(sys.stdin)["log"]
            def need(value, names):
                missing = set(names.split()) - set(value)
                if missing: sys.exit(f"no {missing}")
            need(log, "version creator entries"); need(log["creator"], "name version")
            for entry in log["entries"]:
                need(entry, "startedDateTime time request response cache timings")
                need(entry["timings"], "send wait receive")
                need(entry["request"], "method url httpVersion cookies headers queryString headersSize bodySize")
                need(entry["response"], "status statusText httpVersion cookies headers content redirectURL headersSize bodySize")
                content = entry["response"]["content"]
                need(content, "size mimeType")
                for pair in entry["request"]["queryString"] + entry["request"]["headers"]: need(pair, "name value")
                if "postData" in entry["request"]: need(entry["request"]["postData"], "mimeType text params")
                text = content["text"]
                data = base64.b64decode(text, validate=True) if content.get("encoding") == "base64" else text.encode()
                if len(data) != content["size"]: sys.exit("another length")
            request = next(e["request"] for e in log["entries"] if "?q=" in e["request"]["url"])
            if request["queryString"] != [{"name": "q", "value": "a b c"}, {"name": "d", "value": ""}]: sys.exit("another query")
            print(len(log["entries"]))
            """
        let result = try ExternalTool.run(
            ["python3", "-c", script], input: Data(HARFile.exported(imported.path)))
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.text == "18\n", "\(result.text)")
    }

    /// Entries without a response, and pages.
    @Test func pagesAndFailures() throws {
        try imported(
            HARFile.text(
                [
                    HARFile.entry("http://a/", content: #""size": 1, "text": "x""#, other: #""pageref": "p","#),
                    HARFile.entry("http://a/no", status: 0, response: #""_error": "refused","#),
                    HARFile.entry("http://a/absent", content: #""size": 9"#),
                ], pages: #"[{"id": "p", "title": "T", "startedDateTime": "2020-01-01T00:00:00Z"}]"#))
        let bytes = try HARFile.exported(imported.path)
        let again = HARFile()
        let summary = try again(bytes: bytes)
        #expect(summary.failedLoads == 1 && summary.missingBodies == 1 && summary.pages == 1)
        #expect(try again.entry("http://a/no")?.failure == "refused")
        let (old, new) = (try ArchiveReader(path: imported.path), try ArchiveReader(path: again.path))
        #expect(try old.page(0).page == new.page(0).page)
        #expect(try HARFile.exported(again.path) == bytes)
    }

    /// Every time has a text, also the first and the last ones of 64 bits.
    @Test(
        arguments: [
            (Int64.min, "1677-09-21T00:12:43.145224192Z"), (Int64.max, "2262-04-11T23:47:16.854775807Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"), (1_500_000_000, "1970-01-01T00:00:01.500Z"),
        ] as [(Int64, String)])
    func times(_ nanoseconds: Int64, _ text: String) {
        #expect(HARLog.text(ArchiveTime(nanoseconds: nanoseconds)) == text)
    }
}
