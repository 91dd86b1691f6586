// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// The agreement of the rows of bodies and of blocks.
@Suite struct BlockLayoutTests {
    private func messages(_ surgeon: ArchiveSurgeon, _ depth: ArchiveVerifier.Depth = .full) throws -> [String] {
        try surgeon.findings(depth).map { "\($0.severity): \($0.message)" }
    }

    private func append(_ bytes: [UInt8], _ writer: ArchiveWriter) throws -> UInt32 {
        try bytes.withUnsafeBytes {
            try writer.builder.appendBlock($0, length: bytes.count, isCompressed: false, dictionary: 0)
        }
    }

    @Test func blocksWithoutABody() throws {
        let surgeon = try SampleArchive.surgeon { writer in
            _ = try append(SampleArchive.noise(1, length: 100), writer)
            try SampleArchive.page(
                "https://site.example/1", writer.addBody(SampleArchive.noise(2, length: 9000)), writer)
            for number in 3..<6 { _ = try append(SampleArchive.noise(number, length: 100), writer) }
        }
        let expected = ["warning: block 0 is used by no body", "warning: blocks 4 to 6 are used by no body"]
        #expect(try messages(surgeon) == expected)
        #expect(try messages(surgeon, .quick) == expected)
        #expect(try surgeon.findings().compactMap(\.offset) == [96, 9196] as [UInt64])
    }

