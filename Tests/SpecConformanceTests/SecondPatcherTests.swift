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

    /// Bodies that stay, change, come and go, over blocks that are shared and blocks of one body.
    @Test(arguments: [1, 6, 12])
    func bothGiveTheNextEdition(_ level: Int) throws {
        var random = SeededGenerator.printed()
        let pages = (0..<60).map { _ in
            random.bytes(Int.random(in: 100...3_000, using: &random)).map { 0x20 + $0 % 16 }
        }
        for edition in 1...2 {
            let path = folder.path("\(edition).webarc")
            let writer = try ArchiveWriter(creating: path, options: .init(level: .level(level)))
            for (number, page) in pages.enumerated() where number % 10 != edition {
                let change = number % 3 == 0 ? Array("edition \(edition)".utf8) : []
                let more = number == 30 ? pages.flatMap(\.self) : []
                try writer.add(
                    ArchiveRequest(url: "https://site.example/\(number)"), response: ArchiveResponse(),
                    body: writer.addBody(page + change + more))
            }
            try writer.commit()
        }
        let patch = folder.path("2.webarcpatch")
        let summary = try ArchiveDiffer(from: folder.path("1.webarc"), to: folder.path("2.webarc")).run(into: patch)
        #expect(summary.sameBodies > 0 && summary.changedBodies > 0 && summary.newBodies > 0)
        let result = try apply(patch, to: folder.path("1.webarc"))
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try folder.read("python.webarc") == folder.read("2.webarc"))
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
