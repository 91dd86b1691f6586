// SPDX-License-Identifier: Apache-2.0

public import WebArchive

extension ArchivePacker {
    /// The options of packing.
    public struct Options: Sendable {
        /// The URL of the root folder; a missing slash at its end is added.
        public var baseURL = "http://localhost/"
        /// Metadata values by name: `title`, `mainPage`, `language` … Specification section 7, "Metadata".
        ///
        /// A `mainPage` that no packed file answers is an error, `invalidArgument`. Without one, where the base URL answers nothing, the page
        /// that stands out is chosen, with a warning.
        public var metadata: [String: String] = [:]
        /// Patterns of files to take, as ``GlobPattern`` reads them; empty for all.
        public var include: [String] = []
        /// Patterns of files and folders to leave out.
        public var exclude: [String] = []
        /// The level at which content is compressed.
        public var level = CompressionLevel.standard
        /// Threads that read, hash and compress; at least 1. The archive is the same for any number.
        public var threads = 1
        /// Whether text is compressed against dictionaries made from the site itself.
        public var usesDictionaries = true
        /// The time that all entries get, of which the newest wins; nil: unknown, so that the last commit answers. The files' times of last
        /// modification are kept in any case.
        public var time: ArchiveTime?
        /// Adds a commit to an existing archive instead of making a new one.
        public var appends = false
        /// Whether symbolic links that lead out of the folder are followed; otherwise they are skipped.
        public var allowsOutsideLinks = false
        /// Whether a symbolic link that would be skipped is an error, `invalidArgument` with ``SkippedLinks`` as its cause.
        public var requiresAllLinks = false
        /// Names of files that stand for their folder, the first one that is there.
        public var indexNames = ["index.html", "index.htm"]
        /// The length of texts that rules fill in with parts of URLs, header fields and redirect targets together, in bytes.
        package var longestFilledTexts = 64 << 20

        /// Creates the default.
        public init() {}
    }

    /// The result of packing.
    public struct Summary: Sendable {
        /// The number of files that were packed.
        public var files = 0
        /// The number of entries that were written, aliases and redirects included.
        public var entries = 0
        /// Bytes of the files.
        public var bytes: UInt64 = 0
        /// Bytes of files that were there already.
        public var duplicateBytes: UInt64 = 0
        /// The length of the archive, in bytes.
        public var archiveLength: UInt64 = 0
        /// Symbolic links that were skipped, and instructions of rule files that were understood and could not be honoured.
        public var warnings: [PackingWarning] = []

        /// Creates the default.
        public init() {}
    }
}