    /// They are checked nevertheless.
    @Test func damageInAnUnusedBlock() throws {
        var surgeon = try SampleArchive.surgeon { writer in _ = try append([1, 2, 3], writer) }
        surgeon.flip(97)
        #expect(
            try messages(surgeon) == [
                "error: a block does not match its checksum", "warning: block 0 is used by no body",
            ])
    }

    @Test func bytesWithoutABlock() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            _ = try append(SampleArchive.noise(1, length: 50), writer)
        }
        try surgeon.changeClasses { $0[.block]?.rowCount = 0 }
        #expect(try messages(surgeon) == ["warning: 50 bytes of BLKS are not covered by a block"])
    }

    @Test func bytesWithoutASection() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            let body = try SampleArchive.shared([SampleArchive.noise(1, length: 50)], writer)[0]
            try SampleArchive.page("https://site.example/", body, writer)
        }
        try surgeon.changeSection(.blocks, offset: 1, length: -1)
        #expect(try messages(surgeon).first == "warning: 1 bytes outside any section")
        #expect(try surgeon.findings().first?.offset == 96)
    }

    /// The second of three blocks is not full.
    @Test func blocksThatDoNotAddUp() throws {
        let surgeon = try SampleArchive.surgeon { writer in
            let parts = [4096, 4000, 4096, 10].map { SampleArchive.noise($0, length: $0) }
            let first = try append(parts[0], writer)
            for part in parts.dropFirst() { _ = try append(part, writer) }
            let body = try writer.builder.register(ContentDigest(hashing: [0]), length: 10_000, block: first, offset: 0)
            try SampleArchive.page("https://site.example/", body, writer)
        }
        for depth in [ArchiveVerifier.Depth.quick, .full] {
            let finding = try #require(try surgeon.findings(depth).first)
            #expect(finding.message == "Body 0: the blocks do not cover the body's length")
            #expect(finding.url == "https://site.example/")
        }
    }

    @Test(arguments: [(8193, 0), (4097, 1), (4 << 20, 0)]) func bodyBeyondItsBlocks(_ length: Int, _ offset: Int) throws
    {
        let surgeon = try SampleArchive.surgeon { writer in
            let first = try append(SampleArchive.noise(1, length: 4096), writer)
            _ = try append(SampleArchive.noise(2, length: 4096), writer)
            let body = try writer.builder.register(
                ContentDigest(hashing: [0]), length: UInt64(length), block: first, offset: UInt32(offset))
            try SampleArchive.page("https://site.example/", body, writer)
        }
        #expect(try messages(surgeon).contains("error: Body 0: the blocks do not cover the body's length"))
    }

    /// The last block has one byte less than remains.
    @Test(arguments: [4196, 4197]) func shortLastBlock(_ length: Int) throws {
        let contents = SampleArchive.noise(1, length: 4196)
        let surgeon = try SampleArchive.surgeon { writer in
            let first = try append(Array(contents.prefix(4096)), writer)
            _ = try append(Array(contents.dropFirst(4096)), writer)
            _ = try writer.builder.register(
                ContentDigest(hashing: contents), length: UInt64(length), block: first, offset: 0)
        }
        #expect(
            try messages(surgeon)
                == (length == 4196 ? [] : ["error: Body 0: the blocks do not cover the body's length"]))
    }

    /// A body must not run from one commit's blocks into the next one's.
    @Test func bodyThatLeavesItsCommit() throws {
        let bytes = try SampleArchive.bytes(
            { writer in
                let first = try append(SampleArchive.noise(1, length: 4096), writer)
                _ = try writer.builder.register(ContentDigest(hashing: [0]), length: 5000, block: first, offset: 0)
            },
            more: [
                { writer in
                    try SampleArchive.page(
                        "https://site.example/", writer.addBody(SampleArchive.noise(3, length: 4096)), writer)
                }
            ])
        #expect(try messages(ArchiveSurgeon(bytes)) == ["error: Body 0: the blocks do not cover the body's length"])
    }

    @Test func bodiesOutOfOrder() throws {
        var surgeon = try SampleArchive.surgeon(SampleArchive.mixed)
        let (first, second) = (try surgeon.place(.bodyDigest, 3), try surgeon.place(.bodyDigest, 4))
        let digest = Array(surgeon.bytes[first..<first + 16])
        surgeon.bytes.replaceSubrange(first..<first + 16, with: surgeon.bytes[second..<second + 16])
        surgeon.bytes.replaceSubrange(second..<second + 16, with: digest)
        try surgeon.repair()
        #expect(try messages(surgeon, .quick) == ["error: Body 4: the bodies are not sorted by digest"])
        #expect(try surgeon.findings().count { $0.message.contains("the bytes have digest") } == 2)
    }

    @Test func emptyBody() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            try SampleArchive.page("https://site.example/", writer.addBody([]), writer)
        }
        surgeon.bytes[try surgeon.place(.bodyDigest, 0)] ^= 1
        try surgeon.repair()
        #expect(try messages(surgeon, .quick).first?.contains("the empty body has digest d51d8c") == true)
    }

    @Test func blocksOfImpossibleLength() throws {
        var surgeon = try SampleArchive.surgeon(SampleArchive.mixed)
        let value = try surgeon.value(.blockOffset, 3)
        try surgeon.set(.blockOffset, 3, to: try surgeon.value(.blockOffset, 5))
        #expect(value > 0)
        let findings = try surgeon.findings()
        #expect(findings.contains { $0.message == "Block 3: invalid block length" && $0.url != nil })
        #expect(findings.allSatisfy { $0.severity == .error })
    }

    @Test func firstBlockElsewhere() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            _ = try SampleArchive.shared([SampleArchive.noise(1, length: 50)], writer)
        }
        try surgeon.change(.blockLength) { $0.base = 49 }
        #expect(try messages(surgeon, .quick).contains("error: Block 0: invalid block length"))
    }

    @Test func dictionaryRules() throws {
        var long: ArchiveWriter.BodyReference?
        var surgeon = try SampleArchive.surgeon { writer in
            try DictionarySample.write(writer)
            _ = try writer.builder.addDictionary([1, 2, 3], name: Array("small".utf8))
            long = try writer.addBody(SampleArchive.noise(1, length: 10_000))
            try SampleArchive.page("https://site.example/", long, writer)
        }
        let digest = try #require(long?.digest)
        let body = try #require(try surgeon.archive.bodies(digest: digest).first?.place.row)
        try surgeon.set(.dictionaryBody, 1, to: Int64(body) + 1)
        #expect(
            try messages(surgeon, .quick) == [
                "error: Dictionary 1: the dictionary is not a single block without a dictionary"
            ])
        try surgeon.set(.dictionaryBody, 1, to: 0)
        #expect(try messages(surgeon, .quick) == ["error: Dictionary 1: missing body"])
    }

    /// Bodies that all claim the same bytes, each in another way: work stays bounded, and what was not checked is said.
    @Test func bodiesThatOverlap() throws {
        let surgeon = try SampleArchive.surgeon { writer in
            let all = SampleArchive.noise(1, length: 4096)
            let block = try append(all, writer)
            for length in 1...4096 {
                for offset in [0, 1, 2] where offset + length <= 4096 {
                    let bytes = all[offset..<offset + length]
                    _ = try writer.builder.register(
                        ContentDigest(hashing: length % 1000 == 0 ? [0] : Array(bytes)), length: UInt64(length),
                        block: block,
                        offset: UInt32(offset))
                }
            }
        }
        let findings = try surgeon.findings(threads: 3)
        #expect(findings.count == 12)
        #expect(findings.allSatisfy { $0.message.contains("the bytes have digest") })
        #expect(try surgeon.findings(threads: 1) == findings)
    }

    @Test func bodiesThatOverlapTooOften() throws {
        let surgeon = try SampleArchive.surgeon { writer in
            let size = 4096
            let first = try append(SampleArchive.noise(0, length: size), writer)
            for number in 1..<64 { _ = try append(SampleArchive.noise(number, length: size), writer) }
            // Each of them runs to the end of the blocks: lengths without end from few bytes.
            for start in 0..<UInt32(64) {
                for less in 0..<64 {
                    let length = UInt64(size * (64 - Int(start)) - less)
                    _ = try writer.builder.register(
                        ContentDigest(hashing: [1]), length: length, block: first + start, offset: 0)
                }
            }
        }
        let findings = try surgeon.findings(threads: 2)
        #expect(
            findings.last?.message.hasSuffix(" overlapping bodies exceeded the budget and were not checked") == true)
        #expect(try surgeon.findings(threads: 1) == findings)
    }

    /// The same range again and again costs nothing, so it is no reason to give up.
    @Test func bodiesThatAreTheSame() throws {
        let content = SampleArchive.noise(1, length: 4096)
        let surgeon = try SampleArchive.surgeon { writer in
            let block = try append(content, writer)
            for _ in 0..<1_000 {
                _ = try writer.builder.register(ContentDigest(hashing: content), length: 4096, block: block, offset: 0)
            }
        }
        #expect(try surgeon.findings(threads: 2) == [])
    }
}
