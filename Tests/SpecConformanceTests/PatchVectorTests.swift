// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveUpdates

/// Patches between archives of Spec/vectors/valid, which have every shape, and most of which no packer of ours writes.
@Suite struct PatchVectorTests {
    /// A few of them by default, for all pairs take half a minute.
    private static let olds = Vectors.valid.enumerated().filter { testEffort > 1 || $0.offset % 8 == 1 }.map(\.element)

    @Test(arguments: olds, Vectors.valid)
    func theNewArchiveComesOfTheOldOne(_ old: Vectors.Valid, _ new: Vectors.Valid) throws {
        let folder = try TemporaryFolder()
        let (before, after) = (try folder.write("old.webarc", old.bytes), try folder.write("new.webarc", new.bytes))
        let patch = folder.path("new.webarcpatch")
        let summary = try ArchiveDiffer(from: before, to: after).run(into: patch)
        try ArchivePatcher(from: before, patch: patch).run(into: folder.path("result.webarc"))
        // Bytes that a writer left behind the last commit are not part of the archive.
        #expect(try folder.read("result.webarc") == Array(new.bytes[..<Int(summary.newLength)]))
    }
}
