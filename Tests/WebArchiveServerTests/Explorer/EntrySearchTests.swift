// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay
@testable import WebArchiveServer

@Suite struct EntrySearchTests {
    private func urls(_ query: String, _ site: ReplaySite) throws -> [String] {
        try EntrySearch(QueryFields(query)).run(site).rows.map(\.url)
    }

    @Test func findsByTextAndByFilter() throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(method: "POST", url: "https://site.example/Form?a=%C3%A4"),
                response: ArchiveResponse(status: 404, headers: ["Content-Type": "text/plain"]))
            try writer.add(ArchiveRequest(url: "https://site.example/silent"), response: nil)
        }
        let site = try ReplaySite([ArchiveReader(path: sample.path)])
        let form = "https://site.example/Form?a=%C3%A4"
        let expected: [(String, [String])] = [
            ("q=FONT", ["https://cdn.example/font.woff2"]),
            ("q=site+st", ["https://site.example/style.css"]),
            ("q=form", [form]), ("q=%C3%A4", [form]), ("q=HTTPS://Site.example/F", [form]),
            ("q=https://site.example/f", ["https://site.example/film.webm"]),
            ("type=video/", ["https://site.example/film.webm"]), ("type=TEXT/css", ["https://site.example/style.css"]),
            ("status=404", [form]), ("status=4xx", [form]), ("method=POST", [form]),
            ("kind=redirect", ["https://site.example/away", "https://site.example/old"]),
            ("kind=none", ["https://site.example/silent"]), ("kind=redirect&q=old", ["https://site.example/old"]),
            ("q=nowhere", []), ("layer=1", []), ("type=video/&status=3", []),
        ]
        for (query, urls) in expected { #expect(try self.urls(query, site) == urls, "\(query)") }
        let search = EntrySearch(
            QueryFields("type=\(String(repeating: "A", count: 9000))&method=\(String(repeating: "M", count: 9000))"))
        #expect(search.type == String(repeating: "a", count: 100) && search.method.utf8.count == 100)
        // Of very many words some count.
        #expect(try self.urls("q=form" + String(repeating: "+form", count: 300) + "+nowhere", site) == [form])
        #expect(try urls("", site).count == site.layers[0].entryCount)
    }

    /// All pages together are the list of all, however many entries a page has.
    @Test(arguments: ["", "q=7", "status=3", "q=https://many.example/1"]) func pagesAddUp(query: String) throws {
        let base = try ReplaySample()
        let patch = try ReplaySample("patch.webarc", withSite: false)
        for part in 0..<4 {
            let writer = try ArchiveWriter(appendingTo: patch.path)
            for number in 0..<10 {
                // Several entries of one URL, in several commits.
                try writer.add(
                    ArchiveRequest(url: "https://many.example/\((number + part) % 8)\(number % 3)"),
                    response: ArchiveResponse(status: number % 3 == 0 ? 301 : 200))
            }
            try writer.commit()
        }
        let site = try ReplaySite([ArchiveReader(path: patch.path), ArchiveReader(path: base.path)])
        let all = try EntrySearch(QueryFields(query + "&limit=500")).run(site)
        #expect(all.next == nil && all.rows.count > 3)
        for limit in [1, 2, 3, 7, 49] {
            var search = EntrySearch(QueryFields(query))
            search.limit = limit
            var found: [EntryID] = []
            repeat {
                let page = try search.run(site)
                #expect(page.rows.count <= limit)
                found += page.rows.map(\.id)
                search.after = page.next
            } while search.after != nil && found.count <= all.rows.count
            #expect(found == all.rows.map(\.id), "\(limit)")
        }
    }

    /// A word that is nowhere is not looked for in all of a large archive at once, and the rest is said to be left.
    @Test func oneRequestLooksAtSome() throws {
        let count = EntrySearch.longestLook + 5000
        let sample = try ReplaySample(withSite: false) { writer in
            for number in 0..<count {
                try writer.add(ArchiveRequest(url: "https://large.example/\(number)"), response: nil)
            }
            try ReplaySample.add("https://large.example/z", "text/plain", [1], writer)
        }
        let site = try ReplaySite([ArchiveReader(path: sample.path)])
        var search = EntrySearch(QueryFields("q=/z"))
        let first = try search.run(site)
        #expect(first.rows.isEmpty && first.looked == EntrySearch.longestLook && first.next != nil)
        search.after = first.next
        let second = try search.run(site)
        #expect(second.rows.map(\.url) == ["https://large.example/z"] && second.next == nil)
        #expect(first.looked + second.looked == count + 1)
        let deep = try EntrySearch(QueryFields("after=0.0.\(count - 10)&limit=3")).run(site)
        #expect(deep.looked <= 4 && deep.rows.count == 3)
    }

    @Test(arguments: [
        "after=", "after=9.9.9", "after=0.0.99999", "after=x", "limit=0", "limit=-1", "limit=x", "layer=-1",
    ])
    func nonsenseIsNoHarm(query: String) throws {
        let sample = try ReplaySample()
        let site = try ReplaySite([ArchiveReader(path: sample.path)])
        _ = try EntrySearch(QueryFields(query)).run(site)
    }
}
