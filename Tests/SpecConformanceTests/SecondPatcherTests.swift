// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive
import WebArchiveUpdates

/// `Spec/reference/webarc_patch.py`, written from the specification alone, beside the library.
@Suite struct SecondPatcherTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func apply(_ patch: FilePath, to old: FilePath) throws -> ExternalTool.Result {
        let script = Vectors.root.appendingPathComponent("Spec/reference/webarc_patch.py").path
        return try Python.run([script, old.string, patch.string, "-o", folder.path("python.webarc").string])
    }

    /// The archives have every shape; the old one is another for each.
    @Test(arguments: Vectors.valid.indices)
    func bothGiveTheSameArchive(_ index: Int) throws {
        let new = Vectors.valid[index]
        let before = try folder.write("old.webarc", Vectors.valid[(index * 7 + 1) % Vectors.valid.count].bytes)
        let after = try folder.write("new.webarc", new.bytes)
        let patch = folder.path("new.webarcpatch")
        let summary = try ArchiveDiffer(from: before, to: after).run(into: patch)
        let result = try apply(patch, to: before)
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try folder.read("python.webarc") == Array(new.bytes[..<Int(summary.newLength)]))
    }

    @Test func aPatchForAnotherArchiveIsRefused() throws {
        let (old, new) = (Vectors.valid[0], Vectors.valid[1])
        let (before, after) = (
            try folder.write("old.webarc", old.bytes), try folder.write("new.webarc", new.bytes)
        )
        let patch = folder.path("new.webarcpatch")
        _ = try ArchiveDiffer(from: before, to: after).run(into: patch)
        let result = try apply(patch, to: after)
        #expect(result.status == 1 && result.errorText.hasPrefix("changed: "), "\(result.errorText)")
        #expect(FileStatus(of: folder.path("python.webarc")) == nil)
    }
}
