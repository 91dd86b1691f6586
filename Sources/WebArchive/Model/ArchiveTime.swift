// SPDX-License-Identifier: Apache-2.0

/// A moment, in nanoseconds since 1970-01-01T00:00:00Z, without leap seconds. Specification section 6.2.
///
/// It reaches from September 1677 to April 2262. The very start of 1970 is not a moment: its number represents an unknown
/// time.
public struct ArchiveTime: Hashable, Comparable, Sendable {
    /// The nanoseconds since 1970-01-01T00:00:00Z, without leap seconds, negative before; never 0, which means
    /// unknown in the format.
    public let nanoseconds: Int64

    /// Creates a moment; nil for 0, which represents an unknown time.
    ///
    /// - Parameter nanoseconds: the nanoseconds since 1970-01-01T00:00:00Z.
    public init?(nanoseconds: Int64) {
        guard nanoseconds != 0 else { return nil }
        self.nanoseconds = nanoseconds
    }

    /// Creates a moment; nil for 0 and for a time beyond 64 bits (before 1677 or after 2262).
    ///
    /// - Parameters:
    ///   - seconds: the seconds since 1970-01-01T00:00:00Z, as `time_t` counts them.
    ///   - nanoseconds: the nanoseconds to add, of any size and sign; 0 by default.
    public init?(seconds: Int64, nanoseconds: Int64 = 0) {
        let exact = Int128(seconds) * 1_000_000_000 + Int128(nanoseconds)
        guard let total = Int64(exactly: exact) else { return nil }
        self.init(nanoseconds: total)
    }

    /// Compares two moments: the earlier one is the smaller.
    public static func < (left: ArchiveTime, right: ArchiveTime) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension ArchiveTime {
    /// Returns whether a capture with the first time is older than one with the second. An unknown time counts as 0, its number in the format:
    /// specification section 8.2.
    package static func isOlder(_ left: ArchiveTime?, _ right: ArchiveTime?) -> Bool {
        (left?.nanoseconds ?? 0) < (right?.nanoseconds ?? 0)
    }

    /// Returns whether a capture with the first time comes before one with the second: the newer one, or for a request that names
    /// a time the nearer one, of two at the same distance the earlier. Specification section 8.5.
    package static func isPreferred(_ left: ArchiveTime?, to right: ArchiveTime?, at asked: ArchiveTime?) -> Bool {
        guard let asked else { return isOlder(right, left) }
        let (distance, other) = (asked.distance(to: left), asked.distance(to: right))
        return distance < other || distance == other && isOlder(left, right)
    }

    /// Returns the nanoseconds between two moments; an unknown time counts as 0.
    private func distance(to other: ArchiveTime?) -> UInt128 {
        (Int128(nanoseconds) - Int128(other?.nanoseconds ?? 0)).magnitude
    }
}
