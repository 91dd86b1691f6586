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
            ("kind=none", ["https://site.example/silent"]), ("method=GET&q=silent", ["https://site.example/silent"]),
            ("kind=redirect&q=old", ["https://site.example/old"]),
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

    /// Words that nearly match everywhere in long URLs: a request searches some of them, and the next one continues.
    @Test func comparingCountsInLongURLs() throws {
        let path = String(repeating: "a", count: 30_000)
        let sample = try ReplaySample(withSite: false) { writer in
            for number in 0..<200 {
                try writer.add(
                    ArchiveRequest(url: "https://site.example/\(path)/\(number)"), response: ArchiveResponse())
            }
        }
        let site = try ReplaySite([ArchiveReader(path: sample.path)])
        let word = String(repeating: "a", count: 120) + "b"
        func run(_ words: Int) throws -> EntrySearch.Page {
            let text = Array(repeating: word, count: words).joined(separator: "+")
            return try EntrySearch(QueryFields("q=\(text)")).run(site, budget: 32 << 20)
        }
        let one = try run(1)
        #expect(one.next == nil && one.looked == 200)
        let many = try run(16)
        #expect(many.isCut && many.next != nil && (1..<100).contains(many.looked))
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

    private func large(_ count: Int) throws -> ReplaySite {
        let sample = try ReplaySample(withSite: false) { writer in
            for number in 0..<count {
                try writer.add(ArchiveRequest(url: "https://large.example/\(number)"), response: nil)
            }
            try ReplaySample.add("https://large.example/z", "text/plain", [1], writer)
        }
        return try ReplaySite([ArchiveReader(path: sample.path)])
    }

    /// However far down an archive the only hit is, the first page has it.
    @Test func oneRequestLooksThroughTheArchive() throws {
        let count = 25_000
        let site = try large(count)
        let page = try EntrySearch(QueryFields("q=/z")).run(site)
        #expect(page.rows.map(\.url) == ["https://large.example/z"])
        #expect(page.next == nil && !page.isCut && page.looked == count + 1)
        let deep = try EntrySearch(QueryFields("after=0.0.\(count - 10)&limit=3")).run(site)
        #expect(deep.looked <= 4 && deep.rows.count == 3)
    }

    /// A request that has used up its budget says how far it came, and those that go on find every entry once.
    @Test(arguments: ["q=/z", "", "status=200"]) func requestsGoOnWhereTheBudgetEnded(query: String) throws {
        let site = try large(3000)
        let all = try EntrySearch(QueryFields(query + "&limit=500")).run(site)
        var search = EntrySearch(QueryFields(query))
        search.limit = 500
        var (found, requests, cuts): ([EntryID], Int, Int) = ([], 0, 0)
        repeat {
            let page = try search.run(site, budget: 100_000)
            #expect(page.looked > 0 && page.isCut == (page.next != nil))
            found += page.rows.map(\.id)
            (requests, cuts) = (requests + 1, cuts + (page.isCut ? 1 : 0))
            search.after = page.next
        } while search.after != nil && requests < 1000 && found.count < 500
        #expect(cuts > 0 && Array(found.prefix(500)) == all.rows.map(\.id))
    }

    /// A budget that one entry exceeds is an error, for a link to go on would lead nowhere.
    @Test func budgetOfLessThanAnEntryIsRefused() throws {
        let site = try large(10)
        #expect(failure { _ = try EntrySearch().run(site, budget: 10) } == Failure(.limitExceeded))
    }

    /// An archive that was replaced by a shorter one between two pages: none of its entries is passed over, and the page says so.
    @Test(arguments: ["0.0.99999", "0.7.0", "5.0.0"]) func aPositionThatIsGoneBeginsAnew(_ gone: String) throws {
        let client = try ExplorerClient(ReplaySample())
        func ids(_ page: [String: Any]) throws -> [String] {
            try #require(page["entries"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        }
        let all = try client.json("/-/api/entries?limit=500")
        #expect(all["restarted"] as? Bool == false)
        let anew = try client.json("/-/api/entries?limit=500&after=\(gone)")
        #expect(anew["restarted"] as? Bool == true)
        #expect(try ids(anew) == ids(all) && !ids(all).isEmpty)
        #expect(try client.html("/-/entries?after=\(gone)").contains("has been replaced"))
        let first = try #require(try ids(all).first)
        let next = try client.json("/-/api/entries?limit=500&after=\(first)")
        #expect(try next["restarted"] as? Bool == false && ids(next) == Array(ids(all).dropFirst()))
        #expect(try !client.html("/-/entries?after=\(first)").contains("has been replaced"))
    }

    @Test func pagesSayWhatIsLeft() throws {
        let site = try large(2000)
        func text(_ query: String, budget: Int = EntrySearch.usualBudget) throws -> String {
            let search = EntrySearch(QueryFields(query))
            let found = try search.run(site, budget: budget)
            return EntryListPage(search: search, found: found, count: search.count(in: site)).page.html
        }
        let cut = try text("q=/z", budget: 100_000)
        #expect(
            cut.contains("0 entries found so far") && cut.contains("of 2,001 entries")
                && cut.contains(">Continue the search<"))
        let whole = try text("q=/z")
        #expect(
            whole.contains("1 entry found.") && !whole.contains(">Continue the search<")
                && !whole.contains(">Next page<"))
        #expect(try text("").contains(">Next page<"))
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
