// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The sources of the stored bytes of a chunk's blocks. Patch specification section 5.
enum BlockCodes {
    /// The source of one block.
    enum Code: Equatable, Sendable {
        /// The block is coded again, or comes with the chunk.
        case own
        /// The stored bytes are those of a block of the old archive, given by its row.
        case copy(Int)
    }

    /// Appends codes as runs of equal numbers.
    ///
    /// - Parameter expected: the row that a copy most likely has, for the next one.
    static func append(_ codes: [Code], to stream: inout [UInt8], expected: inout Int) {
        var runs: [(number: UInt64, count: UInt64)] = []
        for code in codes {
            var number: UInt64 = 0
            if case .copy(let row) = code {
                let distance = Int64(row - expected)
                number = UInt64(bitPattern: (distance << 1) ^ (distance >> 63)) + 1
                expected = row + 1
            }
            if runs.last?.number == number { runs[runs.count - 1].count += 1 } else { runs.append((number, 1)) }
        }
        for run in runs {
            stream.appendNumber(run.number)
            stream.appendNumber(run.count)
        }
    }

    /// Reads the codes of `count` blocks.
    ///
    /// - Parameter blockCount: the blocks of the old archive.
    static func read(
        _ count: Int, from input: inout PatchInput, expected: inout Int, blockCount: Int
    ) throws(ArchiveError) -> [Code] {
        var codes: [Code] = []
        while codes.count < count {
            let number = try input.number(atMost: UInt64(UInt32.max) * 4)
            let length = try input.number(atMost: UInt64(count - codes.count))
            guard length > 0 else { throw .damaged("the patch has an empty run of blocks") }
            for _ in 0..<length {
                guard number > 0 else {
                    codes.append(.own)
                    continue
                }
                let value = number - 1
                let row = expected + Int(Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1))
                guard (0..<blockCount).contains(row) else {
                    throw .damaged("the patch refers to missing block \(row)")
                }
                codes.append(.copy(row))
                expected = row + 1
            }
        }
        return codes
    }
}
