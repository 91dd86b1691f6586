// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchiveFormat

@testable import WebArchive
@testable import WebArchiveUpdates

/// The verifier of `Spec/reference`, written from the specification alone, beside the library's.
@Suite struct SecondVerifierTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func reference(_ path: FilePath) throws -> ExternalTool.Result {
        try Python.run([
            Vectors.root.appendingPathComponent("Spec/reference/webarc_reader.py").path, "verify", path.string,
        ])
    }

    /// The faults of a slot.
    enum Fault: CaseIterable { case none, tag, entry }

    /// A bucket of more slots than a reader looks at, whose faults no lookup meets.
    @Test(arguments: Fault.allCases)
    func aSlotOfALongBucket(_ fault: Fault) throws {
        let path = folder.path("a.webarc")
        let writer = try ArchiveWriter(creating: path)
        let urls = (0...).lazy.map { "https://site.example/\($0)" }.filter { Checksum.of(Array($0.utf8)) % 64 == 0 }
        for url in urls.prefix(100) { try writer.add(ArchiveRequest(url: url), response: ArchiveResponse()) }
        try writer.commit()
        let stored = StoredArchive(try ArchiveReader(path: path))
        let classes = try stored.classTable(ofCommit: 0)
        let (table, buckets) = try (#require(classes[.slot]), #require(classes[.bucket]))
        #expect(table.rowCount == 100 && buckets.rowCount == 64)
        let sections = try #require(stored.layouts.first).sections
        let (index, sums) = try (#require(sections[.index]).extent, #require(sections[.indexSums]).extent)
        var bytes = try folder.read("a.webarc")
        func place(_ key: IndexKey, _ row: Int) throws -> Int {
            let column = try #require(table.keys.first { $0.key == key })
            #expect(column.width == 1)
            return Int(index.offset + table.rows.offset) + row * table.rowWidth + column.offset
        }
        switch fault {
        case .none: break
        case .tag: bytes[try place(.slotTag, 80)] ^= 1
        case .entry: bytes[try place(.slotEntry, 80)] = bytes[try place(.slotEntry, 81)]
        }
        bytes.replaceSubrange(
            Int(sums.offset)..<Int(sums.end),
            with: CommitImage.sums(Array(bytes[Int(index.offset)..<Int(index.end)])))
        try folder.write("a.webarc", bytes)
        let findings = ArchiveVerifier(try ArchiveReader(path: path)).run()
        #expect(findings.contains { $0.code == .damaged } == (fault != .none), "\(findings)")
        let second = try reference(path)
        #expect(second.status == (fault == .none ? 0 : 1), "\(second.text)\(second.errorText)")
    }

    @Test func bytesInNoBlockAreNoDamage() throws {
        let path = folder.path("a.webarc")
        try HostileArchive.write("bytes-in-no-block", to: path)
        let findings = ArchiveVerifier(try ArchiveReader(path: path)).run()
        #expect(findings.map(\.code) == [.unusedBytes] && findings[0].severity == .warning, "\(findings)")
        let second = try reference(path)
        #expect(second.status == 0 && second.text.contains("in no block"), "\(second.text)\(second.errorText)")
    }
}
