// SPDX-License-Identifier: Apache-2.0

extension ArchiveCompactor {
    /// The result of compacting an archive.
    public struct Summary: Sendable {
        /// Commits before; afterwards there is one.
        public var commits = 0
        /// Entries afterwards.
        public var entries = 0
        /// Entries that were not to be kept.
        public var droppedEntries = 0
        /// Entries, metadata and the last commit, where they cannot be read, and so are not in the new archive: why, and where in the old
        /// one.
        public var damage: [ArchiveError] = []
        /// Bodies afterwards, without those of dictionaries.
        public var bodies = 0
        /// Of the file, in bytes.
        public var lengthBefore: UInt64 = 0
        /// The length of the file afterwards, in bytes.
        public var lengthAfter: UInt64 = 0

        /// Creates an empty summary.
        public init() {}
    }
}
