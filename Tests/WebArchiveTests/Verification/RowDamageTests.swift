// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Rows that break a rule of section 7, with all sums right.
@Suite struct RowDamageTests {
    private func findings(_ surgeon: ArchiveSurgeon) throws -> [VerificationFinding] {
        let found = try surgeon.findings(.quick)
        #expect(try surgeon.findings(.quick, threads: 3) == found)
        return found
    }

    private func expect(
        _ surgeon: ArchiveSurgeon, _ message: String, _ url: String?, location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try findings(surgeon)
        let match = found.first { $0.message == message }
        #expect(match != nil, "\(found)", sourceLocation: location)
        #expect(match?.severity == .error, sourceLocation: location)
        #expect(match?.offset != nil, sourceLocation: location)
        if let url { #expect(match?.affectedURLs.contains(url) == true, "\(found)", sourceLocation: location) }
    }

    /// The row of a class that the response of a page has.
    private func response(_ url: String, _ surgeon: ArchiveSurgeon) throws -> Int {
        Int(try #require(try surgeon.archive.entry(for: url)?.answerRow).row.row)
    }

    private func sample() throws -> ArchiveSurgeon { try SampleArchive.surgeon(SampleArchive.mixed) }
    private let page = "https://site.example/page3.html"

    @Test(arguments: [0, 99, 1000, -1]) func status(_ status: Int64) throws {
        var surgeon = try SampleArchive.surgeon { writer in
            try writer.add(ArchiveRequest(url: page), response: ArchiveResponse(status: 404), body: writer.addBody([1]))
        }
        try surgeon.change(.responseStatus) { $0.base = status }
        try expect(surgeon, "Response 0: invalid status \(status)", page)
    }

    @Test func referenceToARowThatIsNotThere() throws {
        var surgeon = try sample()
        let row = try response(page, surgeon)
        try surgeon.set(.responseBody, row, to: 200)
        try expect(surgeon, "Response \(row): body refers to missing row 199", page)
    }

    @Test func referenceToALaterCommit() throws {
        let more = { (writer: ArchiveWriter) throws in
            _ = try SampleArchive.page("https://site.example/later", writer.addBody([1, 2, 3, 4]), writer)
        }
        var surgeon = ArchiveSurgeon(try SampleArchive.bytes(SampleArchive.mixed, more: [more]))
        let row = try response(page, surgeon)
        let last = try surgeon.archive.bodyCount
        try surgeon.set(.responseBody, row, to: Int64(last))
        try expect(surgeon, "Response \(row): body refers to missing row \(last - 1)", page)
    }

    @Test func textPositions() throws {
        var surgeon = try sample()
        let count = try surgeon.archive.index.rowCount(.string)
        let row = count / 2
        let position = try surgeon.value(.stringText, row)
        try surgeon.set(.stringText, row, to: position + 5000)
        try expect(surgeon, "String \(row): invalid text \(position + 5000)", nil)
        try surgeon.set(.stringText, row, to: 0)
        try expect(surgeon, "String \(row - 1): texts overlap", nil)
    }

    /// The damage of a string is also that of all who refer to it.
    @Test func stringOfAnAnswer() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            try writer.add(
                ArchiveRequest(url: page), response: ArchiveResponse(mediaType: "text/x", address: "zz"),
                body: writer.addBody([1]))
        }
        let last = try surgeon.archive.index.rowCount(.string) - 1
        try surgeon.set(.stringText, last, to: 255)
        try expect(surgeon, "String \(last): invalid text 255", page)
    }

    @Test func numbersThatAreTooLarge() throws {
        var surgeon = try sample()
        try surgeon.change(.entryTime) { $0.step = .max }
        #expect(try findings(surgeon).contains { $0.message.hasSuffix("number out of range") && $0.url != nil })
    }

