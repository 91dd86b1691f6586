// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveBrowser

@testable import WebArchiveCrawling

@Suite struct PageObservationTests {
    private static let time = ArchiveTime(seconds: 1_700_000_000, nanoseconds: 123_456_789)!

    /// An encoded observation comes back, for any order of its requests.
    @Test func roundTrip() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<50 {
            let requests = (0..<Int.random(in: 0...20, using: &random)).map { _ in Self.request(&random) }
            let links = (0..<5).map { "https://a.example/\($0)\u{1F600}\"\\\n" }
            var one = PageObservation(url: "https://a.example/", time: Self.time, requests: requests, links: links)
            var other = PageObservation(
                url: "https://a.example/", time: Self.time, requests: (requests + requests).shuffled(using: &random),
                links: links + links)
            if random.chance(2) { one.conditions.clock = ArchiveTime(seconds: .random(in: 1...9, using: &random)) }
            if random.chance(2) { one.conditions.seed = .random(in: 0 ... .max, using: &random) }
            other.conditions = one.conditions
            #expect(one.encoded() == other.encoded())
            #expect(try PageObservation(decoding: one.encoded()) == one)
            #expect(one.links == links && Set(one.requests) == Set(requests))
        }
    }

    private static func request(_ random: inout SeededGenerator) -> ObservedRequest {
        ObservedRequest(
            method: random.chance(3) ? "POST" : "GET",
            url: "https://a.example/\(Int.random(in: 0..<4, using: &random))",
            status: random.chance(2) ? 0 : 200,
            body: random.chance(2) ? nil : ContentDigest(hashing: random.bytes(2, mask: 1)),
            content: random.chance(2) ? nil : ContentDigest(hashing: random.bytes(2, mask: 1)),
            failure: random.chance(2) ? nil : "net::ERR_FAILED", isFrame: random.chance(2))
    }

    /// Another program reads the members that the format names.
    @Test func asPythonReadsIt() throws {
        let observation = PageObservation(
            url: "https://a.example/", time: Self.time,
            requests: [
                ObservedRequest(method: "POST", url: "https://b.example/\u{E9}", failure: "refused"),
                ObservedRequest(url: "https://a.example/", status: 200, body: .ofNothing, isFrame: true),
            ], links: ["https://a.example/next"])
        let script = """
            import hashlib, json, sys
            page = json.loads(bytes.fromhex(sys.argv[1]))
            first, second = page["requests"]
            assert page["url"] == "https://a.example/" and page["time"] == 1700000000123456789
            assert first["method"] == "GET" and first["status"] == 200 and first["frame"] is True
            assert first["body"] == hashlib.md5(b"").hexdigest() and first["content"] is None
            assert second["url"] == "https://b.example/\\u00e9" and second["failure"] == "refused"
            assert page["links"] == ["https://a.example/next"]
            """
        let result = try ExternalTool.run(["python3", "-c", script, observation.encoded().hexadecimal])
        #expect(result.status == 0, "\(result.errorText)")
    }

    /// Text of strangers is refused with a reason, or read; nothing ends the process.
    @Test func damagedText() throws {
        var random = SeededGenerator.printed()
        let bytes = PageObservation(
            url: "https://a.example/", time: Self.time, requests: (0..<3).map { _ in Self.request(&random) },
            links: ["https://a.example/next"]
        ).encoded()
        for length in 0..<bytes.count {
            #expect(archiveError { _ = try PageObservation(decoding: Array(bytes[..<length])) }?.code == .damaged)
        }
        for _ in 0..<2_000 {
            var changed = bytes
            changed[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            let code = archiveError { _ = try PageObservation(decoding: changed) }?.code
            #expect(code == nil || code == .damaged)
        }
    }

    @Test(arguments: [
        #"{"time": 1}"#, #"{"url": "http://a/"}"#, #"{"url": "http://a/", "time": 0}"#,
        #"{"url": "http://a/", "time": 1.5}"#, #"{"url": "http://a/", "time": 1, "links": [1]}"#,
        #"{"url": "http://a/", "time": 1, "requests": [{"url": "http://a/", "status": 1}]}"#,
        #"{"url": "http://a/", "time": 1, "requests": [{"method": "GET", "url": "http://a/", "status": 1000}]}"#,
        #"{"url": "http://a/", "time": 1, "requests": [{"method": "GET", "url": "http://a/", "status": 1, "body": "0"}]}"#,
    ]) func wrongMembers(_ text: String) {
        #expect(archiveError { _ = try PageObservation(decoding: Array(text.utf8)) }?.code == .damaged)
    }

    /// However many requests a page sends, and however long their URLs are, the encoded form can be read again.
    @Test func tooMuch() throws {
        let long = String(repeating: "\u{1}", count: 30_000)
        let many = (0..<PageObservation.maximumCount + 10).map { "http://a/\($0)" }
        for urls in [many, (0..<200).map { "http://a/\($0)" + long }] {
            let observation = PageObservation(
                url: "http://a/", time: Self.time, requests: urls.map { ObservedRequest(url: $0) }, links: urls)
            #expect(observation.isTruncated && observation.requests.count < urls.count)
            #expect(try PageObservation(decoding: observation.encoded()) == observation)
        }
        let values = "[" + String(repeating: "0,", count: 1 << 20) + "0]"
        let text = #"{"url": "http://a/", "time": 1, "links": \#(values)}"#
        #expect(archiveError { _ = try PageObservation(decoding: Array(text.utf8)) }?.code == .limitExceeded)
    }

    private static func body(_ text: String, _ builder: CommitBuilder) throws -> CommitBuilder.BodyReference {
        try Array(text.utf8).withUnsafeBytes { try builder.addBody($0) }
    }

    /// Records of other kinds and damaged ones do not keep the others from being read.
    @Test func inAnArchive() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("site.webarc")
        let written = (1...3).map { number in
            PageObservation(
                url: "http://a/\(number)", time: Self.time, requests: [ObservedRequest(url: "http://a/\(number)")])
        }
        let builder = try CommitBuilder(creating: path)
        try written[0].add(to: builder)
        var damaged = written[0].record
        try builder.add(damaged, block: Self.body("{", builder))
        damaged.headers.set(name: "Content-Type", value: "text/plain")
        try builder.add(damaged, block: Self.body("text", builder))
        try written[1].add(to: builder)
        try builder.commit()
        let next = try CommitBuilder(appendingTo: path)
        try written[2].add(to: next)
        try next.commit()
        var read: [PageObservation] = []
        let archive = try ArchiveReader(path: path)
        try archive.forEachObservation { read.append($0) }
        #expect(read == written)
        let headers = try archive.record(0).record.headers
        #expect(headers["WARC-Target-URI"] == "http://a/1" && headers["WARC-Date"] == "2023-11-14T22:13:20Z")
        let identifiers = try (0..<archive.recordCount).map { try archive.record($0).record.headers["WARC-Record-ID"] }
        #expect(identifiers[0] != identifiers[3] && identifiers[0]?.count == "<urn:uuid:>".count + 36)
    }
}
