// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct CacheValidationTests {
    private static let day = CacheSample.date(-86_400)
    private static let week = CacheSample.date(-7 * 86_400)

    /// Fields of the stored response, fields of the 304, and whether that is about this one.
    private static let cases: [(HeaderFields, HeaderFields, Bool)] = [
        (["ETag": "\"a\""], ["ETag": "\"a\""], true),
        (["ETag": "\"a\""], ["ETag": "\"b\""], false),
        (["ETag": "\"a\""], ["ETag": "\"A\""], false),
        // The table of RFC 9110 section 8.8.3.2; a strong tag is compared strongly.
        (["ETag": "W/\"1\""], ["ETag": "W/\"1\""], true),
        (["ETag": "W/\"1\""], ["ETag": "W/\"2\""], false),
        (["ETag": "W/\"1\""], ["ETag": "\"1\""], false),
        (["ETag": "\"1\""], ["ETag": "W/\"1\""], true),
        // A strong tag alone decides.
        (["ETag": "\"a\"", "Last-Modified": day], ["ETag": "\"a\"", "Last-Modified": week], true),
        (["Last-Modified": day], ["ETag": "\"a\"", "Last-Modified": day], false),
        ([:], ["ETag": "\"a\""], false),
        (["ETag": "\"a\"", "Last-Modified": day], ["Last-Modified": day], true),
        (["ETag": "\"a\"", "Last-Modified": day], ["Last-Modified": week], false),
        (["Last-Modified": day], ["ETag": "W/\"a\"", "Last-Modified": day], true),
        ([:], ["ETag": "W/\"a\""], false),
        ([:], ["Last-Modified": day], false),
        // Many servers leave the validators out.
        ([:], [:], true),
        (["ETag": "\"a\""], [:], true),
        (["ETag": "\"a\""], ["ETag": "nonsense"], true),
        (["Last-Modified": "Sunday, 06-Nov-94 08:49:37 GMT"], ["Last-Modified": CacheSample.date()], true),
    ]

    @Test(arguments: cases.indices) func validatorsChooseTheStoredResponse(number: Int) {
        let (stored, update, isChosen) = Self.cases[number]
        #expect(HTTPCaching().isChosen(CacheSample.response(stored), by: update) == isChosen, "\(Self.cases[number])")
    }

    @Test func a304ReplacesFieldsOfTheSameNameWhateverTheirNumber() {
        let stored = ArchiveResponse(headers: [
            "X-Kept": "1", "x-list": "a", "X-List": "b", "Cache-Control": "max-age=1", "ETag": "W/\"a\"",
        ])
        let response = HTTPCaching().freshened(
            stored, by: ["X-LIST": "c", "Cache-Control": "max-age=2", "X-New": "n", "x-list": "d", "ETag": "W/\"a\""])
        #expect(response.headers.filter { $0.isNamed("x-list") }.map(\.value) == ["c", "d"])
        #expect(response.headers["X-Kept"] == "1")
        #expect(response.headers["X-New"] == "n")
        #expect(response.headers["Cache-Control"] == "max-age=2")
        #expect(response.status == 200)
    }

    @Test(arguments: [
        "Content-Length", "Content-Encoding", "Content-Range", "Transfer-Encoding", "Connection", "Keep-Alive",
        "Proxy-Authenticate", "Proxy-Connection", "TE", "Trailer", "Upgrade", "X-Hop",
    ]) func fieldsOfTheConnectionAndOfTheBytesStay(name: String) {
        let fields = [HeaderField(name: name, value: "new"), HeaderField(name: "connection", value: "close, x-hop")]
        let with = HTTPCaching().freshened(
            ArchiveResponse(headers: [HeaderField(name: name, value: "old")]), by: HeaderFields(fields))
        #expect(with.headers[name] == "old")
        let without = HTTPCaching().freshened(ArchiveResponse(), by: HeaderFields(fields))
        #expect(without.headers[name] == nil)
    }

    @Test func separatelyStoredPartsOfAFieldFollowIt() throws {
        let stored = ArchiveResponse(
            headers: ["Content-Type": "text/html; charset=latin1", "Last-Modified": Self.week],
            modified: try CacheSample.time(-7 * 86_400), codings: ["gzip"])
        let response = HTTPCaching().freshened(
            stored, by: ["Content-Type": "text/plain; charset=UTF-8", "Last-Modified": Self.day])
        #expect(response.mediaType == "text/plain")
        #expect(response.charset == "utf-8")
        #expect(response.modified == (try CacheSample.time(-86_400)))
        #expect(response.codings == ["gzip"])
        let same = HTTPCaching().freshened(stored, by: [:])
        #expect(same.charset == "latin1" && same.modified == stored.modified)
    }

    @Test func aResponseThatWasFoundToHoldIsAsFreshAsANewOne() throws {
        let stored = CacheSample.response(["Cache-Control": "max-age=60", "Age": "50"])
        let later = try CacheSample.time(100_000)
        for update: HeaderFields in [[:], ["Date": CacheSample.date(100_000)]] {
            let response = HTTPCaching().freshened(stored, by: update)
            let freshness = ResponseFreshness(of: response, received: later, now: later, HTTPCaching())
            #expect(freshness == ResponseFreshness(lifetime: .seconds(60), age: .zero))
        }
        let relayed = HTTPCaching().freshened(stored, by: ["Age": "7"])
        #expect(ResponseFreshness(of: relayed, received: later, now: later, HTTPCaching()).age == .seconds(7))
    }
}
