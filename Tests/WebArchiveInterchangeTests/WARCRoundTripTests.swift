// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveInterchange

/// Tests that an import with `keepsOriginals` exports the same bytes.
@Suite struct WARCRoundTripTests {
    private let folder = try! TemporaryFolder()  // A test without a folder has nothing to say.

    private func roundTrip(_ bytes: [UInt8]) throws -> (out: [UInt8], summary: ArchiveImporter.Summary) {
        try folder.write("in.warc", bytes)
        var options = ArchiveImporter.Options()
        options.keepsOriginals = true
        let path = folder.path("a.webarc")
        let summary = try ArchiveImporter(into: path, options: options).run([folder.path("in.warc")])
        let archive = try ArchiveReader(path: path)
        #expect(ArchiveVerifier(archive).run().filter { $0.severity == .error } == [])
        var exporter = WARCExporter(archive)
        (exporter.restoresOriginals, exporter.isCompressed) = (true, false)
        let collected = ByteCollector()
        try exporter.write { bytes throws(ArchiveError) in collected.append(Array(bytes)) }
        return (collected.all, summary)
    }

    /// 5,000 odd records.
    @Test func oddRecords() throws {
        var random = SeededGenerator.printed()
        for _ in 0..<50 {
            let bytes = OddWARC(SeededGenerator(seed: UInt64.random(in: 0 ... .max, using: &random)), records: 100)
                .bytes
            let (out, summary) = try roundTrip(bytes)
            #expect(summary.damage.isEmpty && summary.records == 100)
            try #require(
                out == bytes, "differs at \(zip(out, bytes).enumerated().first { $1.0 != $1.1 }?.offset ?? -1)")
        }
    }

    /// The same archive gives the same bytes, which Python's zlib reads.
    @Test func exportsAreTheSame() throws {
        try folder.write("in.warc", OddWARC(SeededGenerator(seed: 7), records: 100).bytes)
        let path = folder.path("a.webarc")
        let first = try ArchiveImporter(into: path).run([folder.path("in.warc")])
        func export(_ isCompressed: Bool) throws -> [UInt8] {
            var exporter = WARCExporter(try ArchiveReader(path: path))
            exporter.isCompressed = isCompressed
            let collected = ByteCollector()
            try exporter.write { bytes throws(ArchiveError) in collected.append(Array(bytes)) }
            return collected.all
        }
        let plain = try export(false)
        #expect(try plain == export(false) && plain.starts(with: "WARC/1.1\r\nWARC-Type: warcinfo\r\n".utf8))
        try folder.write("out.warc.gz", export(true))
        let unpacked = try ExternalTool.run(["gzip", "-dc", folder.path("out.warc.gz").string])
        #expect(unpacked.status == 0 && Array(unpacked.output) == plain)
        // Its own export comes in again with the same responses.
        let again = folder.path("b.webarc")
        let summary = try ArchiveImporter(into: again).run([folder.path("out.warc.gz")])
        #expect(summary.damage.isEmpty && summary.unresolvedRevisits == first.unresolvedRevisits)
        func served(_ path: FilePath) throws -> [String] {
            try ArchiveReader(path: path).entries().filter { try $0.role == .exchange && $0.response != nil }.map {
                "\(try $0.key) \(try $0.time?.nanoseconds ?? 0) \(try $0.body?.digest.description ?? "-")"
            }.sorted()
        }
        // Times are written in whole seconds.
        let expected = try served(path).map { $0.replacingOccurrences(of: "500000000 ", with: "000000000 ") }
        #expect(try served(again).count == expected.count)
    }
}

/// Collects bytes.
final class ByteCollector {
    private(set) var all: [UInt8] = []
    func append(_ bytes: [UInt8]) { all += bytes }
}
