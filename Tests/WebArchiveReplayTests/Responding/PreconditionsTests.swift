// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

@Suite struct PreconditionsTests {
    private let sample: ReplaySample
    private let responder: ReplayResponder
    private let tag = "\"\(ContentDigest(hashing: ReplaySample.page))\""
    private let url = "https://site.example/"

    init() throws {
        sample = try ReplaySample()
        responder = try sample.responder()
    }

    private func status(_ fields: HTTPFields) -> Int { responder.get(url, fields).status }

    @Test func ifNoneMatchIsWeak() {
        for value in [tag, "W/\(tag)", "\"other\", \(tag)", "\"a,b\",W/\(tag)", "*"] {
            #expect(status([.ifNoneMatch: value]) == 304, "\(value)")
        }
        for value in ["\"other\"", "\"\"", "W/\"other\"", "nonsense", tag.replacing("\"", with: "")] {
            #expect(status([.ifNoneMatch: value]) == 200, "\(value)")
        }
    }

    @Test func ifMatchIsStrong() {
        #expect(status([.ifMatch: tag]) == 200)
        #expect(status([.ifMatch: "*"]) == 200)
        #expect(status([.ifMatch: "W/\(tag)"]) == 412)
        #expect(status([.ifMatch: "\"other\""]) == 412)
    }

    /// 784111777 is the second that RFC 9110 section 5.6.7 writes in three ways.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func dates(_ date: String) {
        #expect(FieldDate.nanoseconds(date) == 784_111_777_000_000_000)
        #expect(status([.ifModifiedSince: date]) == 304)
        #expect(status([.ifUnmodifiedSince: date]) == 200)
    }

    @Test func earlierDates() {
        let earlier = "Sun, 06 Nov 1994 08:49:36 GMT"
        #expect(status([.ifModifiedSince: earlier]) == 200)
        #expect(status([.ifUnmodifiedSince: earlier]) == 412)
        #expect(status([.ifModifiedSince: "yesterday"]) == 200)
    }

    @Test func tagsWinOverDates() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(status([.ifNoneMatch: "\"other\"", .ifModifiedSince: date]) == 200)
        #expect(status([.ifMatch: tag, .ifUnmodifiedSince: "Sun, 06 Nov 1994 08:49:36 GMT"]) == 200)
    }

    @Test func ifRange() throws {
        for condition in [tag, "Sun, 06 Nov 1994 08:49:37 GMT"] {
            let part = responder.get(url, [.range: "bytes=2-4", .ifRange: condition])
            #expect(part.status == 206)
            #expect(try part.content() == Array(ReplaySample.page[2...4]))
        }
        for condition in ["\"other\"", "W/\(tag)", "Sun, 06 Nov 1994 08:49:36 GMT"] {
            let whole = responder.get(url, [.range: "bytes=2-4", .ifRange: condition])
            #expect(whole.status == 200)
            #expect(try whole.content() == ReplaySample.page)
        }
    }

    /// RFC 9110 section 15.4.5: the fields that a cache needs, and none that describe content.
    @Test func fieldsOfNotModified() throws {
        let response = responder.get(url, [.ifNoneMatch: tag])
        #expect(response.field(.eTag) == tag)
        #expect(response.field(.contentType) == nil)
        #expect(response.field(.contentLength) == nil)
        #expect(try response.content().isEmpty)
    }
}
