// SPDX-License-Identifier: Apache-2.0

@testable import WebArchive
@testable import WebArchiveFormat
@testable import WebArchiveUpdates

/// Some blocks of a record.
struct PatchChunk {
    var blockCount: UInt64
    var isLiteral: UInt8
    /// The runs of codes.
    var runs: [(code: UInt64, count: UInt64)] = []
    /// The stored bytes of a literal chunk's own blocks.
    var literals: [[UInt8]] = []
    /// The frame of another one; nil without bytes that are sent.
    var contents: PatchStream?

    init(_ input: inout PatchInput, _ walk: inout ChunkWalk, _ old: OldBodies) throws(ArchiveError) {
        blockCount = try input.number(atMost: 1 << 32)
        isLiteral = try input.bytes(1)[0]
        let chunk = try walk.next(blocks: Int(blockCount))
        var (count, own) = (UInt64(0), UInt64(0))
        while count < blockCount {
            let run = (code: try input.number(atMost: .max), count: try input.number(atMost: blockCount - count))
            runs.append(run)
            count += run.count
            if run.code == 0 { own += run.count }
        }
        if isLiteral == 1 {
            for _ in 0..<own { literals.append(try input.frame()) }
        } else if chunk.sentLength > 0 {
            contents = try PatchStream(frame: &input, prefix: chunk.prefix(old).bytes, length: chunk.sentLength)
        }
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendNumber(blockCount)
        bytes.append(isLiteral)
        for run in runs {
            bytes.appendNumber(run.code)
            bytes.appendNumber(run.count)
        }
        for literal in literals { bytes.appendFrame(literal) }
        return bytes + (contents?.encoded() ?? [])
    }
}
