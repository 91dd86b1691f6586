// SPDX-License-Identifier: Apache-2.0

/// The progress of a long piece of work: packing, unpacking, compacting, or a pass over an archive.
public struct WorkProgress: Sendable {
    /// The number of processed files or entries.
    public var items = 0
    /// The total number of files or entries; nil while it is unknown.
    public var totalItems: Int?
    /// The number of processed bytes.
    public var bytes: UInt64 = 0
    /// The total number of bytes; nil while it is unknown.
    public var totalBytes: UInt64?

    /// Creates a progress of zero, without a total.
    public init() {}
}
