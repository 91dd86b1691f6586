// SPDX-License-Identifier: Apache-2.0

/// Choices that follow from a seed alone, so that libFuzzer can repeat a run (SplitMix64).
package struct MutationRandom {
    private var state: UInt64

    package init(seed: UInt32) { state = UInt64(seed) }

    /// A number below `limit`; 0 if there is none.
    package mutating func next(_ limit: Int) -> Int { Int(bits() % UInt64(max(limit, 1))) }

    /// An element of a collection that has some.
    package mutating func next<Element>(of choices: [Element]) -> Element { choices[next(choices.count)] }

    /// A number at which arithmetic goes wrong, if it does anywhere.
    package mutating func extreme() -> UInt64 {
        let bit = UInt64(1) << UInt64(next(64))
        return next(of: [0, 1, bit, bit - 1, bit &+ 1, ~bit, .max, .max - 1, UInt64(next(256)), bits()])
    }

    private mutating func bits() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
