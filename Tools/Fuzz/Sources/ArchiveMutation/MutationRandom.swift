// SPDX-License-Identifier: Apache-2.0

/// Choices that follow from a seed alone, so that libFuzzer can repeat a run (SplitMix64).
struct MutationRandom {
    private var state: UInt64

    init(seed: UInt32) { state = UInt64(seed) }

    /// A number below `limit`; 0 if there is none.
    mutating func next(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(max(limit, 1)))
    }
}
