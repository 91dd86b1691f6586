// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing
import WebArchive

/// Archives that would cost a differ the product of two of their numbers: the system ends it after a minute.
@Suite struct HostileDiffTests {
    private let folder: TemporaryFolder
    private let (old, new): (FilePath, FilePath)

    init() throws {
        folder = try TemporaryFolder()
        (old, new) = (folder.path("old.webarc"), folder.path("new.webarc"))
    }

    private func diff() throws -> HostileArchive.Outcome {
        try HostileArchive.run([WebarcTool.path, "diff", old.string, new.string, "-o", folder.path("patch").string])
    }

    /// All bodies of the old archive have the digest of all of the new one, and other lengths.
    @Test func aBodyIsFoundByDigestAndLength() throws {
        try HostileArchive.write("lengths-of-one-digest", to: old)
        try HostileArchive.write("bodies-of-one-length", to: new)
        let outcome = try diff()
        #expect(outcome.status == 1 && outcome.errors.contains("does not match its digest"), "\(outcome.errors)")
    }

    /// Thousands of entries, and a thousand commits without bodies.
    @Test func theEntriesAreGoneThroughOnceForAllCommits() throws {
        let writer = try ArchiveWriter(creating: old)
        try writer.add(ArchiveRequest(url: "http://a/"), response: ArchiveResponse())
        try writer.commit()
        try HostileArchive.write("folders-in-many-commits", to: new)
        let outcome = try diff()
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}
