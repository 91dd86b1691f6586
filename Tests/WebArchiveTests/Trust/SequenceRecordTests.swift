// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@Suite struct SequenceRecordTests {
    private let folder: TemporaryFolder
    private let key = ArchiveSigningKey()

    init() throws { folder = try TemporaryFolder() }

    private var record: SequenceRecord { SequenceRecord(path: folder.path("sequences")) }

    private func open(_ series: String, _ sequence: UInt64) throws(ArchiveError) -> ArchiveReader {
        let path = folder.path("\(sequence).webarc")
        let signing = ArchiveSigning([key], series: series, sequence: sequence)
        try ArchiveWriter(creating: path, options: ArchiveWriter.Options(signing: signing)).commit()
        return try ArchiveReader(path: path, trust: ArchiveTrust([key.publicKey], sequences: record))
    }

    @Test func anOldEditionIsRefused() throws {
        _ = try open("site", 7)
        #expect(throws: ArchiveError(.untrusted, "")) { try open("site", 6) }
        #expect(try open("site", 7).statement?.sequence == 7)
        #expect(try open("site", 8).statement?.sequence == 8)
        #expect(throws: ArchiveError(.untrusted, "")) { try open("site", 7) }
        #expect(try open("another site", 1).statement?.sequence == 1)
        #expect(try record.sequences() == ["site": 8, "another site": 1])
    }

    @Test func anArchiveThatIsNotTrustedLeavesNoTrace() throws {
        _ = try open("site", 7)
        let path = folder.path("9.webarc")
        let signing = ArchiveSigning([ArchiveSigningKey()], series: "site", sequence: .max)
        try ArchiveWriter(creating: path, options: ArchiveWriter.Options(signing: signing)).commit()
        let trust = ArchiveTrust([key.publicKey], sequences: record)
        #expect(throws: ArchiveError(.untrusted, "")) { try ArchiveReader(path: path, trust: trust) }
        #expect(try record.sequences() == ["site": 7])
    }

    @Test(arguments: ["a b", "\u{301}x", "100 %", "\u{1}\u{7F}\n\t", "Zürich 日本", "%41"])
    func anyNameOfASeriesIsKept(_ series: String) throws {
        _ = try open(series, .max)
        #expect(try record.sequences() == [series: .max])
    }

    @Test(arguments: [
        "seven site\n", "7\n", "7 %zz\n", "-1 site\n", "18446744073709551616 site\n", "7 %ff\n", "7 site\r\n",
    ])
    func aDamagedRecordIsAnError(_ text: String) throws {
        try folder.write("sequences", text.utf8)
        #expect(throws: ArchiveError(.damaged, "")) { try record.sequences() }
        #expect(throws: ArchiveError(.damaged, "")) { try open("site", 7) }
    }

    @Test func aRecordThatOthersMayChangeIsAnError() throws {
        let path = try folder.write("sequences", "7 site\n".utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path.string)
        #expect(throws: ArchiveError(.invalidArgument, "")) { try record.sequences() }
    }

    @Test func manyReadersShareARecord() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                group.addTask { _ = try self.open("site \(number)", UInt64(number)) }
            }
            try await group.waitForAll()
        }
        #expect(try record.sequences().count == 20)
    }
}
