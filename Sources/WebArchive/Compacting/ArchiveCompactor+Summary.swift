// SPDX-License-Identifier: Apache-2.0

extension ArchiveCompactor {
    /// The result of compacting an archive.
    public struct Summary: Sendable {
        /// The number of commits before; afterwards there is one.
        public var commits = 0
        /// The number of entries afterwards.
        public var entries = 0
        /// The number of entries that were not to be kept; 0 if all were.
        public var droppedEntries = 0
        /// The reasons why entries, metadata and the last commit cannot be read, and so are not in the new archive,
        /// with their places in the old one.
        ///
        /// Empty after compacting in place, which throws instead.
        public var damage: [ArchiveError] = []
        /// The number of bodies afterwards, without those of dictionaries.
        public var bodies = 0
        /// The length of the file before, in bytes.
        public var lengthBefore: UInt64 = 0
        /// The length of the file afterwards, in bytes.
        public var lengthAfter: UInt64 = 0

        /// Creates an empty summary.
        public init() {}
    }
}
