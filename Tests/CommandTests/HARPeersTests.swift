// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

/// Tests of exported HAR files with haralyzer, and with the schema of HAR 1.2 of hario-core.
@Suite("HAR with readers by others", .enabled(if: WebArchivers.areThere, "Tools/setup --tests installs them"))
struct HARPeersTests {
    /// The source of the archive that is exported.
    enum Source: CaseIterable { case records, browser }

    /// Every exchange is there, with the content and the size that the archive has, and every page with its document.
    @Test(arguments: Source.allCases) func exported(_ source: Source) throws {
        let sample = try source == .records ? ExportedSample(.odd) : importedHAR()
        let path = try sample.exported("out.har")
        let expected = try writeExpectations(of: sample)
        let result = try WebArchivers.run("python3", "-c", Self.script, path.string, in: sample.folder.url)
        #expect(result.status == 0, "\(result.errorText.suffix(2000))")
        #expect(result.text == "\(expected.entries) \(expected.pages)\n" && expected.entries > 4, "\(result.text)")
        #expect(source == .records || expected.pages == 2)
    }

    /// Imports a file as browsers write it.
    private func importedHAR() throws -> ExportedSample {
        let sample = ExportedSample(folder: try TemporaryFolder())
        let script = """
            import base64, json
            def entry(url, status=200, type="text/html", text="", page=None, **more):
                request = {"method": "GET", "url": url, "httpVersion": "h2", "headers": [{"name": ":path", "value": "/"}], "cookies": [],
                    "queryString": [], "headersSize": -1, "bodySize": 0} | more.pop("request", {})
                response = {"status": status, "statusText": "", "httpVersion": "h2", "headers": [{"name": "content-type", "value": type}],
                    "cookies": [], "content": {"size": len(text), "mimeType": type, "text": text} | more.pop("content", {}),
                    "redirectURL": "", "headersSize": -1, "bodySize": -1} | more.pop("response", {})
                return {"startedDateTime": "2024-02-03T04:05:06.789Z", "time": 1, "request": request, "response": response, "cache": {},
                    "timings": {"send": 0, "wait": 1, "receive": 0}} | ({"pageref": page} if page else {})
            def page(id, title):
                return {"id": id, "title": title, "startedDateTime": "2024-02-03T04:05:06.000Z", "pageTimings": {}}
            zip = [{"name": "content-type", "value": "text/css"}, {"name": "content-encoding", "value": "br"}]
            to = [{"name": "location", "value": "https://a.test/"}]
            form = {"mimeType": "application/x-www-form-urlencoded", "text": "q=%C3%A9", "params": []}
            png = {"text": base64.b64encode(bytes(range(256))).decode(), "encoding": "base64", "size": 256}
            entries = [
                entry("http://a.test/", 301, page="p1", response={"headers": to, "redirectURL": "https://a.test/"}),
                entry("https://a.test/", text="<title>Gr\\u00fc\\u00dfe \\U0001f600</title>", page="p1"),
                entry("https://a.test/a.css?v=1&w", type="text/css", text="p{}", page="p1", response={"headers": zip}),
                entry("https://a.test/a.png", type="image/png", content=png, page="p1"),
                entry("https://a.test/empty", page="p1"),
                entry("https://a.test/form", type="application/json", text="{}", request={"method": "POST", "postData": form}),
                entry("https://a.test/away", 0, response={"_error": "net::ERR_FAILED"}),
                entry("https://a.test/none", content={"text": None, "size": 9}),
                entry("https://b.test/", text="b", page="p2"),
            ]
            log = {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": entries,
                "pages": [page("p1", "https://a.test/"), page("p2", "The second")]}
            json.dump({"log": log}, open("in.har", "w"))
            """
        let made = try ExternalTool.run(["python3", "-c", script], in: sample.folder.url)
        try #require(made.status == 0, "\(made.errorText)")
        try sample.webarc("import", "in.har", "-o", sample.archive.string, "--quiet")
        return sample
    }