    @Test func headerLists() throws {
        var surgeon = try sample()
        try surgeon.change(.listCount) { $0.base = 200 }
        try expect(surgeon, "HeaderList 0: a header list extends past the last field", nil)
        surgeon = try sample()
        try surgeon.change(.listCount) { $0.base = 5000 }
        #expect(
            try findings(surgeon).contains {
                $0.message.hasPrefix("HeaderList 0: invalid count 500") && $0.affectedURLCount > 1
            })
        surgeon = try sample()
        try surgeon.set(.fieldName, 0, to: 0)
        try expect(surgeon, "HeaderField 0: missing name", nil)
        surgeon = try sample()
        try surgeon.change(.fieldForm) { $0.base = 6 }
        #expect(
            try findings(surgeon).contains {
                $0.message == "HeaderField 0: unknown field form 6" && $0.affectedURLCount > 0
            })
    }

    @Test func fillStrings() throws {
        var surgeon = try sample()
        let url = "https://api.example/item?79"
        let row = try response(url, surgeon)
        let strings = Int64(try surgeon.archive.index.rowCount(.string))
        let other = "https://api.example/item?78"
        let otherRow = try response(other, surgeon)
        #expect(try surgeon.value(.responseFill, row) == strings - 1)
        try surgeon.set(.responseFill, otherRow, to: strings)
        try expect(surgeon, "Response \(otherRow): missing fill string", other)
        try surgeon.set(.responseFill, row, to: 0)
        try expect(surgeon, "Response \(row): missing fill string", url)
    }

    /// A value that follows from a response cannot stand in a request.
    @Test func formsOfARequest() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            for number in 0..<2 {
                try writer.add(
                    ArchiveRequest(url: page + "?\(number)", headers: ["Accept": "\(number)"]),
                    response: ArchiveResponse(headers: ["Content-Length": "0"]))
            }
        }
        let row = try response(page + "?0", surgeon)
        try surgeon.set(.requestHeaders, 0, to: surgeon.value(.responseHeaders, row))
        let found = try findings(surgeon).filter { $0.message.hasSuffix("invalid field form for a request") }
        #expect(found.map(\.affectedURLs) == [[page + "?0"]])
    }

    @Test func redirectTargets() throws {
        for target in ["nonsense", "", "//host/path"] {
            let surgeon = try SampleArchive.surgeon { writer in
                // A writer would refuse it, or resolve it.
                _ = try writer.builder.addCopy(
                    ArchiveRequest(url: page), of: CanonicalURL(page), requestBody: nil,
                    response: ArchiveResponse(status: 302, redirectTarget: target), body: nil, time: nil,
                    role: .exchange)
            }
            try expect(surgeon, "Redirect 0: the redirect target is not an absolute URL", page)
        }
        var surgeon = try SampleArchive.surgeon { writer in
            try SampleArchive.redirect(page, to: "https://elsewhere.example/", writer)
        }
        try surgeon.change(.redirectTarget) { $0.base = 0 }
        try expect(surgeon, "Redirect 0: missing redirect target", page)
    }

    @Test func metadata() throws {
        var surgeon = try SampleArchive.surgeon { try $0.setMetadata("title", to: "A title") }
        try surgeon.change(.metadataName) { $0.base = 0 }
        try expect(surgeon, "Metadata 0: missing name", nil)
    }

    /// Specification section 7: a reader repairs it.
    @Test func metadataThatIsNotUTF8IsNoDamage() throws {
        var surgeon = try SampleArchive.surgeon { try $0.setMetadata("title", to: "\u{E9}") }
        let place = try #require(surgeon.bytes.indices.first { surgeon.bytes[$0...].starts(with: "\u{E9}".utf8) })
        surgeon.bytes[place + 1] = 0x20
        try surgeon.repair()
        #expect(try surgeon.findings() == [])
        #expect(try surgeon.archive.metadata() == ["title": "\u{FFFD} "])
    }

    @Test func givenURLs() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            try SampleArchive.page("https://SITE.example/a", writer.addBody([1]), writer)
        }
        let place = try #require(surgeon.bytes.indices.first { surgeon.bytes[$0...].starts(with: "SITE".utf8) })
        surgeon.bytes[place] = 0x54
        try surgeon.repair()
        try expect(surgeon, "Entry 0: the original URL does not canonicalise to its key", "https://site.example/a")
    }

    /// Header lists that share their fields: a small index that would be a long walk.
    @Test func listsThatShareFields() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            for number in 0..<3000 {
                let fields = HeaderFields(
                    (0..<2).map { HeaderField(name: "F\($0)", value: "\((number >> (6 * $0)) % 64)") })
                try writer.add(
                    ArchiveRequest(url: "https://site.example/\(number)"), response: ArchiveResponse(headers: fields))
            }
        }
        #expect(try findings(surgeon) == [])
        #expect(try surgeon.archive.index.rowCount(.headerList) > 2500)
        try surgeon.change(.listFirst) { ($0.base, $0.step, $0.width) = (1, 1, 0) }
        try surgeon.change(.listCount) { $0.base = 4000 }
        let found = try findings(surgeon)
        let last = try #require(found.last)
        #expect(found.count { $0.message.contains("not checked, since the header lists share too many fields") } > 100)
        #expect(last.message.contains("more rows, not checked"))
    }

    /// Digests out of order: a search comes to rows that lie between those of the digest.
    @Test func rowsBetweenEqualDigestsAreNotFound() throws {
        let folder = try TemporaryFolder()
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        for number in UInt8(0)..<4 {
            try writer.add(
                ArchiveRequest(url: "https://site.example/\(number)"), response: ArchiveResponse(),
                body: writer.addBody([number, 1, 2]))
        }
        try writer.commit()
        var surgeon = ArchiveSurgeon(try folder.read("a.webarc"))
        let digests = try (0..<4).map { try surgeon.archive.index.commits[0].digest($0) }
        for (row, digest) in [digests[0], digests[3], digests[0], digests[3]].enumerated() {
            let place = try surgeon.place(.bodyDigest, row)
            surgeon.bytes.replaceSubrange(place..<place + ContentDigest.length, with: digest.bytes)
        }
        try surgeon.repair()
        let found = try surgeon.archive.bodies(digest: digests[0])
        #expect(!found.isEmpty && found.allSatisfy { $0.digest == digests[0] })
    }
}
