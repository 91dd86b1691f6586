// SPDX-License-Identifier: Apache-2.0

/// The progress of a long piece of work: packing, unpacking, compacting, or a pass over an archive.
public struct WorkProgress: Sendable {
    /// The number of files or entries that are done.
    public var items = 0
    /// The number of files or entries in all; nil while it is not known.
    public var totalItems: Int?
    /// The bytes that are done.
    public var bytes: UInt64 = 0
    /// The bytes in all; nil while it is not known.
    public var totalBytes: UInt64?

    /// Creates a progress at which nothing is done, and no total is known.
    public init() {}
}
