// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Header lists that lie: specification section 7, "HeaderList" and "HeaderField".
@Suite struct HeaderDecoderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// An archive whose response has these fields, and the fields that are read after a change.
    private func fields(
        _ headers: HeaderFields, isRequest: Bool = false, body: [UInt8]? = nil, _ change: (inout RowSurgeon) -> Void
    ) throws -> HeaderFields? {
        var exchange = Exchange("http://a/", response: ArchiveResponse(headers: isRequest ? [] : headers), body: body)
        if isRequest { exchange.request.headers = headers }
        try folder.archive([exchange])
        var surgeon = RowSurgeon(try folder.read("a.webarc"))
        change(&surgeon)
        let entry = try ArchiveReader(bytes: surgeon.bytes).entry(for: "http://a/")
        return isRequest ? try entry?.request.headers : try entry?.response?.headers
    }

    private func code(
        _ headers: HeaderFields, isRequest: Bool = false, _ change: (inout RowSurgeon) -> Void
    ) -> ArchiveError.Code? {
        archiveError { _ = try fields(headers, isRequest: isRequest, change) }?.code
    }

    /// A form that no version knows, or that a request must not have, is damage; another one says what it says.
    @Test func forms() throws {
        // Two fields of which one is derived, so that the forms have a column.
        let headers: HeaderFields = ["Content-Length": "0", "A": "b"]
        #expect(try fields(headers) { _ in } == headers)
        for form in [6, -1, .max] as [Int64] {
            #expect(code(headers) { $0.set("HeaderField", "form", to: form) } == .damaged, "form \(form)")
        }
        #expect(code(headers) { $0.set("HeaderField", "form", to: 1) } == .damaged, "nothing to fill it with")
        let unknown = "Thu, 01 Jan 1970 00:00:00 GMT"
        for (form, value) in [(2, "0"), (3, unknown), (4, unknown), (5, "\"d41d8cd98f00b204e9800998ecf8427e\"")]
            as [(Int64, String)]
        {
            let found = try fields(headers) { $0.set("HeaderField", "form", to: form) }
            #expect(found == ["Content-Length": value, "A": value], "form \(form)")
        }
        // The list of a request, with a form that says something else than literal.
        let own: HeaderFields = ["A": "b", "C": "d"]
        for form in 0...6 as ClosedRange<Int64> {
            var exchange = Exchange("http://a/", response: ArchiveResponse(headers: headers))
            exchange.request.headers = own
            try folder.archive([exchange])
            var surgeon = RowSurgeon(try folder.read("a.webarc"))
            surgeon.set("HeaderField", "form", to: form)
            let entry = try #require(try ArchiveReader(bytes: surgeon.bytes).entry(for: "http://a/"))
            let error = archiveError { _ = try entry.request }
            #expect(error?.code == (form == 0 ? nil : .damaged), "form \(form)")
        }
    }

    @Test func counts() throws {
        let headers: HeaderFields = ["A": "b", "C": "d"]
        #expect(try fields(headers) { $0.set("HeaderList", "count", to: 1) } == ["A": "b"])
        #expect(try fields(headers) { $0.set("HeaderList", "count", to: 0) } == [])
        for count in [3, 4096, 4097, -1, .max] as [Int64] {
            #expect(code(headers) { $0.set("HeaderList", "count", to: count) } == .damaged, "\(count)")
        }
        #expect(code(headers) { $0.set("HeaderList", "first", to: 0) } == .damaged)
        #expect(code(headers) { $0.set("HeaderField", "name", to: 0) } == .damaged)
        #expect(try fields(headers) { $0.set("HeaderField", "value", to: 0) } == ["A": "", "C": ""])
    }

    /// A list that names one long string again and again must not become gigabytes.
    @Test func longLists() throws {
        let long = String(repeating: "x", count: 1 << 20)
        // The writer refuses such a list, so that the values of a shorter one are exchanged for the long one.
        func headers(_ count: Int) -> HeaderFields {
            HeaderFields((0..<count).map { HeaderField(name: "", value: $0 == 0 ? long : "y") })
        }
        let number = try #require(
            (1...3 as ClosedRange<Int64>).first { number in
                let fields = try? fields(headers(16)) { $0.set("HeaderField", "value", to: number) }
                return fields?.reduce(0) { $0 + $1.valueBytes.count } == 16 << 20
            })
        #expect(code(headers(17)) { $0.set("HeaderField", "value", to: number) } == .damaged)
        #expect(code(headers(17)) { _ in } == nil)
    }

    @Test func fillStringsRunOut() throws {
        // The 65th value of a field, and those after it, are fill strings.
        let exchanges = (0..<70).map {
            Exchange("http://a/\($0)", response: ArchiveResponse(headers: ["ETag": "\"\($0)\"", "A": "b"]))
        }
        try folder.archive(exchanges)
        let bytes = try folder.read("a.webarc")
        let reader = try ArchiveReader(bytes: bytes)
        #expect(try Commits([exchanges]).differences(from: reader) == [])
        let strings = Int64(reader.index.rowCount(.string))
        var last = RowSurgeon(bytes)
        last.set("Response", "fill", to: strings)
        last.set("HeaderField", "form", to: 1)
        // Two fields of form 1, and one string left.
        let entry = try #require(try ArchiveReader(bytes: last.bytes).entry(for: "http://a/69"))
        #expect(archiveError { _ = try entry.response }?.code == .damaged)
        var first = RowSurgeon(bytes)
        first.set("Response", "fill", to: strings - 1)
        first.set("HeaderField", "form", to: 1)
        let filled = try ArchiveReader(bytes: first.bytes).entry(for: "http://a/69")?.response?.headers
        #expect(filled?.map(\.value) == ["\"68\"", "\"69\""])
    }
}
