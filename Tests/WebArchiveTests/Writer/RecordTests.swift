// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

/// Records, pages, and what other containers hold of an exchange: written, read, copied. Specification section 7.
@Suite struct RecordTests {
    private let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.

    /// An archive of two commits: the records of the second one lead to an entry of the first.
    private func sample() throws -> FilePath {
        let path = folder.path("a.webarc")
        let first = try CommitBuilder(creating: path)
        let body = try [UInt8]("<title>One</title>".utf8).withBytes { (bytes) throws(ArchiveError) in
            try first.addBody(bytes)
        }
        var originals = OriginalBodies()
        originals.response = .init(
            head: try add("HTTP/1.1 200\r\n\r\n", first), wire: try add("12\r\n<title>One</title>\r\n0\r\n\r\n", first))
        originals.request.head = try add("GET /b HTTP/1.0\n\n", first)
        var response = ArchiveResponse(headers: ["A": "b"], codings: ["chunked"])
        (response.version, response.truncation, response.isDerived) = ("HTTP/1.1", "length", true)
        var request = ArchiveRequest(url: "http://a.example/b")
        request.version = "HTTP/1.0"
        // Not in the order of their keys.
        let entry = try first.add(request, response: response, body: body, originals: originals)
        let failed = try first.add(
            ArchiveRequest(url: "http://a.example/a"), response: nil, failure: "net::ERR_FAILED")
        var absent = ArchiveResponse()
        absent.absentDigest = "sha1:QQ"
        try first.add(ArchiveRequest(url: "http://a.example/c"), response: absent, role: .withoutBody)
        try first.add(ArchiveRecord(version: "WARC/1.0", headers: ["WARC-Type": "response"]), exchange: entry)
        try first.add(
            ArchiveRecord(headers: ["WARC-Type": "request"], part: .request, end: Array("\n".utf8)), exchange: entry)
        try first.add(ArchiveRecord(headers: ["WARC-Type": "metadata"]), exchange: failed)
        try first.commit()
        let second = try CommitBuilder(appendingTo: path)
        let again = try second.add(ArchiveRequest(url: "http://a.example/0"), response: ArchiveResponse())
        try second.add(ArchiveRecord(headers: ["WARC-Type": "resource"], part: .body), exchange: again)
        try second.add(
            ArchiveRecord(headers: ["WARC-Type": "warcinfo"]), head: add("WARC/1.1\n\n", second),
            block: add("a: b", second))
        try second.add(
            ArchivePage(
                url: "http://a.example/b#x", time: ArchiveTime(nanoseconds: 5), title: "One", status: 200, isSeed: true,
                depth: 3), text: add("One", second), screenshot: add("PNG", second))
        try second.add(ArchivePage(url: "http://a.example/none"))
        try second.commit()
        return path
    }

    private func add(_ text: String, _ builder: CommitBuilder) throws -> ArchiveWriter.BodyReference {
        try [UInt8](text.utf8).withBytes { (bytes) throws(ArchiveError) in try builder.addBody(bytes) }
    }

    private func text(_ body: ArchiveBody?) throws -> String? {
        try body.map { String(decoding: try $0.bytes(), as: UTF8.self) }
    }

    /// Everything about records, pages and the entry, as lines.
    private func described(_ archive: ArchiveReader) throws -> [String] {
        var lines: [String] = []
        for number in 0..<archive.recordCount {
            let (stored, record) = try (archive.record(number), archive.record(number).record)
            lines.append(
                "\(record.version) \(record.headers["WARC-Type"] ?? "") \(record.part) \(record.end) "
                    + "\(try stored.exchange?.key ?? "-") \(try text(stored.head) ?? "-") \(try text(stored.block) ?? "-")"
            )
        }
        for number in 0..<archive.pageCount {
            let stored = archive.page(number)
            lines.append("\(try stored.page) \(try text(stored.text) ?? "-") \(try text(stored.screenshot) ?? "-")")
        }
        for entry in try archive.entries() {
            let response = try entry.response
            lines.append(
                "\(try entry.key) \(try entry.role) \(try entry.failure ?? "-") \(try entry.request.version ?? "-") "
                    + "\(response?.version ?? "-") \(response?.truncation ?? "-") \(response?.absentDigest ?? "-") "
                    + "\(response?.isDerived ?? false) \(try text(entry.responseHead) ?? "-") "
                    + "\(try text(entry.responseWire) ?? "-") \(try text(entry.requestHead) ?? "-") "
                    + "\(try text(entry.requestWire) ?? "-")")
        }
        return lines
    }

