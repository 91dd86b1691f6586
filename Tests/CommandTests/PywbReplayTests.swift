// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite("replay by pywb", .enabled(if: WebArchivers.areThere, "Tools/setup --tests installs it"))
struct PywbReplayTests {
    /// Every body of an exported WACZ file is served as it is in the archive, with its status.
    @Test(arguments: ExportedSample.Kind.possible) func bodies(_ kind: ExportedSample.Kind) throws {
        let sample = try ExportedSample(kind)
        let wacz = try sample.exported("out.wacz")
        let count = try writeCaptures(of: sample)
        let server = try PywbServer(wacz, in: sample.folder.url)
        let result = try ExternalTool.run(
            ["python3", "-c", Self.script, String(server.port), PywbServer.collection, wacz.string],
            in: sample.folder.url)
        #expect(result.status == 0, "\(result.text.prefix(3000))\(result.errorText.suffix(2000))")
        let counts = result.lines.last?.split(separator: " ").compactMap { Int($0) } ?? []
        try #require(counts.count == 3 && counts[0] == count && count > 10, "\(counts)")
        #expect(counts[1] >= count / 2 && counts[2] <= count / 10, "\(counts)")
    }

    /// Writes the captures that a client can ask for, one a line, and a file for each body; returns their number.
    private func writeCaptures(of sample: ExportedSample) throws -> Int {
        var lines: [String] = []
        for entry in try ArchiveReader(path: sample.archive).entries() {
            guard try entry.role.isServed, let response = try entry.response, try entry.url.hasPrefix("http"),
                try ["GET", "POST"].contains(entry.method)
            else { continue }
            let name = "body\(lines.count)"
            try sample.folder.write(name, try entry.body?.bytes() ?? [])
            try sample.folder.write("\(name).request", try entry.requestBody?.bytes() ?? [])
            let object: [String: Any] = [
                "url": try entry.url, "seconds": (try entry.time?.nanoseconds ?? 0) / 1_000_000_000,
                "method": try entry.method, "type": try entry.request.headers["Content-Type"] ?? "",
                "status": Int(response.status), "location": response.headers["Location"] ?? "", "body": name,
            ]
            lines.append(String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self))
        }
        try sample.folder.write("captures", Array(lines.joined(separator: "\n").utf8))
        return lines.count
    }

    private static let script = """
        import collections, gzip, http.client, json, sys, time, urllib.parse, zipfile
        port, collection, wacz = sys.argv[1:]
        captures = [json.loads(line) for line in open("captures")]
        for one in captures:
            one["time"] = time.strftime("%Y%m%d%H%M%S", time.gmtime(one["seconds"]))
            one["bytes"] = open(one["body"], "rb").read()
        # pywb finds a capture by its key and its second. URLs such as those with and without a slash at the end share a key, so that
        # it serves one of several records in one second.
        keys, records, twins = collections.defaultdict(set), collections.defaultdict(list), collections.defaultdict(list)
        for line in gzip.decompress(zipfile.ZipFile(wacz).read("indexes/index.cdx.gz")).decode().splitlines():
            key, second, entry = line.split(" ", 2)
            entry = json.loads(entry)
            keys[entry["url"], second, entry.get("method", "GET")].add(key)
            records[key, second].append(entry.get("mime"))
        for one in captures:
            one["keys"] = keys[one["url"], one["time"], one["method"]]
            for key in one["keys"]: twins[key, one["time"]].append(one)
        connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
        wrong = alone = loops = 0
        for one in captures:
            url = urllib.parse.quote(one["url"], safe="/:?#[]@!$&'()*+,;=%")
            path = f"/{collection}/{one['time']}id_/{url}"
            body = open(one["body"] + ".request", "rb").read() or None
            connection.request(one["method"], path, body, {"Content-Type": one["type"]} if one["type"] else {})
            response = connection.getresponse()
            got = response.status, response.read()
            target = urllib.parse.urljoin(one["url"], one["location"])
            if one["location"] and 300 <= one["status"] < 400 and (target == one["url"] or keys[target, one["time"], "GET"] & one["keys"]):
                # pywb does not serve a redirect to its own key, but another record with this key, or an error.
                loops += 1
                continue
            others = [twin for key in one["keys"] for twin in twins[key, one["time"]]]
            total = sum(len(records[key, one["time"]]) for key in one["keys"])
            alone += total == 1
            wanted = [(twin["status"], twin["bytes"]) for twin in others]
            # pywb leaves out the body of a redirect that is a revisit.
            if 300 <= got[0] < 400 and any("warc/revisit" in records[key, one["time"]] for key in one["keys"]):
                wanted += [(status, b"") for status, _ in wanted]
            if total == len(others) and got not in wanted:
                wrong += 1
                print(one["method"], path, total, "wanted", one["status"], one["bytes"][:60], "got", got[0], got[1][:60])
        print(len(captures), alone, loops)
        sys.exit(wrong > 0)
        """
}
