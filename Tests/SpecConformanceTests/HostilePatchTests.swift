// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveUpdates

/// Patches that no writer makes, and that must be refused before memory or a buffer is measured by them.
@Suite struct HostilePatchTests {
    /// A block of more than 2^20 bytes would be longer than the buffers of a compressor.
    @Test(arguments: Vectors.invalid.filter { $0.name.hasPrefix("block-exponent-") })
    func aNewArchiveWithAnIllegalBlockExponent(_ vector: Vectors.Invalid) throws {
        let folder = try TemporaryFolder()
        let archive = try #require(Vectors.valid.first { $0.name == "smallest.webarc" })
        let path = try folder.write("a.webarc", archive.bytes)
        let patch = folder.path("p")
        try ArchiveDiffer(from: path, to: path).run(into: patch)
        var header = try PatchHeader(of: FileByteSource(path: patch))
        header.archiveHeader = Array(vector.bytes[..<96])
        let hostile = try folder.write("hostile", header.encoded() + folder.read("p")[PatchHeader.length...])
        #expect(throws: ArchiveError(.damaged, "")) { try PatchHeader(of: FileByteSource(path: hostile)) }
        #expect(throws: ArchiveError(.damaged, "")) {
            try ArchivePatcher(from: path, patch: hostile).run(into: folder.path("result"))
        }
    }

    /// A full block in which no body ends, and behind it the end of a body that is not as long as that block.
    @Test func aBlockThatEndsBeforeItBegins() {
        for ends in [[0, 1], [0, 0, 1], [0, 1, 0]] {
            #expect(throws: ArchiveError(.damaged, "")) {
                try CommitContents(bodyLengths: [10], endsOfBodies: ends, fullLength: 4096)
            }
        }
    }

    /// All bodies of a commit may lie in blocks of earlier commits.
    @Test func aCommitOfBodiesWithoutBlocks() {
        let contents = CommitContents(bodyLengths: [0, 10], blockLengths: [], fullLength: 4096)
        #expect(contents.endsOfBodies.isEmpty)
    }
}
