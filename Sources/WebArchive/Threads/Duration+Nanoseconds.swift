// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in nanoseconds, rounded down, and clamped to 64 bits.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return Int64(clamping: Int128(seconds) * 1_000_000_000 + Int128(attoseconds) / 1_000_000_000)
    }
}
