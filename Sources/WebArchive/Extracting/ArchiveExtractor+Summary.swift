// SPDX-License-Identifier: Apache-2.0

extension ArchiveExtractor {
    /// The result of an extraction.
    public struct Summary: Sendable {
        /// The number of entries that were taken, captures, aliases and rule files included.
        public var entries = 0
        /// The number of entries that the archive has.
        public var totalEntries = 0
        /// The number of bodies that were taken, without those of dictionaries.
        public var bodies = 0
        /// The length of the extract, in bytes.
        public var length: UInt64 = 0
        /// The main page of the archive, if it is not in the extract; nil if it is, or the archive names none.
        public var droppedMainPage: String?
        /// The reasons why entries, metadata and the last commit cannot be read, and so are not in the extract, with
        /// their places in the archive.
        public var damage: [ArchiveError] = []

        /// Creates an empty summary.
        public init() {}
    }
}
