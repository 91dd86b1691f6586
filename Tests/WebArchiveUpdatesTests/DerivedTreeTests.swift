// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchiveFormat

@testable import WebArchive
@testable import WebArchiveUpdates

/// Trees of signed commits, which a patch does not have.
@Suite struct DerivedTreeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The tree of a commit takes its own parts and those since the last statement: if all commits before were opened for each, a patch of a thousand
    /// signed commits would take the square of their number. Here the first commit could not be opened.
    @Test func aTreeIsDerivedWithoutTheCommitsOfEarlierStatements() throws {
        let key = ArchiveSigningKey()
        func sign(_ number: UInt64) -> ArchiveWriter.Options {
            .init(signing: ArchiveSigning([key], series: "site", sequence: number))
        }
        let (old, new) = (folder.path("old.webarc"), folder.path("new.webarc"))
        let first = try ArchiveWriter(creating: old, options: sign(1))
        try first.add(ArchiveRequest(url: "https://site.example/"), response: ArchiveResponse())
        try first.commit()
        try folder.write("new.webarc", folder.read("old.webarc"))
        let second = try ArchiveWriter(appendingTo: new, options: sign(2))
        try second.add(ArchiveRequest(url: "https://site.example/2"), response: ArchiveResponse())
        try second.commit()
        let patch = folder.path("new.webarcpatch")
        try ArchiveDiffer(from: old, to: new).run(into: patch)

        // A patch with both commits: the first as it is, but for a bit of its class table, the second as in that patch.
        var expected = try folder.read("new.webarc")
        let layout = try #require(StoredArchive(ArchiveReader(path: old)).layouts.first)
        let classes = try #require(layout.sections[.classes]?.extent)
        expected[Int(classes.offset) + 3] ^= 1
        var header = try PatchHeader(of: FileByteSource(path: patch))
        #expect(header.keptLength == layout.footer.end && header.commitCount == 1)
        (header.keptLength, header.commitCount) = (96, 2)
        header.newDigest = Array(SHA256.hash(data: expected))
        let (prefix, commit) = try (
            Array(folder.read("old.webarc")[96...]), Array(expected[96..<Int(layout.footer.end)])
        )
        let frame = try DeltaCoder().encode(commit, prefix: prefix, level: 1)
        var bytes = header.encoded() + [CommitDiffer.Kind.bytes.rawValue]
        bytes.appendNumber(UInt64(commit.count))
        bytes.appendNumber(UInt64(frame.count))
        let record = try folder.read("new.webarcpatch")[PatchHeader.length...]
        #expect(CommitDiffer.Flags(rawValue: record[PatchHeader.length + 1]).contains(.derivesTree))
        bytes += frame + record
        let hostile = try folder.write("hostile.webarcpatch", bytes)
        try ArchivePatcher(from: old, patch: hostile).run(into: folder.path("result.webarc"))
        #expect(try folder.read("result.webarc") == expected)
        #expect(throws: ArchiveError(.damaged, "")) { try ArchiveReader(path: folder.path("result.webarc")) }
    }
}
