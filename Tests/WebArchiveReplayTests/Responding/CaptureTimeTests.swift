// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

/// Captures by time: RFC 7089, and the pages that parts belong to.
@Suite struct CaptureTimeTests {
    private static let years: [Int64] = [2018, 2020, 2022]

    /// January 1 of a year.
    private static func start(of year: Int64) -> ArchiveTime? {
        ArchiveTime(seconds: CivilCalendar.day(year, 1, 1) * CivilCalendar.secondsOfDay)
    }

    private static func date(_ year: Int64) -> String {
        HTTPDate.text(nanoseconds: start(of: year)?.nanoseconds ?? 0)
    }

    private static func text(_ name: String, _ year: Int64) -> String { "\(name) of \(year)" }

    /// Three captures of a style sheet, of which the first is the longest, one page of 2018, and one file without others.
    private func sample(isRecording: Bool = true) throws -> ReplaySample {
        let sample = try ReplaySample(withSite: false) { writer in
            func add(_ name: String, _ year: Int64) throws {
                try writer.add(
                    ArchiveRequest(url: "https://site.example/\(name)"),
                    response: ArchiveResponse(headers: ["Content-Type": "text/css"], modified: Self.start(of: year)),
                    body: writer.addBody(Array(Self.text(name, year).utf8)), time: Self.start(of: year))
            }
            for year in Self.years { try add("style.css", year) }
            try add("page", 2018)
            try add("new", 2022)
            try writer.setMetadata("mainPage", to: "https://site.example/page")
        }
        guard isRecording else { return sample }
        let builder = try CommitBuilder(appendingTo: sample.path)
        try builder.add(ArchivePage(url: "https://site.example/page"))
        try builder.commit()
        return sample
    }

    private func responder(_ sample: ReplaySample, at year: Int64? = nil) throws -> ReplayResponder {
        ReplayResponder(try ReplaySite([ArchiveReader(path: sample.path)], time: year.flatMap(Self.start)))
    }

    private let style = "https://site.example/style.css"

    @Test func theSiteHasATime() throws {
        for (year, expected) in [(nil, 2022), (2017, 2018), (2019, 2018), (2020, 2020), (2030, 2022)]
            as [(Int64?, Int64)]
        {
            let responder = try responder(sample(), at: year)
            // Twice: the second time from memory.
            for _ in 0..<2 {
                let response = responder.get(style)
                #expect(try response.text == Self.text("style.css", expected))
                #expect(response.field(.mementoDatetime) == Self.date(expected))
                #expect(try responder.getPath("/style.css").text == Self.text("style.css", expected))
            }
            let sole = responder.get("https://site.example/new")
            #expect(sole.field(.mementoDatetime) == year.map { _ in Self.date(2022) })
        }
    }

