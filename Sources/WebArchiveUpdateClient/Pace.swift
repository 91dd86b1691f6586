// SPDX-License-Identifier: Apache-2.0

import Dispatch
import WebArchive

/// A check that a load is fast enough, at the end of each span of time.
struct Pace {
    /// The length of each span.
    private let span: DispatchTimeInterval
    /// The number of bytes that must arrive in each span; nil if all must arrive in the first.
    private let minimumLength: UInt64?
    /// The number of bytes that had arrived at the end of the previous span.
    private var before: UInt64 = 0
    /// The end of the span.
    private(set) var end: DispatchTime

    /// Begins the first span. Redirects and repeated requests do not begin another one.
    ///
    /// - Parameter minimumLength: the number of bytes that must arrive in each span; nil to end the load after one.
    init(_ span: Duration, minimumLength: UInt64?) {
        (self.span, self.minimumLength) = (.nanoseconds(Int(span.nanoseconds)), minimumLength)
        end = .now() + self.span
    }

    /// Returns at the end of a span whether the load may continue, and begins the next one.
    ///
    /// - Parameter received: the number of bytes since the start.
    mutating func goesOn(after received: UInt64) -> Bool {
        guard let minimumLength, received - before >= minimumLength else { return false }
        before = received
        end = end + span
        return true
    }
}
