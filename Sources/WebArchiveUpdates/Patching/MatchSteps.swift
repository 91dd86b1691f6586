// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A counter of the positions that LZ4HC may compare while it compresses a block, which bounds the time that a block takes.
///
/// At the highest levels LZ4HC compares each position with all earlier ones of the window that have its hash: a text of two letters takes
/// a thousand times as long as most blocks do. Patch specification section 6. One for each thread.
struct MatchSteps {
    /// The maximum number of positions that LZ4HC compares one with; 0 for levels whose time needs no limit.
    private let attempts: UInt32
    /// The positions of the window, by their hash.
    private var positions: [UInt32]

    /// The distance in bytes from which on earlier positions do not count: LZ4 refers to at most 65,535 bytes before.
    private static let window = 1 << 16
    /// The steps of a byte in addition to its comparisons.
    private static let steady: UInt64 = 32

    /// Takes the numbers of comparisons from patch specification section 6. Below level 7 the counter takes no memory.
    init(_ level: CompressionLevel) {
        attempts =
            switch level {
            case .level(7): 64
            case .level(8): 128
            case .level(9): 256
            case .level(10): 96
            case .level(11): 512
            case .level(12): 16_384
            default: 0
            }
        positions = [UInt32](repeating: 0, count: attempts == 0 ? 0 : 1 << 15)
    }

    /// Counts the steps of a block; 0 below level 7. It costs some nanoseconds a byte.
    ///
    /// - Parameter dictionary: the bytes before the block; none by default.
    mutating func count(_ block: [UInt8], dictionary: [UInt8] = []) -> UInt64 {
        guard attempts > 0 else { return 0 }
        var steps = UInt64(block.count) * Self.steady
        positions.withUnsafeMutableBufferPointer { positions in
            positions.update(repeating: 0)
            (dictionary + block).withUnsafeBytes { text in
                var position = 0
                while position + 4 <= text.count {
                    if position >= Self.window { positions[Self.hash(text, position - Self.window)] -= 1 }
                    let hash = Self.hash(text, position)
                    if position >= dictionary.count { steps += UInt64(min(positions[hash], attempts)) }
                    positions[hash] += 1
                    position += 1
                }
            }
        }
        return steps
    }

    /// Returns the hash of the four bytes at a position, of 15 bits, by patch specification section 6.
    private static func hash(_ text: UnsafeRawBufferPointer, _ position: Int) -> Int {
        let word = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: position, as: UInt32.self))
        return Int((word &* 2_654_435_761) >> 17)
    }
}
