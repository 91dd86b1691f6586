// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive

/// A packer of folders and files into an archive.
///
/// ```swift
/// var options = ArchivePacker.Options()
/// options.baseURL = "https://docs.example/"
/// options.threads = 4
/// let summary = try ArchivePacker(["site"], into: "docs.webarc", options: options).run()
/// for warning in summary.warnings { print(warning) }
/// ```
///
/// The same files produce the same bytes, for any number of threads and any order on disk (specification section 11). Nothing is left out
/// silently: a file that cannot be read, disappears or changes while it is packed ends the packing with an error that names it, and the
/// archive does not change. A symbolic link that leads out of its folder, to nothing or in a loop is skipped with a warning. The archive
/// itself, if it is in a packed folder, is never packed.
///
/// A file `dir/page.html` becomes the response to a GET of its path below ``Options/baseURL``, with `Content-Type`, `Content-Length`,
/// `Last-Modified` and an `ETag` that is the MD5 of its bytes. An index file (``Options/indexNames``) is the response to `/dir/` and
/// `/dir/index.html`, and `/dir` redirects to `/dir/`. Rules in the files `_headers` and `_redirects` at the top of a source are applied as
/// Netlify does; the files themselves are kept for unpacking only (`role` 2, specification section 7). An empty folder is kept for
/// unpacking as well.
///
/// A packer holds its arguments only: it may be used from any thread, and ``run(progress:)`` may be called more than once.
public struct ArchivePacker: Sendable {
    /// The folders and files to pack.
    ///
    /// The content of each folder goes to the root of the site, as does a single file. Two sources with a file for one URL are an
    /// error.
    public let sources: [FilePath]
    /// The archive to write; a file of this name that is not an archive is never replaced.
    public let archive: FilePath
    /// The options of packing.
    public let options: Options

    /// Creates a packer, and accesses no file; ``run(progress:)`` does the work.
    ///
    /// - Parameters:
    ///   - sources: the folders and files to pack. Symbolic links in these paths themselves are followed.
    ///   - archive: the archive to write, or to add to with ``Options/appends``.
    ///   - options: the options; a new archive with the base URL `http://localhost/` by default.
    public init(_ sources: [FilePath], into archive: FilePath, options: Options = Options()) {
        self.sources = sources
        self.archive = archive
        self.options = options
    }

    /// Packs, and returns when the archive is on disk.
    ///
    /// The work runs on the calling thread, and with ``Options/threads`` above 1 on further ones. A file of more than 4 to 8 MiB (growing with
    /// the total length) is read twice and never held in memory as a whole. A new archive is written to `FILE.partial` and
    /// renamed at the end; readers of an archive that is added to see it as it was up to then. After an error the archive is as it was
    /// before.
    ///
    /// - Parameter progress: a function that is called after each batch of at most 1,024 files, from any of the threads, and never from two
    ///   at once. The totals are known from the first call on; bytes are counted before compression.
    /// - Returns: the counts and the warnings of this run.
    /// - Throws: an error with the path of the file that is at fault, with one of these codes. `io`: a source cannot be read, or the
    ///   archive cannot be written. `changed`: a file or folder vanished or changed since it was listed. `invalidArgument`: an option of no
    ///   use (base URL, index name, pattern, main page), a name that cannot become a URL, two files for one URL, a source that is neither
    ///   file nor folder, is the archive itself or has its temporary name, rules that are not UTF-8, or a skipped link with ``Options/requiresAllLinks``.
    ///   `limitExceeded`: 10,000 folders reached through links to links, 400,000 files and folders reached through links, whose paths have 64
    ///   MiB, a rule file of more than 4 MiB, rules that take too long to match, or a limit of specification section 10. `locked`: another
    ///   writer has locked the archive. `alreadyExists`: a file of the archive's name exists, and is not an archive. With ``Options/appends``
    ///   also errors of opening an archive.
    public func run(
        progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        var urls = try SiteURLs(options)
        let earlier = try openEarlierEdition()
        var walker = try SourceWalker(options, output: OutputArchive(archive))
        for source in sources { try walker.walk(source) }
        if options.requiresAllLinks { try Self.refuse(walker.skippedLinks) }
        let tree = SourceTree(walker)
        urls.noteFolders(of: tree, walker.emptyFolders)
        let rules = try PublishedRules(tree)
        var writerOptions = ArchiveWriter.Options(level: options.level, signing: options.signing)
        if let earlier { writerOptions.blockExponent = earlier.stored.blockExponent }
        writerOptions.signing?.threads = options.threads
        writerOptions.examined = options.examined
        let rights = SourceRights(
            of: options.earlierEdition.map { [StoredArchive($0).source] } ?? [], alsoReading: sourcesInPlaceOfLock(tree)
        )
        let builder =
            options.appends
            ? try CommitBuilder(appendingTo: archive, options: writerOptions, reading: rights)
            : try CommitBuilder(creating: archive, options: writerOptions, madeFrom: rights)
        do throws(ArchiveError) {
            var summary = try pack(tree, walker.emptyFolders, urls, rules, builder, like: earlier, progress)
            summary.warnings = walker.skippedLinks + walker.warnings + summary.warnings
            return summary
        } catch {
            builder.cancel()
            throw error
        }
    }

