// SPDX-License-Identifier: Apache-2.0

package import SystemPackage
public import WebArchive

extension ArchivePacker {
    /// The options of packing. The same files and options produce the same bytes for any number of ``threads``.
    public struct Options: Sendable {
        /// The URL of the root folder: hierarchical, with a host, and without a query. A missing trailing slash is added.
        ///
        /// Any other URL is an `invalidArgument` of ``ArchivePacker/run(progress:)``. The canonical form (specification section 8.1) is
        /// stored as the metadata value `x-base-url`, so that an ``ArchiveUnpacker`` finds the root again.
        public var baseURL = "http://localhost/"
        /// Metadata values by name: `title`, `mainPage`, `language` … Specification section 7, "Metadata". Other names begin with `x-`.
        ///
        /// Names and values have at most 1 MiB each. With ``appends`` other names keep their values. A `mainPage` is resolved
        /// against ``baseURL``; one without a packed file, also with `.html` or a slash after it, is an `invalidArgument` that
        /// names the nearest pages. Without one, in a new archive without a response to its base URL, the only obvious page is chosen, with
        /// a warning.
        public var metadata: [String: String] = [:]
        /// The patterns of files to include, in the form of ``GlobPattern``, matched with paths relative to the source; empty for all.
        ///
        /// A pattern that matches a folder takes all that is in it. One that cannot be read is an `invalidArgument`.
        public var include: [String] = []
        /// The patterns of files and folders to exclude, even if ``include`` matches them; empty for none.
        ///
        /// An excluded folder is not listed. A name that is excluded by a pattern without a trailing slash is not even accessed, so that
        /// unreadable names can be left out.
        public var exclude: [String] = []
        /// The level of compression: `fast`, or 1 to 12. 1 by default.
        ///
        /// Higher levels take longer to pack and not longer to read. From 9 on more candidates for dictionaries are tried, too.
        public var level = CompressionLevel.standard
        /// The number of threads that list, read, hash and compress; less than 1 counts as 1. The archive is the same for any number.
        ///
        /// More threads hold more files in memory: up to twice their number of batches of 4 to 8 MiB are read ahead.
        public var threads = 1
        /// Whether text is compressed against dictionaries made from the site itself, of at most 64 KiB each (specification section 5).
        /// True by default.
        ///
        /// A media type has a dictionary for each folder with 1 MiB of it, and one for the rest, from 32 KiB on. One that saves less
        /// than 3 % of samples is not used. Making them costs reading parts of some files again.
        public var usesDictionaries = true
        /// The time of all entries, of which the newest wins (specification section 8.5); nil: unknown, so that the last commit
        /// wins.
        ///
        /// With ``appends`` an entry gets at least the time of the one whose place it takes. The files' times of last modification are kept
        /// in any case.
        public var time: ArchiveTime?
        /// Whether a commit is added to an existing archive, instead of creating a new one. False by default.
        ///
        /// Existing content is not stored again, and an unchanged entry is not written. Nothing is removed: a file that is
        /// missing in the folder is still served.
        public var appends = false
        /// An earlier edition of the same site, whose blocks and dictionaries the new archive keeps, so that the two differ little and a
        /// patch between them is small and quickly made. Nil, the default, for none.
        ///
        /// Bodies that shared a block share one again, and are compressed against the same dictionary. A block without a changed body is
        /// copied from the earlier edition, at any ``level``; new files go to blocks of their own. Blocks have the same length.
        /// The URL of a file identifies its earlier form, so ``baseURL`` should be the same. Nothing else is taken from it, and its own file is
        /// never packed. The archive may replace its file. With ``appends`` it is an `invalidArgument`.
        public var earlierEdition: ArchiveReader?
        /// The keys and the statement for the signature of the archive; nil, the default, for none. Specification section 13.
        public var signing: ArchiveSigning?
        /// The files of the secret signing keys, which are never packed.
        package var signingKeyFiles: [FilePath] = []
        /// The archive as of the inspection of its commits; nil without one. If it differs by now, nothing is added to
        /// it.
        package var examined: ArchiveReader?
        /// Whether symbolic links that lead out of the folder are followed; otherwise they are skipped with a warning. False by default, as
        /// a link in another user's folder may lead to private files.
        public var allowsOutsideLinks = false
        /// Whether a symbolic link that would be skipped is an error, `invalidArgument` with ``SkippedLinks`` as its cause. False by
        /// default.
        public var requiresAllLinks = false
        /// The names of files that represent their folder, the first existing one; `index.html` and `index.htm` by default.
        ///
        /// Unpacking a folder's URL makes `index.html`. The first of the names must be a name that a file can have, of at most 255
        /// bytes. Names are compared bytewise.
        public var indexNames = ["index.html", "index.htm"]
        /// The maximum length of texts that rules fill in with parts of URLs, header fields and redirect targets together, in bytes.
        package var maximumFilledTextLength = 64 << 20

        /// Creates the default: a new archive of all files, compressed at level 1 by one thread.
        public init() {}
    }

    /// The result of packing: counts, and warnings.
    public struct Summary: Sendable {
        /// The number of packed files, including unchanged ones of an existing archive.
        public var files = 0
        /// The number of written entries, including aliases and redirects; with ``Options/appends`` those that are new or have
        /// changed.
        public var entries = 0
        /// The total length of the files before compression, in bytes.
        public var bytes: UInt64 = 0
        /// The length of files whose bytes were already stored, in this run or in an earlier commit; in bytes.
        public var duplicateBytes: UInt64 = 0
        /// The length of the whole archive file, including earlier commits, in bytes.
        public var archiveLength: UInt64 = 0
        /// The warnings about skipped symbolic links, about packed files that may be private, and about unsupported instructions of
        /// rule files; links come first. At most 100 of each kind are reported individually; a count covers
        /// the rest.
        public var warnings: [PackingWarning] = []

        /// Creates an empty summary.
        public init() {}
    }
}
