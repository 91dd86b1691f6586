// SPDX-License-Identifier: Apache-2.0

/// What compacting did.
public struct CompactingSummary: Sendable {
    /// Commits before; afterwards there is one.
    public var commits = 0
    public var entries = 0
    public var bodies = 0
    public var lengthBefore: UInt64 = 0
    public var lengthAfter: UInt64 = 0

    public init() {}
}