    /// Returns the file that has the temporary name of the archive, if it is packed: a lock would replace it.
    private func sourcesInPlaceOfLock(_ tree: SourceTree) -> [FileNumber] {
        guard let left = try? FilePlace(following: archive, isNew: true).with().status()?.number,
            tree.files.contains(where: { $0.stamp.identity.number == left })
        else { return [] }
        return [left]
    }

    /// Opens the earlier edition; nil without one.
    ///
    /// - Throws: `invalidArgument` with ``Options/appends``; `damaged` if its last commit is damaged; as opening an archive.
    private func openEarlierEdition() throws(ArchiveError) -> EarlierEdition? {
        guard let archive = options.earlierEdition else { return nil }
        guard !options.appends else {
            throw ArchiveError(
                .invalidArgument, "an earlier edition cannot be used when appending")
        }
        return try EarlierEdition(archive)
    }

    /// Throws `invalidArgument` if there are links to skip.
    private static func refuse(_ links: [PackingWarning]) throws(ArchiveError) {
        guard let first = links.first else { return }
        throw ArchiveError(
            .invalidArgument, first.message, path: first.path, cause: SkippedLinks(warnings: links),
            recovery: links.contains { $0.code == .linkOutside } ? .allowOutsideLinks : .leaveOut)
    }

    /// Packs the listed files, and commits. After an error the caller cancels the builder.
    ///
    /// Redirect rules come after all files, since a file takes precedence over a rule that is not forced, and the main page after them,
    /// since a rule may respond to its URL.
    private func pack(
        _ tree: SourceTree, _ emptyFolders: [SourceWalker.EmptyFolder], _ urls: SiteURLs, _ rules: PublishedRules,
        _ builder: CommitBuilder, like earlier: EarlierEdition?, _ progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) -> Summary {
        let plan = options.usesDictionaries ? DictionaryPlan(tree) : DictionaryPlan(none: tree.files.count)
        let edition = try earlier.mapTyped { edition throws(ArchiveError) in try EditionPlan(edition, tree, urls) }
        let dictionaries = try DictionarySet(
            plan, tree, keeping: edition, level: options.level, blockLength: builder.blockLength)
        let recorder = EntryRecorder(builder: builder, tree: tree, urls: urls, rules: rules, options: options)
        let serial = SerialStage(
            builder: builder, tree: tree, dictionaries: dictionaries, edition: edition, recorder: recorder,
            report: progress)
        let pipeline = PackingPipeline(
            tree: tree, urls: urls, dictionaries: dictionaries.all, earlier: earlier?.stored, options: options,
            blockLength: builder.blockLength, serial: serial)
        try pipeline.run()
        for folder in emptyFolders { try recorder.record(emptyFolder: folder.path) }
        try recorder.recordRedirectRules()
        let page = MainPage(tree: tree, urls: urls, builder: builder, recorder: recorder, redirects: rules.redirects)
        let metadataWarnings = try writeMetadata(builder, urls, rules, page)
        var summary = Summary()
        summary.files = tree.files.count
        summary.entries = recorder.entryCount
        summary.bytes = serial.progress.bytes
        summary.duplicateBytes = serial.duplicateBytes
        summary.warnings = rules.warnings + recorder.warningsOfSecrets + recorder.warnings + metadataWarnings
        try builder.commit()
        summary.archiveLength = try FileByteSource(path: archive).length
        return summary
    }

    /// Writes the metadata, and returns warnings about the choice of the main page, and about rules that are not applied.
    private func writeMetadata(
        _ builder: CommitBuilder, _ urls: SiteURLs, _ rules: PublishedRules, _ page: MainPage
    ) throws(ArchiveError) -> [PackingWarning] {
        var metadata = options.metadata
        var warnings: [PackingWarning] = []
        if let name = metadata[MetadataName.mainPage] {
            metadata[MetadataName.mainPage] = try page.url(of: name).description
        } else if !options.appends {
            let choice = try page.choice()
            metadata[MetadataName.mainPage] = choice.url?.description
            warnings += choice.warning.map { [$0] } ?? []
        }
        metadata[MetadataName.baseURL] = urls.base.description
        let existing = try builder.existingMetadata()
        if rules.redirects?.rules.isEmpty == false {
            let file = try urls.urlOfRedirects()
            let known = (existing[MetadataName.redirectRules] ?? "").split(separator: " ").map(String.init)
            if known.contains(file) || known.count < SiteRules.fileLimit {
                metadata[MetadataName.redirectRules] =
                    (known.contains(file) ? known : known + [file]).joined(separator: " ")
            } else {
                warnings.append(
                    PackingWarning(
                        .rulesNotApplied,
                        "the archive already has the maximum of \(SiteRules.fileLimit) rule files; rules with * or : are not applied",
                        path: "_redirects"))
            }
        }
        for (name, value) in metadata.sorted(by: { $0.key < $1.key })
        where existing[name]?.hasSameBytes(as: value) != true {
            try builder.setMetadata(name, to: value)
        }
        return warnings
    }
}
