// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

/// Records and pages of the vectors: specification section 7.
@Suite struct RecordVectorTests {
    private static let vectors = Vectors.valid.filter { !$0.expected.records.isEmpty || !$0.expected.pages.isEmpty }

    @Test(arguments: vectors)
    func records(_ vector: Vectors.Valid) throws {
        let archive = try ArchiveReader(bytes: vector.bytes)
        try #require(archive.recordCount == vector.expected.records.count)
        for (number, expected) in vector.expected.records.enumerated() {
            let (stored, record) = try (archive.record(number), archive.record(number).record)
            #expect(record.version == expected.version)
            #expect(record.headers.map(Content.Entry.latin) == expected.headers)
            #expect(String(decoding: record.end, as: UTF8.self) == expected.end)
            #expect(try stored.head.map(Content.Body.init) == expected.head.map(Content.Body.init))
            #expect(try stored.block.map(Content.Body.init) == expected.block.map(Content.Body.init))
            let exchange = try stored.exchange
            #expect(try exchange?.key == expected.exchange?.key)
            #expect(try exchange?.time?.nanoseconds == expected.exchange?.time)
            if let part = expected.exchange?.part { #expect(record.part.rawValue == part) }
        }
    }

    @Test(arguments: vectors)
    func pages(_ vector: Vectors.Valid) throws {
        let archive = try ArchiveReader(bytes: vector.bytes)
        try #require(archive.pageCount == vector.expected.pages.count)
        for (number, expected) in vector.expected.pages.enumerated() {
            let (stored, page) = try (archive.page(number), archive.page(number).page)
            #expect(page.url == expected.url && page.title == expected.title)
            #expect(page.time?.nanoseconds ?? 0 == expected.time)
            #expect(page.status == expected.status ?? 0 && page.depth == expected.depth ?? 0)
            #expect(page.isSeed == (expected.seed == 1))
            #expect(try stored.text.map(Content.Body.init) == expected.text.map(Content.Body.init))
            #expect(try stored.screenshot.map(Content.Body.init) == expected.screenshot.map(Content.Body.init))
        }
    }

    @Test func someVectorHasRecords() { #expect(!Self.vectors.isEmpty) }
}
