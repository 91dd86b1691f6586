// SPDX-License-Identifier: Apache-2.0

/// How far a long piece of work has come: packing, unpacking, compacting, looking through an archive.
public struct WorkProgress: Sendable {
    /// Files or entries that are done.
    public var items = 0
    /// Nil while it is not known.
    public var totalItems: Int?
    public var bytes: UInt64 = 0
    /// Nil while it is not known.
    public var totalBytes: UInt64?

    public init() {}
}
