// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Rows of `Body`, `Block` and `Dictionary` that lie, with every checksum right: specification section 5.
@Suite struct BlockStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The error that reading the first entry's body gives, through memory and through a file.
    private func error(_ surgeon: RowSurgeon, _ work: (ArchiveBody) throws -> Void) throws -> ArchiveError? {
        let path = try folder.write("changed", surgeon.bytes)
        let errors = try [ArchiveReader(bytes: surgeon.bytes), ArchiveReader(path: path)].map { reader in
            archiveError {
                let body = try #require(try reader.entry(for: "http://a/")?.body)
                try work(body)
            }
        }
        #expect(errors[0]?.code == errors[1]?.code && errors[0]?.offset == errors[1]?.offset)
        return errors[0]
    }

    private func archive(_ body: [UInt8]) throws -> RowSurgeon {
        try folder.archive([Exchange("http://a/", body: body), Exchange("http://b/", body: [1, 2, 3])])
        return RowSurgeon(try folder.read("a.webarc"))
    }

    /// A length that no memory could hold is an error, not an attempt.
    @Test(arguments: [1 << 47, 1 << 48, Int64.max, -1, 10_001]) func impossibleLengths(length: Int64) throws {
        var random = SeededGenerator.printed()
        for body in [random.bytes(10_000), random.text(10_000), random.bytes(100)] {
            var surgeon = try archive(body)
            surgeon.set("Body", "length", to: length)
            // A place in the file is nil where the first block is compressed.
            let errors = try [
                error(surgeon) { _ = try $0.bytes() }, error(surgeon) { try $0.forEachBuffer { _ in } },
                error(surgeon) { body in
                    let extent = try body.rawExtent()
                    #expect(extent == nil)
                },
            ]
            for (number, error) in errors.enumerated() where number < 2 || error != nil {
                #expect(error?.code == .damaged && error?.offset != nil, "\(length) bytes of \(body.count)")
            }
        }
    }

    @Test func bodiesAndBlocksThatDoNotFit() throws {
        var random = SeededGenerator.printed()
        let body = random.bytes(10_000)
        let cases: [(String, (inout RowSurgeon) -> Void)] = [
            ("no block", { $0.set("Body", "block", to: 0) }),
            ("no length", { $0.set("Body", "length", to: 0) }),
            ("the last block", { $0.set("Body", "block", to: 4) }),
            ("a block that is not there", { $0.set("Body", "block", to: 5) }),
            ("short blocks", { $0.set("Block", "length", to: 4095) }),
            ("no blocks", { $0.set("Block", "length", to: 0) }),
            ("long blocks", { $0.set("Block", "length", to: 4097) }),
            ("negative blocks", { $0.set("Block", "length", to: -1) }),
            ("blocks at one place", { $0.set("Block", "offset", to: 0) }),
            ("blocks behind the end", { $0.set("Block", "offset", to: 1 << 40) }),
            ("blocks before the start", { $0.set("Block", "offset", to: -1) }),
            ("checksums", { $0.set("Block", "checksum", to: 5) }),
            ("checksums of more than 32 bits", { $0.set("Block", "checksum", to: 1 << 32) }),
        ]
        for (what, change) in cases {
            var surgeon = try archive(body)
            change(&surgeon)
            let found = try error(surgeon) { _ = try $0.bytes() }
            #expect(found?.code == .damaged && found?.offset != nil, "\(what): \(found?.description ?? "no error")")
        }
    }

    /// A place in the file is given only for what reading would give as well.
    @Test func rawExtentsOfBodiesThatDoNotFit() throws {
        var random = SeededGenerator.printed()
        // Two bodies in blocks of their own, and two that share one: all of them now claim 250 bytes.
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"), options: .init(blockExponent: 12))
        let noise = random.bytes(300)
        for length in [100, 200] {
            try Exchange("http://own/\(length)", body: random.bytes(length)).write(to: writer)
        }
        let block = try noise.withBytes { (bytes) throws(ArchiveError) in
            try writer.builder.appendBlock(bytes, length: 300, isCompressed: false, dictionary: 0)
        }
        for (offset, end) in [(0, 99), (99, 300)] {
            let part = Array(noise[offset..<end])
            let body = try writer.builder.register(
                ContentDigest(hashing: part), length: UInt64(part.count), block: block, offset: UInt32(offset))
            try writer.add(ArchiveRequest(url: "http://shared/\(offset)"), response: ArchiveResponse(), body: body)
        }
        try writer.commit()
        var surgeon = RowSurgeon(try folder.read("a.webarc"))
        let whole = try ArchiveReader(bytes: surgeon.bytes)
        let second = try #require(try whole.entry(for: "http://shared/99")?.body)
        #expect(try second.bytes() == Array(noise[99...]))
        let extent = try #require(try second.rawExtent())
        #expect(Array(surgeon.bytes[Int(extent.offset)..<Int(extent.end)]) == Array(noise[99...]))
        surgeon.set("Body", "length", to: 250)
        let reader = try ArchiveReader(bytes: surgeon.bytes)
        for url in ["http://own/100", "http://own/200", "http://shared/99"] {
            let body = try #require(try reader.entry(for: url)?.body)
            #expect(archiveError { _ = try body.bytes() }?.code == .damaged, "\(url)")
            #expect(archiveError { _ = try body.rawExtent() }?.code == .damaged, "\(url)")
        }
    }

    @Test func codings() throws {
        var random = SeededGenerator.printed()
        let noise = random.bytes(4000)
        // Rows of the first entry are raw, and so is the second one's: every row says something else now.
        for (coding, code) in [(1, .damaged), (2, .unsupportedFeature), (-1, .unsupportedFeature)]
            as [(Int64, ArchiveError.Code)]
        {
            try folder.archive([Exchange("http://a/", body: random.text(4000)), Exchange("http://b/", body: noise)])
            var surgeon = RowSurgeon(try folder.read("a.webarc"))
            surgeon.set("Block", "coding", to: coding)
            let reader = try ArchiveReader(bytes: surgeon.bytes)
            let error = archiveError { _ = try reader.entry(for: "http://b/")?.body?.bytes() }
            #expect(error?.code == code && error?.offset != nil, "\(coding)")
        }
        try folder.archive([Exchange("http://a/", body: random.text(4000)), Exchange("http://b/", body: noise)])
        var surgeon = RowSurgeon(try folder.read("a.webarc"))
        surgeon.set("Block", "coding", to: 0)
        let reader = try ArchiveReader(bytes: surgeon.bytes)
        #expect(archiveError { _ = try reader.entry(for: "http://a/")?.body?.bytes() }?.code == .damaged)
        #expect(try reader.entry(for: "http://b/")?.body?.bytes() == noise)
    }

    // MARK: - Dictionaries

    /// Blocks compressed against a dictionary, as a packer makes them.
    private func dictionaryArchive(_ random: inout SeededGenerator) throws -> (bytes: [UInt8], text: [UInt8]) {
        let dictionary = random.text(3000)
        let text = Array((dictionary.suffix(1000) + random.text(50) + dictionary.prefix(1000)))
        let writer = try ArchiveWriter(creating: folder.path("d.webarc"), options: .init(blockExponent: 12))
        let number = try writer.builder.addDictionary(dictionary, name: Array("test".utf8))
        let prepared = PreparedDictionary(dictionary, level: .standard)
        var stored = [UInt8](repeating: 0, count: text.count - 1)
        let length = try #require(
            text.withUnsafeBytes { text in
                stored.withUnsafeMutableBytes {
                    BlockCompressor(level: .standard).compress(text, dictionary: prepared, into: $0)
                }
            })
        let block = try Array(stored[..<length]).withBytes { (bytes) throws(ArchiveError) in
            try writer.builder.appendBlock(bytes, length: text.count, isCompressed: true, dictionary: number)
        }
        let body = try writer.builder.register(
            ContentDigest(hashing: text), length: UInt64(text.count), block: block, offset: 0)
        try writer.add(ArchiveRequest(url: "http://a/"), response: ArchiveResponse(), body: body)
        // The writer reads it back to compare.
        #expect(try writer.addBody(text) == body)
        try writer.commit()
        return (try folder.read("d.webarc"), text)
    }

    @Test func dictionaries() throws {
        var random = SeededGenerator.printed()
        let (bytes, text) = try dictionaryArchive(&random)
        let reader = try ArchiveReader(bytes: bytes)
        #expect(try reader.entry(for: "http://a/")?.body?.bytes() == text)
        #expect(reader.bodyCount == 2, "the text and the dictionary")
        // Through the next commit: the same body is found there.
        let writer = try ArchiveWriter(appendingTo: folder.path("d.webarc"))
        let again = try writer.addBody(text)
        try writer.add(ArchiveRequest(url: "http://b/"), response: ArchiveResponse(), body: again)
        try writer.commit()
        #expect(try ArchiveReader(path: folder.path("d.webarc")).bodyCount == 2)
    }

    @Test func dictionariesThatLie() throws {
        var random = SeededGenerator.printed()
        let (bytes, text) = try dictionaryArchive(&random)
        for (what, change) in [
            ("itself a block with a dictionary", { $0.set("Block", "dictionary", to: 1) }),
            ("not there", { $0.set("Block", "dictionary", to: 2) }),
            ("no body", { $0.set("Dictionary", "body", to: 0) }),
            ("a body that is not there", { $0.set("Dictionary", "body", to: 3) }),
            ("none", { $0.set("Block", "dictionary", to: 0) }),
            ("too long", { $0.set("Body", "length", to: 65_537) }),
        ] as [(String, (inout RowSurgeon) -> Void)] {
            var surgeon = RowSurgeon(bytes)
            change(&surgeon)
            let reader = try ArchiveReader(bytes: surgeon.bytes)
            let error = archiveError { _ = try reader.entry(for: "http://a/")?.body?.bytes() }
            #expect(error?.code == .damaged && error?.offset != nil, "\(what): \(error?.description ?? "no error")")
        }
        #expect(try ArchiveReader(bytes: bytes).entry(for: "http://a/")?.body?.bytes() == text)
    }
}
