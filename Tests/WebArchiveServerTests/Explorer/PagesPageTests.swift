// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay
@testable import WebArchiveServer

/// The way into an archive of a crawl: its pages and hosts.
@Suite struct PagesPageTests {
    private func client(_ pages: [ArchivePage], _ fill: (ArchiveWriter) throws -> Void = { _ in }) throws
        -> ExplorerClient
    {
        let sample = try ReplaySample { try fill($0) }
        let builder = try CommitBuilder(appendingTo: sample.path)
        for page in pages { try builder.add(page) }
        try builder.commit()
        return try ExplorerClient(sample)
    }

    @Test func partsAreTheWholeList() throws {
        let all = (0..<250).map { ArchivePage(url: "https://site.example/\($0)", title: "Page \($0)") }
        let client = try client(all)
        #expect(try client.json("/-/api/archives")["pages"] as? Int == 250)
        var (found, next) = ([] as [String], 0 as Int?)
        while let start = next {
            let part = try client.json("/-/api/pages?from=\(start)")
            for page in try #require(part["pages"] as? [[String: Any]]) {
                found.append(try #require(page["title"] as? String))
            }
            next = part["next"] as? Int
        }
        #expect(found == all.map { $0.title })
        let html = try client.html("/-/")
        #expect(html.contains(">Page 9</a>") && !html.contains(">Page 10</a>") && html.contains("All 250 pages"))
        #expect(try client.html("/-/pages?from=100").contains("101 to 200 of 250 pages."))
        for from in ["-1", "x", "250", "99999999999999999999", "9223372036854775807"] {
            #expect(client.get("/-/pages?from=\(from)").status == 200)
        }
    }

    /// A list of long texts comes in shorter parts, each of at least one page.
    @Test func longTitles() throws {
        let client = try client(
            (0..<12).map {
                ArchivePage(url: "https://site.example/", title: "\($0)" + String(repeating: "x", count: 1_000_000))
            })
        let part = try client.json("/-/api/pages")
        let count = try #require(part["pages"] as? [Any]).count
        #expect((1...4).contains(count) && part["next"] as? Int == count)
    }

    @Test func markupIsText() throws {
        let client = try client([
            ArchivePage(url: "https://site.example/<b>", title: "<script>alert(1)</script>\u{202E}")
        ])
        for path in ["/-/", "/-/pages"] {
            let html = try client.html(path)
            #expect(html.contains("&lt;script&gt;") && !html.contains("<script") && !html.contains("\u{202E}"))
        }
    }

    /// A page leads to its own capture.
    @Test func pagesLeadToTheirCaptures() throws {
        let times = [1_500_000_000, 1_600_000_000].compactMap { ArchiveTime(seconds: $0) }
        let url = "https://site.example/dated"
        let client = try client(times.map { ArchivePage(url: url, time: $0) }) { writer in
            for time in times {
                try writer.add(
                    ArchiveRequest(url: url), response: ArchiveResponse(),
                    body: writer.addBody(Array("\(time.nanoseconds)".utf8)), time: time)
            }
        }
        let links = try client.html("/-/pages").matches(of: #/href="(/-/entry\?url=[^"]*)"/#).map { String($0.1) }
        #expect(links.count == 2)
        for (link, time) in zip(links, times) {
            let path = link.replacing("/-/entry", with: "/-/api/entry").replacing("&amp;", with: "&")
            #expect(try client.json(path)["time"] as? Int64 == time.nanoseconds)
        }
    }

    /// Hosts are counted over all commits and ports.
    @Test func hostsAreCounted() throws {
        let client = try client([]) { writer in
            for number in 0..<30 { try ReplaySample.add("http://many.example:81/\(number)", "text/plain", [1], writer) }
            for number in 0..<120 { try ReplaySample.add("http://h\(number).example/", "text/plain", [1], writer) }
        }
        let data = try client.json("/-/api/archives")
        let hosts = try #require(data["hosts"] as? [[String: Any]])
        #expect(hosts.count == 100 && data["otherHosts"] as? Int == 23 && data["allHosts"] as? Bool == true)
        #expect(hosts.first?["origin"] as? String == "http://many.example:81" && hosts.first?["entries"] as? Int == 30)
        let html = try client.html("/-/")
        #expect(html.contains("23 more hosts") && html.contains("/-/entries?q=http%3A%2F%2Fmany.example%3A81%2F"))
        let entries = try client.json("/-/api/entries?q=http%3A%2F%2Fmany.example%3A81%2F")
        #expect((entries["entries"] as? [Any])?.count == 30)
    }

    @Test func withoutAList() throws {
        let client = try ExplorerClient(ReplaySample())
        #expect(try client.html("/-/pages").contains("no list of pages"))
        #expect(try !client.html("/-/").contains("<h2>Pages</h2>"))
    }

    /// The entry of a URL at a time is the nearest one of all archives.
    @Test func captureOfALaterArchive() throws {
        func sample(_ seconds: Int64, _ text: String) throws -> ReplaySample {
            try ReplaySample { writer in
                try writer.add(
                    ArchiveRequest(url: "https://site.example/p"), response: ArchiveResponse(),
                    body: writer.addBody(Array(text.utf8)), time: ArchiveTime(seconds: seconds))
            }
        }
        let client = try ExplorerClient(sample(2_000, "first"), and: [sample(1_000, "second")])
        func layer(_ seconds: Int) throws -> Int? {
            let object = try client.json("/-/api/entry?url=https://site.example/p&time=\(seconds)000000000")
            return object["layer"] as? Int
        }
        #expect(try layer(2_000) == 0 && layer(1_000) == 1 && layer(1_400) == 1 && layer(1_500) == 1)
    }

    /// A damaged key costs the list of hosts, not the page.
    @Test func damagedKeys() throws {
        let sample = try ReplaySample { writer in
            for number in 0..<1_000 {
                try writer.add(
                    ArchiveRequest(url: "https://zzz.example/\(number)/" + String(repeating: "x", count: 100)),
                    response: ArchiveResponse(), body: writer.addBody([1]))
            }
        }
        var bytes = try sample.folder.read("site.webarc")
        let key = Array("https://zzz.example/".utf8)
        let marks = bytes.indices.filter { bytes[$0] == key[0] && bytes[$0...].starts(with: key) }
        try #require(marks.count > 20)
        // Keys are compressed in groups that begin with a whole one. The first can share a page with the site that is served.
        for mark in marks.dropFirst(10) { bytes[mark] ^= 1 }
        try sample.folder.write("site.webarc", bytes)
        let client = try ExplorerClient(sample)
        #expect(try client.html("/-/").contains("The hosts are not listed"))
    }
}
