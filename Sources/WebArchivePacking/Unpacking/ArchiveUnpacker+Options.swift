// SPDX-License-Identifier: Apache-2.0

public import WebArchive

extension ArchiveUnpacker {
    /// The options of unpacking.
    public struct Options: Sendable {
        /// The arrangement of hosts in the destination.
        public enum Layout: String, Sendable, CaseIterable {
            /// A folder for each scheme, host and port: `docs.example` for `https://docs.example`, `http_docs.example` for
            /// `http://docs.example`, `docs.example_8443` for a different port.
            case host
            /// Paths only; for archives with one host. A base URL with a path that all files have in common
            /// (``ArchivePacker/Options/baseURL``) is left out.
            case flat
        }

        /// The prefix of the canonical URLs (specification section 8.1) of the entries to unpack, compared bytewise; empty for all.
        public var urlPrefix = ""
        /// The arrangement of hosts; nil: flat for an archive of one scheme, host and port, a folder for each otherwise.
        public var layout: Layout?
        /// Whether existing files are replaced; otherwise each is a failure with the code `alreadyExists`. False by default.
        ///
        /// A file is replaced by renaming when the new one is complete, so that after a failure the old one still exists.
        public var overwrites = false
        /// The number of threads that decode and write; less than 1 counts as 1.
        public var threads = 1
        /// The maximum number of bytes that files and folders may take on a disk, in blocks of 4 KiB; nil: the greater of 1 GiB and a
        /// thousand times the archive's length.
        ///
        /// Files that share a body take no room in an archive: a small one can represent any number of bytes on a disk. Specification
        /// section 10.
        public var maximumBytes: UInt64?

        /// Creates the default: all of the archive, on one thread, with nothing replaced.
        public init() {}
    }

    /// The result of unpacking.
    public struct Summary: Sendable {
        /// The number of written files.
        public var files = 0
        /// The length of all written files, in bytes.
        public var bytes: UInt64 = 0
        /// The URLs that could not be written or whose bodies are damaged, each with the reason. Folders that could not be made are listed with
        /// their path.
        ///
        /// Codes: `damaged` and `unsupportedFeature` for content, `alreadyExists` and `io` for the destination, `limitExceeded` for more
        /// than 255 folders above a file.
        public var failures: [(url: String, error: ArchiveError)] = []

        /// Creates an empty summary.
        public init() {}
    }
}
