// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A deliberate corruption: changed bytes at positions that depend on a seed and the length of a body.
struct Corruption: Equatable {
    let seed: UInt64

    /// The distance between changed bytes; at least one is changed.
    private static let distance = 1024

    /// Changes a whole body.
    func apply(to body: inout Data) {
        var random = SplitMix64(state: seed)
        var start = 0
        // One byte in each stretch, so that no byte is changed twice, and thereby back.
        while start < body.count {
            let end = min(start + Self.distance, body.count)
            let position = body.startIndex + Int.random(in: start..<end, using: &random)
            body[position] ^= UInt8.random(in: 1...255, using: &random)
            start = end
        }
    }
}

/// A reproducible pseudorandom number generator (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
