// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Damage around the rows: tail, recovery slots, index pages.
@Suite struct FileDamageTests {
    private let more = { (writer: ArchiveWriter) throws in
        _ = try SampleArchive.page("https://site.example/later", writer.addBody([1, 2, 3]), writer)
    }

    @Test func tornTail() throws {
        let one = try SampleArchive.bytes(SampleArchive.mixed)
        let two = try SampleArchive.bytes(SampleArchive.mixed, more: [more])
        var torn = ArchiveSurgeon(Array(two.prefix(one.count + 33)))
        // The slot of the second commit follows it.
        torn.bytes.replaceSubrange(64..<96, with: repeatElement(0, count: 32))
        let findings = try torn.findings()
        #expect(findings.map(\.code) == [.tornTail] && findings.map(\.severity) == [.warning])
        #expect(findings.first?.offset == UInt64(one.count))
    }

    @Test func recoverySlots() throws {
        let bytes = try SampleArchive.bytes(SampleArchive.mixed, more: [more, more])
        var surgeon = ArchiveSurgeon(bytes)
        surgeon.flip(32 + 3)
        #expect(try surgeon.slotFindings() == [32])
        surgeon = ArchiveSurgeon(bytes)
        surgeon.flip(64 + 3)
        #expect(try surgeon.slotFindings() == [64])
        surgeon = ArchiveSurgeon(bytes)
        surgeon.bytes.replaceSubrange(64..<96, with: repeatElement(0, count: 32))
        #expect(try surgeon.slotFindings() == [64])
        surgeon = ArchiveSurgeon(bytes)
        var slot = Array(bytes[32..<64])
        slot[0] &+= 1
        surgeon.bytes.replaceSubrange(32..<60, with: slot[..<28])
        withUnsafeBytes(of: Checksum.of(slot[..<28]).littleEndian) { surgeon.bytes.replaceSubrange(60..<64, with: $0) }
        #expect(try surgeon.slotFindings() == [32])
    }

    /// Every page on its own: the page is named, and nothing else than what it breaks.
    @Test func indexPages() throws {
        let intact = try SampleArchive.surgeon(SampleArchive.mixed)
        let index = try #require(try intact.archive.index.commits[0].sections[.index]?.extent)
        for start in stride(from: index.offset, to: index.end, by: 4096) {
            var surgeon = intact
            surgeon.flip(Int(min(start + 100, index.end - 1)))
            let findings = try surgeon.findings()
            #expect(findings.first?.code == .damaged && findings.first?.offset == start)
            // Other findings are consequences, which lie elsewhere.
            #expect(findings.count { $0.code == .damaged && $0.offset == start } == 1)
            #expect(try surgeon.findings(threads: 4) == findings)
        }
    }

    /// A page of keys: the entries whose keys are lost are counted, and no others are accused.
    @Test func pageOfKeys() throws {
        var surgeon = try SampleArchive.surgeon { writer in
            for number in 0..<3000 {
                try SampleArchive.page("https://site.example/a/longer/path/to/page\(number).html", nil, writer)
            }
        }
        let heap = try #require(try surgeon.classes()[.keyBlock]?.heap)
        let index = try #require(try surgeon.archive.index.commits[0].sections[.index]?.extent)
        let page = (heap.offset + heap.length / 2) / 4096
        surgeon.flip(Int(index.offset + page * 4096 + 5))
        let findings = try surgeon.findings()
        #expect(findings.map(\.code) == [.damaged])
        #expect(findings.first?.offset == index.offset + page * 4096)
        #expect((100..<2000).contains(findings.first?.affectedURLCount ?? 0))
    }
}

extension ArchiveSurgeon {
    /// The offsets of all findings, each of which is a warning about a recovery slot.
    fileprivate func slotFindings() throws -> [UInt64?] {
        let findings = try findings()
        #expect(findings.allSatisfy { $0.code == .recoverySlot && $0.severity == .warning }, "\(findings)")
        return findings.map(\.offset)
    }
}
