// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Damage in what is stored: blocks, dictionaries, digests.
@Suite struct BlockDamageTests {
    /// The body of a page, its first block, and where that lies in the file.
    private func place(_ url: String, _ surgeon: ArchiveSurgeon) throws -> (body: Int, block: Int, offset: Int) {
        let body = try #require(try surgeon.archive.entry(for: url)?.body)
        let block = try #require(body.start?.block)
        let description = try body.store.describe(block)
        return (Int(body.place.row), Int(block.row), Int(description.stored.offset))
    }

    @Test(arguments: [1, 3]) func aBlock(_ threads: Int) throws {
        var surgeon = try SampleArchive.surgeon(SampleArchive.mixed)
        let place = try place("https://site.example/page7.html", surgeon)
        surgeon.flip(place.offset + 20)
        let findings = try surgeon.findings(threads: threads)
        #expect(findings.count == 1)
        let finding = try #require(findings.first)
        #expect(finding.severity == .error)
        #expect(finding.message == "a block does not match its checksum")
        #expect(finding.offset == UInt64(place.offset))
        #expect(finding.affectedURLs == ["https://site.example/alias7", "https://site.example/page7.html"])
        #expect(finding.affectedURLCount == 2)
        #expect(finding.url == "https://site.example/alias7")
        #expect(try surgeon.findings(.quick) == [])
    }

    @Test func aBlockThatManyShare() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            let bodies = try SampleArchive.shared((0..<25).map { SampleArchive.text($0, length: 100) }, writer)
            for (number, body) in bodies.enumerated() {
                try SampleArchive.page("https://site.example/\(number + 10)", body, writer)
            }
            try SampleArchive.page("https://site.example/other", writer.addBody([1, 2, 3]), writer)
        }
        surgeon.flip(try place("https://site.example/10", surgeon).offset + 2000)
        let findings = try surgeon.findings(threads: 2)
        #expect(findings.count == 1)
        #expect(findings.first?.affectedURLs == (10..<35).map { "https://site.example/\($0)" })
        #expect(findings.first?.affectedURLCount == 25)
        #expect(findings.first?.description.contains("https://site.example/19 and 15 more (byte 96)") == true)
    }

    @Test func aRequestBody() throws {
        var surgeon = try SampleArchive.surgeon(SampleArchive.mixed)
        let archive = try surgeon.archive
        let url = try CanonicalURL("https://api.example/form")
        let digest = ContentDigest(hashing: Array("name=value".utf8))
        let body = try #require(try archive.entry(for: url, method: "POST", bodyDigest: digest)?.requestBody)
        surgeon.flip(Int(try #require(try body.rawExtent()).offset))
        #expect(try surgeon.findings().map(\.url) == ["https://api.example/form"])
    }

    @Test func aDictionary() throws {
        var surgeon = try SampleArchive.surgeon(DictionarySample.write)
        let archive = try surgeon.archive
        let body = try #require(
            try archive.bodies(digest: ContentDigest(hashing: SampleArchive.text(99, length: 2000))).first)
        let description = try body.store.describe(try #require(body.start?.block))
        surgeon.flip(Int(description.stored.offset) + 9)
        let findings = try surgeon.findings(threads: 2)
        #expect(findings.map(\.message) == ["a block does not match its checksum"])
        #expect(findings.first?.affectedURLs == (0..<5).map { "https://dictionary.example/\($0)" })
    }

    /// The block is as it was written, but the digest speaks of other bytes.
    @Test func aDigest() throws {
        var surgeon = try SampleArchive.surgeon(SampleArchive.mixed)
        let last = try surgeon.archive.bodyCount - 1
        let offset = try surgeon.place(.bodyDigest, last)
        surgeon.bytes[offset + 15] ^= 1
        try surgeon.repair()
        let finding = try #require(try surgeon.findings().first)
        #expect(finding.message.hasPrefix("Body \(last): the bytes have digest"))
        #expect(finding.affectedURLCount > 0)
        #expect(try surgeon.findings().count == 1)
        #expect(try surgeon.findings(.quick) == [])
    }

    /// A longer body in several blocks of 4 KiB: the second one is hit.
    @Test(arguments: [20_000, 5 << 20]) func aLongBody(_ length: Int) throws {
        var surgeon = try SampleArchive.surgeon { writer in
            let body = try writer.addBody(SampleArchive.noise(1, length: length))
            try SampleArchive.page("https://site.example/long", body, writer)
            try SampleArchive.page("https://site.example/short", writer.addBody([1, 2, 3]), writer)
        }
        let places = [4192, 12_384]
        for place in places { surgeon.flip(place + 5) }
        let findings = try surgeon.findings(threads: 2)
        #expect(findings.compactMap(\.offset).map(Int.init) == places)
        #expect(findings.map(\.affectedURLs) == [["https://site.example/long"], ["https://site.example/long"]])
    }

    /// The checksum fits, and LZ4 still cannot decode the block.
    @Test func aBlockThatDoesNotDecode() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            let stored: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
            let block = try stored.withUnsafeBytes {
                try writer.builder.appendBlock($0, length: 1000, isCompressed: true, dictionary: 0)
            }
            let body = try writer.builder.register(ContentDigest(hashing: []), length: 1000, block: block, offset: 0)
            try SampleArchive.page("https://site.example/", body, writer)
        }
        #expect(try surgeon.findings().map(\.message) == ["LZ4 cannot decode a block to its length"])
        try surgeon.change(.blockCoding) { $0.base = 7 }
        let finding = try #require(try surgeon.findings().first)
        #expect(finding.message == "unknown block coding 7")
        #expect(finding.url == "https://site.example/")
    }

    /// The file ends where blocks should be: the failure of a source shows which blocks are lost.
    @Test func aSourceThatFails() throws {
        let bytes = try SampleArchive.bytes(SampleArchive.mixed)
        let surgeon = ArchiveSurgeon(bytes)
        let hole = try place("https://site.example/page9.html", surgeon).offset
        let archive = try ArchiveReader(source: SourceWithAHole(bytes, hole: UInt64(hole)..<UInt64(hole + 3)))
        let findings = ArchiveVerifier(archive, threads: 2).run()
        #expect(findings.map(\.message) == ["cannot read"])
        #expect(findings.first?.affectedURLs == ["https://site.example/page9.html"])
    }
}

/// A medium with one bad place.
private struct SourceWithAHole: ByteSource {
    let memory: MemoryByteSource
    let hole: Range<UInt64>

    init(_ bytes: [UInt8], hole: Range<UInt64>) {
        memory = MemoryByteSource(bytes)
        self.hole = hole
    }

    var length: UInt64 { memory.length }
    var name: String { "medium" }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        guard !(offset..<offset + UInt64(buffer.count)).overlaps(hole) else {
            throw ArchiveError(.io, "cannot read", path: name, offset: hole.lowerBound)
        }
        try memory.read(at: offset, into: buffer)
    }
}
