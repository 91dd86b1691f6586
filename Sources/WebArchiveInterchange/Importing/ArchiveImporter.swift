// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive

/// An importer of the files of other web archivers, which appends to one archive or makes it.
///
/// Requests and responses are kept as they were received: fields in their order, with their case and their duplicates. Codings that a message claims
/// and its bytes prove are removed from bodies. Equal bodies are stored once. A revisit record (ISO 28500 section 6.7) gets the body to which it
/// refers, also if that comes later or in another file. Records that are neither request nor response are kept as they are.
///
/// ```swift
/// let importer = ArchiveImporter(into: "crawl.webarc")
/// let summary = try importer.run(["crawl-0.warc.gz", "crawl-1.warc.gz"])
/// print(summary.responses, summary.damage)
/// ```
public struct ArchiveImporter: Sendable {
    /// The options of an import.
    public struct Options: Sendable {
        /// Whether everything is kept that another container needs to be written again byte for byte: every record, and content as it was received.
        public var keepsOriginals = false
        /// Whether the archive is appended to; otherwise it is replaced.
        public var appends = false
        /// Whether damage ends the import; otherwise the records before and after it are imported.
        public var isStrict = false
        /// The scheme of the URLs of a mirrored folder, whose names lack it: `https` or `http`.
        public var assumedScheme = "https"
        /// The URL for the root of ZIM files, which have paths alone; it ends with a slash.
        public var baseURL = "https://zim.invalid/"
        /// The level of compression; by default that of `webarc pack`.
        public var level = CompressionLevel.standard
        /// Whether small bodies of a media type are compressed against a dictionary made of such bodies.
        public var usesDictionaries = true
        /// The number of bytes of records after which a long import commits before its end; 4 GiB by default, 0 for one commit. The same import continues
        /// behind the last commit, if it was ended then.
        ///
        /// A commit also comes after 262,144 records. Later commits come after a quarter of the bytes or records so far. There is one commit alone if the archive is replaced, with ``isStrict``, and for folders
        /// and standard input.
        public var commitInterval: UInt64 = 4 << 30
        /// The number of threads that compress, beside the one that reads; less than 1 counts as 1. The archive is the same for any number.
        public var threads = 1

        /// Creates the default options.
        public init() {}
    }

    /// The archive to write.
    public let target: FilePath
    /// The options.
    public var options: Options

    /// Creates an importer. It reads and writes nothing yet.
    public init(into target: FilePath, options: Options = Options()) {
        (self.target, self.options) = (target, options)
    }

    /// Imports files, in their order.
    ///
    /// A long import commits several times: see ``Options/commitInterval``. If the archive is that of an unfinished import of the same files with the same
    /// options, it continues behind its last commit, and the archive becomes that of an uninterrupted import.
    ///
    /// A file that cannot be read as one of the formats is passed over as damage, if others can be imported.
    ///
    /// A new archive is readable only by users who can read every file. An archive that is appended to keeps its permissions.
    ///
    /// Memory does not grow with bodies, but with the number of records.
    ///
    /// - Parameters:
    ///   - sources: the paths of files, which are recognised by their contents, or of folders that `wget --mirror` or HTTrack made; `-` for standard input.
    ///   - progress: a function that is called now and then with the records and the bytes of files that were read.
    /// - Returns: the counts, and the damage that was passed over.
    /// - Throws: `notAnArchive` for a file of an unknown kind; `unsupportedVersion` for a ZIM file of another version than 5 and 6; `damaged` or
    ///   `truncated` for damage, with ``Options/isStrict``; `alreadyExists` if the target is not an archive; `invalidArgument`, `locked`,
    ///   `limitExceeded`, `changed`, `io`. Earlier commits stay.
    @discardableResult
    public func run(
        _ sources: [FilePath], progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        let files = sources + sources.flatMap(CollectionSource.files(besideCollectionAt:))
        let rights = SourceRights(ofFilesAt: files)
        let state = try FormerState(target, files, options)
        var writing = ArchiveWriter.Options()
        (writing.level, writing.examined) = (options.level, state.unfinished)
        let builder =
            try options.appends || state.unfinished != nil
            ? CommitBuilder(appendingTo: target, options: writing, reading: rights)
            : CommitBuilder(creating: target, options: writing, madeFrom: rights)
        let archive = ImportTarget(
            target, builder, options, rights: rights, journal: state.journal, hasJournal: state.hasJournal)
        defer { archive.cancel() }
        let run = try ImportRun(ImportOutput(archive, options, progress), former: state.archive)
        var isAdded = false
        for path in sources {
            do throws(ArchiveError) {
                try run.add(SourceFormat.source(at: path), at: path)
                isAdded = true
            } catch  where sources.count > 1 && error.isOfOneSource {
                try run.pass(error, at: path)
            }
        }
        if !isAdded, let error = run.output.summary.damage.first { throw error }
        try run.finish()
        return run.output.summary
    }
}

extension ArchiveError {
    /// Whether it is the fault of one source, beside which others can be imported.
    var isOfOneSource: Bool { [.notAnArchive, .damaged, .truncated].contains(code) }
}

extension ArchiveImporter {
    /// The result of an import.
    public struct Summary: Sendable {
        /// The number of records that were read.
        public var records = 0
        /// The number of exchanges with a response that were stored.
        public var responses = 0
        /// The number of revisits whose body was found.
        public var revisits = 0
        /// The URLs of revisits whose body is in no source, at most 1,000 of them.
        public var unresolvedURLs: [String] = []
        /// The number of revisits whose body is in no source.
        public var unresolvedRevisits = 0
        /// The number of sources with a signature, which is not checked and not kept.
        public var signedSources = 0
        /// The number of requests without a response, which were stored with the reason.
        public var failedLoads = 0
        /// The number of responses whose bodies their sources lack, revisits aside.
        public var missingBodies = 0
        /// The number of files of mirrored folders, whose URLs are guesses.
        public var guessedURLs = 0
        /// The number of responses from ZIM files, which have neither the fields nor the statuses of responses.
        public var derivedResponses = 0
        /// The number of symbolic links and special files in mirrored folders, which are left out.
        public var skippedFiles = 0
        /// The number of pages that were added to the list of pages.
        public var pages = 0
        /// The number of other records that were kept.
        public var otherRecords = 0
        /// The damage that was passed over, with file and offset, at most 1,000 faults.
        public var damage: [ArchiveError] = []
        /// The number of faults that were passed over; of one part of a source at most 1,000 count.
        public var damageCount = 0

        /// Creates an empty summary.
        public init() {}
    }
}
