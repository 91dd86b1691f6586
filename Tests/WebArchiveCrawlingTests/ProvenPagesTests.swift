// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCrawling

@Suite struct ProvenPagesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func archive(_ fill: (ArchiveWriter) throws -> Void) throws -> ArchiveReader {
        let path = folder.path("site.webarc")
        let writer = try ArchiveWriter(creating: path)
        try fill(writer)
        try writer.commit()
        return try ArchiveReader(path: path)
    }

    private func add(
        _ url: String, type: String = "text/html; charset=utf-8", status: Int = 200, method: String = "GET",
        _ writer: ArchiveWriter
    ) throws {
        try writer.add(
            ArchiveRequest(method: method, url: url),
            response: ArchiveResponse(status: status, headers: ["Content-Type": type]), body: writer.addBody([0x61]))
    }

    /// Documents of status 200 to GET, the main page first; not what is no page.
    @Test func documentsWithoutAList() throws {
        let archive = try archive { writer in
            try add("https://a.example/", writer)
            try add("https://a.example/b.html", writer)
            try add("https://a.example/b.html", writer)
            try add("https://a.example/main", writer)
            try add("https://a.example/gone", status: 404, writer)
            try add("https://a.example/form", method: "POST", writer)
            try add("https://a.example/a.js", type: "text/javascript", writer)
            try writer.setMetadata("mainPage", to: "https://a.example/main")
        }
        let pages = try ProvenPages(of: archive)
        #expect(pages.pages.map(\.url) == ["https://a.example/main", "https://a.example/", "https://a.example/b.html"])
    }

    /// Of several captures of a page the newest, or the nearest to the wanted time, in the place of the first.
    @Test func pagesOfTheList() throws {
        let times = [100, 300, 200].map { ArchiveTime(seconds: $0)! }
        let path = folder.path("listed.webarc")
        let builder = try CommitBuilder(creating: path, options: ArchiveWriter.Options())
        for time in times { try builder.add(ArchivePage(url: "https://a.example/", time: time)) }
        try builder.add(ArchivePage(url: "https://b.example/missing"))
        try builder.commit()
        let archive = try ArchiveReader(path: path)
        let newest = try ProvenPages(of: archive).pages
        #expect(newest.map(\.url) == ["https://a.example/", "https://b.example/missing"])
        #expect(newest[0].time == times[1])
        #expect(newest[0].number == 1)
        #expect(try ProvenPages(of: archive, at: ArchiveTime(seconds: 120)).pages[0].time == times[0])
        // A page that is named has the text and the picture of the list.
        #expect(try ProvenPages(["https://A.example"], of: archive).pages[0].number == 1)
        #expect(try ProvenPages(["https://c.example/"], of: archive).pages.map(\.url) == ["https://c.example/"])
    }

    @Test func samplesComeAgain() throws {
        let archive = try archive { writer in
            for number in 0..<50 { try add("https://a.example/\(number)", writer) }
        }
        func sample(_ count: Int, _ seed: UInt64) throws -> [String] {
            var pages = try ProvenPages(of: archive)
            pages.sample(count, seed: seed)
            #expect(pages.total == 50)
            return pages.pages.map(\.url)
        }
        let seed = SeededGenerator().seed
        let all = try sample(50, seed)
        #expect(all.count == 50)
        let first = try sample(10, seed)
        #expect(first.count == 10, "seed \(seed)")
        #expect(try sample(10, seed) == first, "seed \(seed)")
        // In the order of the archive, and not always the same.
        #expect(first == all.filter(Set(first).contains), "seed \(seed)")
        #expect(try Set((0..<8).map { try sample(10, seed &+ $0 &+ 1) } + [first]).count > 1, "seed \(seed)")
    }
}