    /// A request's own time, RFC 7089 section 2.1.1, comes before that of the site.
    @Test(arguments: [nil, 2018] as [Int64?])
    func negotiation(_ siteYear: Int64?) throws {
        let responder = try responder(sample(), at: siteYear)
        for (year, expected) in [(2022, 2022), (2020, 2020), (2018, 2018), (1999, 2018), (2020, 2020)]
            as [(Int64, Int64)]
        {
            for method in [HTTPRequest.Method.get, .head] {
                let response = responder.get(style, [.acceptDatetime: Self.date(year)], method: method)
                #expect(response.status == 200 && response.field(.mementoDatetime) == Self.date(expected))
                #expect(response.field(.vary) == "accept-datetime")
                #expect(response.field(.link) == "<\(style)>; rel=\"original timegate\"")
                #expect(response.field(.contentLength) == "17")
                if method == .get { #expect(try response.text == Self.text("style.css", expected)) }
            }
        }
        // The sole memento of a resource: section 4.5.6.
        let sole = responder.get("https://site.example/new", [.acceptDatetime: Self.date(1999)])
        #expect(sole.field(.mementoDatetime) == Self.date(2022) && sole.field(.vary) == "accept-datetime")
        // As a server of one site it has no negotiation.
        let direct = responder.getPath("/style.css", [.acceptDatetime: Self.date(2020)])
        #expect(try direct.text == Self.text("style.css", siteYear ?? 2022))
        #expect(direct.field(.link) == nil)
    }

    @Test(arguments: ["2020", "Wed, 01 Jan 2020 00:00:00 UTC", "Thu, 01 Jan 2020 00:00:00 GMT", ""])
    func invalidDatetime(_ value: String) throws {
        let responder = try responder(sample())
        for method in [HTTPRequest.Method.get, .head] {
            let response = responder.get(style, [.acceptDatetime: value], method: method)
            #expect(response.status == 400 && response.field(.mementoDatetime) == nil)
            #expect(response.field(.vary)?.hasSuffix("accept-datetime") == true)
            #expect((response.contentLength == 0) == (method == .head))
        }
        // Other methods know no negotiation.
        #expect(responder.get(style, [.acceptDatetime: value], method: .post).status == 405)
    }

    @Test func conditionsAreAboutTheCapture() throws {
        let responder = try responder(sample())
        var tags: Set<String> = []
        for year in Self.years {
            let asked: HTTPFields = [.acceptDatetime: Self.date(year)]
            let tag = try #require(responder.get(style, asked).field(.eTag))
            tags.insert(tag)
            func with(_ name: HTTPField.Name, _ value: String) -> ReplayResponse {
                var fields = asked
                fields[name] = value
                return responder.get(style, fields)
            }
            let notModified = with(.ifNoneMatch, tag)
            #expect(notModified.status == 304 && notModified.field(.mementoDatetime) == Self.date(year))
            #expect(notModified.field(.vary) == "accept-datetime")
            // A date is that of a later capture, unless it is the date of this one.
            for other in Self.years {
                #expect(with(.ifModifiedSince, Self.date(other)).status == (other == year ? 304 : 200))
            }
            var fields = asked
            (fields[.range], fields[.ifRange]) = ("bytes=13-", tag)
            let part = responder.get(style, fields)
            #expect(part.status == 206 && part.field(.mementoDatetime) == Self.date(year))
            #expect(try part.text == "\(year)")
            for other in tags.subtracting([tag]) {
                #expect(with(.ifNoneMatch, other).status == 200)
                let failed = with(.ifMatch, other)
                #expect(failed.status == 412 && failed.field(.mementoDatetime) == nil)
                fields[.ifRange] = other
                #expect(responder.get(style, fields).status == 200)
            }
        }
        #expect(tags.count == Self.years.count)
    }

    @Test func partsAreOfTheTimeOfTheirPage() throws {
        let responder = try responder(sample())
        let page = "https://site.example/page"
        func year(_ fields: HTTPFields) throws -> Int64? {
            let response = responder.get(style, fields)
            #expect(response.field(.vary) == "accept-datetime, Referer" || fields.contains(.acceptDatetime))
            return try Int64(response.text.suffix(4))
        }
        // In any order, from memory or not.
        for _ in 0..<2 {
            #expect(try year([:]) == 2022)
            #expect(try year([.referer: page]) == 2018)
            #expect(try year([.referer: page + "#top"]) == 2018)
            #expect(try year([.referer: "https://site.example/new"]) == 2022)
            #expect(try year([.referer: "https://site.example/none"]) == 2022)
            #expect(try year([.referer: "no URL"]) == 2022)
            // A link leads to the newest capture.
            #expect(try year([.referer: page, .secFetchMode: "navigate"]) == 2022)
            #expect(try year([.referer: page, .acceptDatetime: Self.date(2020)]) == 2020)
        }
        #expect(responder.get(style, [.referer: page], method: .head).field(.mementoDatetime) == Self.date(2018))
        // As the server of one site, for its own pages.
        for (origin, expected) in [
            ("http://localhost:8080", 2018), ("http://localhost:81", 2022), ("https://a.b", 2022),
        ] {
            let response = responder.getPath("/style.css", [.referer: origin + "/page"])
            #expect(try response.text == Self.text("style.css", Int64(expected)))
        }
        #expect(
            try self.responder(sample(), at: 2020).get(style, [.referer: page]).text == Self.text("style.css", 2020))
    }

    /// The captures of a packed site are editions, and its old pages need the newest ones.
    @Test func editionsDoNotFollowPages() throws {
        let responder = try responder(sample(isRecording: false))
        let response = responder.get(style, [.referer: "https://site.example/page"])
        #expect(try response.text == Self.text("style.css", 2022))
        #expect(response.field(.vary) == "accept-datetime")
    }

    /// The captured time of an archive of the web that was captured itself stays: RFC 7089 section 2.1.1.
    @Test func aMementoThatWasCapturedKeepsItsTime() throws {
        let sample = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/memento"),
                response: ArchiveResponse(headers: ["Memento-Datetime": Self.date(1999)]),
                body: writer.addBody([1]), time: Self.start(of: 2020))
        }
        let response = try responder(sample, at: 2020).get("https://site.example/memento")
        #expect(response.head.headerFields[values: .mementoDatetime] == [Self.date(1999)])
    }
}
