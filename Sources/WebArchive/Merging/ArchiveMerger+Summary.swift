// SPDX-License-Identifier: Apache-2.0

extension ArchiveMerger {
    /// The result of merging archives.
    public struct Summary: Sendable {
        /// The number of entries of the new archive.
        public var entries = 0
        /// The number of entries that an earlier archive has just so, and that are stored once.
        public var repeatedEntries = 0
        /// The number of bodies of the new archive, without those of dictionaries.
        public var bodies = 0
        /// The number of bodies that an earlier archive has as well, and that are stored once.
        public var sharedBodies = 0
        /// The length of all archives together, in bytes.
        public var lengthBefore: UInt64 = 0
        /// The length of the new archive, in bytes.
        public var length: UInt64 = 0
        /// The number of rule files beyond the 16 at which readers look (specification section 8.7).
        public var unusedRuleFiles = 0

        /// Creates an empty summary.
        public init() {}
    }
}
