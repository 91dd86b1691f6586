// SPDX-License-Identifier: Apache-2.0

package import SystemPackage
public import WebArchive

extension ArchivePacker {
    /// The options of packing. The same files and options give the same bytes for any number of ``threads``.
    public struct Options: Sendable {
        /// The URL of the root folder: hierarchical, with a host, and without a query. A missing slash at its end is added.
        ///
        /// Another URL is an `invalidArgument` of ``ArchivePacker/run(progress:)``. The canonical form (specification section 8.1) is
        /// stored as the metadata value `x-base-url`, so that an ``ArchiveUnpacker`` finds the root again.
        public var baseURL = "http://localhost/"
        /// Metadata values by name: `title`, `mainPage`, `language` … Specification section 7, "Metadata". Other names begin with `x-`.
        ///
        /// Names and values have at most 1 MiB each. With ``appends`` names that are not given keep their values. A `mainPage` is resolved
        /// against ``baseURL``; one that no packed file answers, with `.html` or a slash after it neither, is an `invalidArgument` that
        /// names the nearest pages. Without one, in a new archive whose base URL answers nothing, the page that stands out is chosen, with
        /// a warning.
        public var metadata: [String: String] = [:]
        /// Patterns of files to take, as ``GlobPattern`` reads them, matched with paths relative to the source; empty for all.
        ///
        /// A pattern that matches a folder takes all that is in it. One that cannot be read is an `invalidArgument`.
        public var include: [String] = []
        /// Patterns of files and folders to leave out, even where ``include`` takes them; empty for none.
        ///
        /// An excluded folder is not listed. A name that is excluded by a pattern without a slash at its end is not even looked at, so that
        /// what cannot be read can be left out.
        public var exclude: [String] = []
        /// The level at which content is compressed: `fast`, or 1 to 12. 1 by default.
        ///
        /// Higher levels take longer to pack and not longer to read. From 9 on more candidates for dictionaries are tried, too.
        public var level = CompressionLevel.standard
        /// Threads that list, read, hash and compress; less than 1 counts as 1. The archive is the same for any number.
        ///
        /// More threads hold more files in memory: up to twice their number of batches of 4 to 8 MiB are read ahead.
        public var threads = 1
        /// Whether text is compressed against dictionaries made from the site itself, of at most 64 KiB each (specification section 5).
        /// True by default.
        ///
        /// A media type has a dictionary for each folder with 1 MiB of it, and one for what is left, from 32 KiB on. One that saves less
        /// than 3 % of samples is not used. Making them costs reading parts of some files once more.
        public var usesDictionaries = true
        /// The time that all entries get, of which the newest wins (specification section 8.5); nil: unknown, so that the last commit
        /// answers.
        ///
        /// With ``appends`` an entry gets at least the time of the one whose place it takes. The files' times of last modification are kept
        /// in any case.
        public var time: ArchiveTime?
        /// Whether a commit is added to an existing archive, instead of a new one being made. False by default.
        ///
        /// Content that exists is not stored again, and an entry that has not changed is not written. Nothing is removed: a file that is
        /// gone from the folder is still answered.
        public var appends = false
        /// An earlier edition of the same site, whose blocks and dictionaries the new archive keeps, so that the two differ little and a
        /// patch between them is small and quickly made. Nil, the default, for none.
        ///
        /// Bodies that shared a block share one again, and are compressed against the same dictionary. A block without a changed body is
        /// taken as the earlier edition stores it, whatever ``level`` says; new files go to blocks of their own. Blocks are as long as there.
        /// The URL of a file says which one it was, so ``baseURL`` should be the same. Nothing else is taken from it, and its own file is
        /// never packed. The archive may take the place of its file. With ``appends`` it is an `invalidArgument`.
        public var earlierEdition: ArchiveReader?
        /// The keys and the statement with which the archive is signed; nil, the default, for none. Specification section 13.
        public var signing: ArchiveSigning?
        /// The files of the secret keys that sign, which are never packed.
        package var signingKeyFiles: [FilePath] = []
        /// The archive as it was when its commits were looked at; nil if they were not. If it is another one by now, nothing is added to
        /// it.
        package var examined: ArchiveReader?
        /// Whether symbolic links that lead out of the folder are followed; otherwise they are skipped with a warning. False by default, as
        /// a link in somebody else's folder may lead to private files.
        public var allowsOutsideLinks = false
        /// Whether a symbolic link that would be skipped is an error, `invalidArgument` with ``SkippedLinks`` as its cause. False by
        /// default.
        public var requiresAllLinks = false
        /// Names of files that represent their folder, the first one that exists; `index.html` and `index.htm` by default.
        ///
        /// The first of the names is the one that unpacking a folder's URL makes, and must be a name that a file can have, of at most 255
        /// bytes. Names are compared bytewise.
        public var indexNames = ["index.html", "index.htm"]
        /// The length of texts that rules fill in with parts of URLs, header fields and redirect targets together, in bytes.
        package var longestFilledTexts = 64 << 20

        /// Creates the default: a new archive of all files, compressed at level 1 by one thread.
        public init() {}
    }

    /// The result of packing: counts, and warnings.
    public struct Summary: Sendable {
        /// The number of files that were packed, unchanged ones of an archive that is added to included.
        public var files = 0
        /// The number of entries that were written, aliases and redirects included; with ``Options/appends`` those that are new or have
        /// changed.
        public var entries = 0
        /// The length of the files together before compression, in bytes.
        public var bytes: UInt64 = 0
        /// The length of files whose bytes were there already, in this run or in an earlier commit, and were not stored again; in bytes.
        public var duplicateBytes: UInt64 = 0
        /// The length of the whole archive file, earlier commits included, in bytes.
        public var archiveLength: UInt64 = 0
        /// Symbolic links that were skipped, files that are packed and may not be meant to be, and instructions of rule files that were
        /// understood and could not be honoured; links come first. The first 100 of each of these three are told one by one, and the others
        /// counted.
        public var warnings: [PackingWarning] = []

        /// Creates a summary of nothing.
        public init() {}
    }
}