    /// Writes the exchanges and the pages of the archive, one a line, and a file for each body; returns their numbers.
    private func writeExpectations(of sample: ExportedSample) throws -> (entries: Int, pages: Int) {
        let archive = try ArchiveReader(path: sample.archive)
        var lines: [String] = []
        func add(_ object: [String: Any], to lines: inout [String]) throws {
            lines.append(String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self))
        }
        for entry in try archive.entries() {
            let (response, failure) = (try entry.response, try entry.failure)
            guard try entry.role.isServed || entry.role == .withoutBody, response != nil || failure != nil else {
                continue
            }
            let name = "body\(lines.count)"
            try sample.folder.write(name, try entry.body?.bytes() ?? [])
            try sample.folder.write("\(name).request", try entry.requestBody?.bytes() ?? [])
            try add(
                [
                    "method": try entry.method, "url": try entry.url, "body": name,
                    "hasBody": response != nil && response?.absentDigest == nil, "isCoded": response?.codings != [],
                    "status": response.map { Int($0.status) } ?? 0, "type": response?.headers["Content-Type"] ?? "",
                    "names": response?.headers.map { String(decoding: $0.nameBytes, as: UTF8.self) } ?? [],
                    "nanoseconds": try entry.time?.nanoseconds ?? 0,
                ], to: &lines)
        }
        try sample.folder.write("entries", Array(lines.joined(separator: "\n").utf8))
        var pages: [String] = []
        for number in 0..<archive.pageCount {
            let page = try archive.page(number).page
            try add(["url": page.url, "title": page.title ?? page.url], to: &pages)
        }
        try sample.folder.write("pages", Array(pages.joined(separator: "\n").utf8))
        return (lines.count, pages.count)
    }

    private static let script = """
        import base64, collections, json, sys
        from haralyzer import HarParser
        from hario_core.parse import parse
        log, har = parse(sys.argv[1]), HarParser.from_file(sys.argv[1])
        assert log.version == "1.2" and har.creator["name"] == "webarc"
        expected = [json.loads(line) for line in open("entries")]
        def read(name): return open(name, "rb").read()
        def content(text, encoding): return base64.b64decode(text, validate=True) if encoding == "base64" else text.encode()
        def key(method, url, status, time, names, body, request):
            return method, url, status, time, tuple(names), body, request
        left = collections.Counter(
            key(one["method"], one["url"], one["status"], one["nanoseconds"] // 1000, one["names"], read(one["body"]) if one["hasBody"] else None,
                read(one["body"] + ".request")) for one in expected)
        bodies = {(one["url"], read(one["body"])): one for one in expected}
        def microseconds(time):
            import datetime
            return (time - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)
        for entry, other in zip(log.entries, (entry for entry in har.har_data["entries"])):
            response = entry.response
            found = response.content
            body = None if found.text is None else content(found.text, found.encoding)
            assert body is None or found.size == len(body), entry.request.url
            post = entry.request.postData
            request = b"" if post is None else content(post.text, other["request"]["postData"].get("encoding"))
            assert entry.request.bodySize == len(request)
            if body is None and response.status and found.size == 0: body = b""
            left[key(entry.request.method, entry.request.url, response.status, microseconds(entry.startedDateTime),
                [field.name for field in response.headers], body if response.status and found.size >= 0 else None, request)] -= 1
            # What crossed the network is known where no coding was removed.
            if body is not None and found.size >= 0 and response.status:
                one = bodies[entry.request.url, body]
                assert response.bodySize == (-1 if one["isCoded"] else len(body)), (entry.request.url, response.bodySize, len(body))
        assert not any(left.values()), [(one, count) for one, count in left.items() if count][:4]
        # All entries are in a page of the reader: those of no page in one of its own.
        pages = [page for page in har.pages if page.page_id != "unknown"]
        assert sum(len(page.entries) for page in har.pages) == len(log.entries)
        for page, line in zip(pages, open("pages")):
            one = json.loads(line)
            assert page.title == one["title"] and page.entries and page.url == one["url"], (page.page_id, page.title, one)
            assert page.actual_page.response.status == 200 and page.get_total_size(page.entries) > 0
        print(len(log.entries), len(pages))
        """
}