    @Test func readAsWritten() throws {
        let archive = try ArchiveReader(path: sample())
        #expect(ArchiveVerifier(archive).run() == [])
        let end = "[13, 10, 13, 10]"
        #expect(
            try described(archive).prefix(5) == [
                "WARC/1.0 response response \(end) http://a.example/b - -",
                "WARC/1.1 request request [10] http://a.example/b - -",
                "WARC/1.1 metadata response \(end) http://a.example/a - -",
                "WARC/1.1 resource body \(end) http://a.example/0 - -",
                "WARC/1.1 warcinfo response \(end) - WARC/1.1\n\n a: b",
            ])
        let pages = try (0..<archive.pageCount).map { try archive.page($0).page }
        #expect(pages.map(\.url) == ["http://a.example/b#x", "http://a.example/none"])
        #expect(
            pages[0]
                == ArchivePage(
                    url: "http://a.example/b#x", time: ArchiveTime(nanoseconds: 5), title: "One", status: 200,
                    isSeed: true,
                    depth: 3))
        #expect(
            try described(archive).suffix(4) == [
                "http://a.example/0 exchange - - - - - false - - - -",
                "http://a.example/a exchange net::ERR_FAILED - - - - false - - - -",
                "http://a.example/b exchange - HTTP/1.0 HTTP/1.1 length - true HTTP/1.1 200\r\n\r\n "
                    + "12\r\n<title>One</title>\r\n0\r\n\r\n GET /b HTTP/1.0\n\n -",
                "http://a.example/c withoutBody - - - - sha1:QQ false - - - -",
            ])
    }

    /// An entry without a body is not found, and the way to it says so.
    @Test func aResponseWithoutItsBodyIsNotServed() throws {
        let archive = try ArchiveReader(path: sample())
        #expect(try archive.entry(for: CanonicalURL("http://a.example/c")) == nil)
        let matcher = ArchiveMatcher(archive)
        let explanation = try matcher.explain(MatchRequest(url: CanonicalURL("http://a.example/c")))
        #expect(explanation.nearMisses.first == .withoutBody(url: "http://a.example/c"))
    }

    @Test func compactedAndMerged() throws {
        let path = try sample()
        let before = try described(ArchiveReader(path: path))
        let compacted = folder.path("b.webarc")
        try ArchiveCompactor(path, into: compacted).run()
        #expect(try described(ArchiveReader(path: compacted)) == before)
        #expect(ArchiveVerifier(try ArchiveReader(path: compacted)).run() == [])
        let (other, merged) = (folder.path("c.webarc"), folder.path("d.webarc"))
        let writer = try ArchiveWriter(creating: other)
        try writer.add(ArchiveRequest(url: "http://b.example/"), response: ArchiveResponse())
        try writer.commit()
        try ArchiveMerger([ArchiveReader(path: other), ArchiveReader(path: path)], into: merged).run()
        let lines = try described(ArchiveReader(path: merged))
        #expect(lines.filter { !$0.hasPrefix("http://b.example/") } == before)
    }

    /// An extract has the records and pages of its entries, and no others.
    @Test func extracted() throws {
        let part = folder.path("part.webarc")
        var filter = EntryFilter()
        filter.include = [try GlobPattern("/b")]
        try ArchiveExtractor(ArchiveReader(path: sample()), into: part, filter: filter).run()
        let archive = try ArchiveReader(path: part)
        #expect(archive.entryCount == 1 && archive.recordCount == 2 && archive.pageCount == 1)
        #expect(try archive.record(1).exchange?.key == "http://a.example/b")
        #expect(try text(archive.record(0).exchange?.responseWire) != nil)
        #expect(ArchiveVerifier(archive).run() == [])
    }

    @Test func contradictionsAreRefused() throws {
        let builder = try CommitBuilder(creating: folder.path("x.webarc"))
        let body = try add("x", builder)
        var response = ArchiveResponse()
        response.absentDigest = "sha1:QQ"
        let request = ArchiveRequest(url: "http://a.example/")
        #expect(archiveError { try builder.add(request, response: response) }?.code == .invalidArgument)
        #expect(
            archiveError { try builder.add(request, response: response, body: body, role: .withoutBody) }?.code
                == .invalidArgument)
        #expect(
            archiveError { try builder.add(request, response: ArchiveResponse(), failure: "x") }?.code
                == .invalidArgument)
        let entry = try builder.add(request, response: nil)
        #expect(
            archiveError { try builder.add(ArchiveRecord(), block: body, exchange: entry) }?.code == .invalidArgument)
        #expect(archiveError { try builder.add(ArchivePage(url: "/relative")) }?.code == .invalidArgument)
        #expect(
            archiveError { try builder.add(ArchivePage(url: "http://a/", status: 1_000)) }?.code == .invalidArgument)
    }

    /// Archives without records are the same as before, byte by byte, and their class tables name none.
    @Test func otherArchivesHaveNoTraceOfThem() throws {
        let path = folder.path("plain.webarc")
        let writer = try ArchiveWriter(creating: path)
        try writer.add(ArchiveRequest(url: "http://a.example/"), response: ArchiveResponse())
        try writer.commit()
        let bytes = try folder.read("plain.webarc")
        for name in ["Record", "Page", "wire", "absent", "failure"] {
            #expect(bytes.firstRange(of: Array(name.utf8)) == nil, "\(name)")
        }
    }
}
