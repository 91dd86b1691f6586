// SPDX-License-Identifier: Apache-2.0

public import WebArchive

extension ArchiveUnpacker {
    /// The options of unpacking.
    public struct Options: Sendable {
        /// The arrangement of hosts in the destination.
        public enum Layout: String, Sendable, CaseIterable {
            /// A folder for each host.
            case host
            /// Paths only; for archives with one host.
            case flat
        }

        /// Takes only entries whose canonical URL starts with this.
        public var urlPrefix = ""
        /// Nil: flat for an archive of one host, a folder for each host otherwise.
        public var layout: Layout?
        /// Whether files that are there are replaced.
        public var overwrites = false
        /// The number of threads that decode and write.
        public var threads = 1
        /// Bytes that files and folders may take on a disk, in blocks of 4 KiB; nil: the greater of 1 GiB and a thousand times the archive's length.
        public var maximumBytes: UInt64?

        /// Creates the default.
        public init() {}
    }

    /// The result of unpacking.
    public struct Summary: Sendable {
        /// The number of files that were written.
        public var files = 0
        /// The length of all files that were written, in bytes.
        public var bytes: UInt64 = 0
        /// Files that could not be written or whose bodies are damaged, with the reason.
        public var failures: [(url: String, error: ArchiveError)] = []

        /// Creates the default.
        public init() {}
    }
}
