// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive

/// A packer of folders and files into an archive.
///
/// The same files give the same bytes, whatever the number of threads and the order on disk. Nothing is left out in silence: a file that
/// cannot be read, vanishes or changes while it is packed ends the packing with an error that names it, and the archive stays as it was. A
/// symbolic link that leads out of its folder, to nothing or in a circle is skipped with a warning. The archive itself, where it lies in a
/// folder that is packed, is never packed.
public struct ArchivePacker: Sendable {
    /// The folders and files to pack.
    public let sources: [FilePath]
    /// The archive to write.
    public let archive: FilePath
    /// The options of packing.
    public let options: Options

    /// Creates a packer; ``run(progress:)`` does the work.
    public init(_ sources: [FilePath], into archive: FilePath, options: Options = Options()) {
        self.sources = sources
        self.archive = archive
        self.options = options
    }

    /// Packs.
    ///
    /// - Parameter progress: called now and then, from any thread.
    /// - Throws: `io`, `changed`, `invalidArgument`, `limitExceeded`, `locked`, `alreadyExists`; when appending also what opening an
    ///   archive throws.
    public func run(
        progress: (@Sendable (WorkProgress) -> Void)? = nil
    ) throws(ArchiveError) -> Summary {
        var urls = try SiteURLs(options)
        var walker = try SourceWalker(options, output: OutputArchive(archive))
        for source in sources { try walker.walk(source) }
        if options.requiresAllLinks { try Self.refuse(walker.skippedLinks) }
        let tree = SourceTree(walker)
        urls.noteFolders(of: tree, walker.emptyFolders)
        let rules = try PublishedRules(tree)
        let writerOptions = ArchiveWriter.Options(level: options.level)
        let builder =
            options.appends
            ? try CommitBuilder(appendingTo: archive, options: writerOptions)
            : try CommitBuilder(creating: archive, options: writerOptions)
        do throws(ArchiveError) {
            var summary = try pack(tree, walker.emptyFolders, urls, rules, builder, progress)
            summary.warnings = walker.skippedLinks.map { $0.warning() } + walker.warnings + summary.warnings
            return summary
        } catch {
            builder.cancel()
            throw error
        }
    }

    /// Throws `invalidArgument` if there are links to skip.
    private static func refuse(_ links: [SkippedLink]) throws(ArchiveError) {
        guard let first = links.first else { return }
        throw ArchiveError(
            .invalidArgument, first.text, path: first.path, cause: SkippedLinks(warnings: links.map { $0.warning("") }),
            recovery: links.contains { $0.fault == .outside } ? .allowOutsideLinks : .leaveOut)
    }

    private func pack(
        _ tree: SourceTree, _ emptyFolders: [SourceWalker.EmptyFolder], _ urls: SiteURLs, _ rules: PublishedRules,
        _ builder: CommitBuilder, _ progress: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) -> Summary {
        let plan = options.usesDictionaries ? DictionaryPlan(tree) : DictionaryPlan(none: tree.files.count)
        let dictionaries = plan.scopes.map { scope in
            SharedDictionary(
                DictionaryBuilder(tree: tree, scope: scope, level: options.level, blockLength: builder.blockLength))
        }
        let recorder = EntryRecorder(builder: builder, tree: tree, urls: urls, rules: rules, options: options)
        let serial = SerialStage(builder: builder, tree: tree, plan: plan, recorder: recorder, report: progress)
        let pipeline = PackingPipeline(
            tree: tree, urls: urls, dictionaries: dictionaries, options: options, blockLength: builder.blockLength,
            serial: serial)
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
        summary.warnings = rules.warnings + recorder.warnings + metadataWarnings
        try builder.commit()
        summary.archiveLength = try FileByteSource(path: archive).length
        return summary
    }

    /// Gives warnings about the choice of the main page, and about rules that are not applied.
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
                        "the archive has \(SiteRules.fileLimit) rule files, as many as are applied; only rules for one URL are",
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
