// SPDX-License-Identifier: Apache-2.0

extension UInt64 {
    /// Returns the sum, or the greatest number on overflow: lengths that a file claims may add up to
    /// anything.
    package func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// Returns the product, or the greatest number on overflow.
    package func multipliedSaturated(by other: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }

    /// Returns the difference, or 0 if it would be negative.
    package func subtractingSaturated(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
