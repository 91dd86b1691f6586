// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchiveFormat

@testable import WebArchive

/// The parts of a file that are hashed at once, whatever the rows of an archive say.
@Suite struct LeafLayoutTests {
    private func run(_ length: UInt64) throws -> LeafLayout.Run {
        LeafLayout.Run(
            kind: .blocks, extent: try FileExtent(offset: 96, length: length, within: 1 << 47), isBlocks: true,
            first: 1,
            count: 2)
    }

    @Test func blocksOfAFullLength() throws {
        let leaves = try run(2 << 20).leaves(blocks: [96, 96 + 1 << 20])
        #expect(leaves.map(\.extent.length) == [1 << 20, 1 << 20])
    }

    @Test(arguments: [[96, 97 + 1 << 20], [96, 95 + 1 << 20]] as [[UInt64]])
    func aBlockThatIsLonger(_ blocks: [UInt64]) throws {
        let run = try run(2 << 20)
        #expect(throws: ArchiveError(.damaged, "")) { try run.leaves(blocks: blocks) }
    }

    /// Of many gigabytes, of which a sparse file need not have one.
    @Test func aBlockOfAWholeSparseFile() throws {
        let run = try run(1 << 46)
        #expect(throws: ArchiveError(.damaged, "")) { try run.leaves(blocks: [96]) }
    }
}
