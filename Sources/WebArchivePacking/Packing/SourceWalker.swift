// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A walker over the files of the sources, in bytewise order of their paths within each folder, so that neither the order on disk nor the number of
/// threads matters.
struct SourceWalker {
    /// A folder without any entry, which has no file to represent it.
    struct EmptyFolder {
        /// The path relative to the source.
        let path: [UInt8]
        /// The number of the source, counted from 0.
        let source: Int
    }

    /// The files so far, source by source, in bytewise order of the names in each folder.
    private(set) var files: [SourceFile] = []
    /// The folders without any entry so far.
    private(set) var emptyFolders: [EmptyFolder] = []
    /// The warnings about sources that are archives themselves.
    private var archiveWarnings: [PackingWarning] = []
    /// The warnings about private names, and about files that are left out because of their role in the packing.
    private var nameWarnings = LimitedWarnings()
    /// The warnings about links that are not followed.
    private var linkWarnings = LimitedWarnings()
    /// The number of sources so far.
    private var sourceCount = 0
    /// The first source, for warnings that concern no single file.
    private var firstPath = ""
    /// The selection of files, which is the same for all sources.
    private let filter: SourceFilter
    private let work: ParallelWork
    /// The words in a warning for the treatment of a link.
    private let consequence: String

    /// The listing of one folder: nil for one without any entry, and for any folder once a limit is exceeded.
    private typealias Listing = Result<SourceListing?, ArchiveError>

    /// Throws `invalidArgument` for a malformed pattern.
    ///
    /// - Parameter output: the archive that is written, which is left out.
    init(_ options: ArchivePacker.Options, output: OutputArchive? = nil) throws(ArchiveError) {
        filter = try SourceFilter(options, output: output)
        work = ParallelWork(threads: options.threads)
        consequence = options.requiresAllLinks ? "" : "; skipped"
    }

    /// The warnings about private names, about the archive that is being written, and about archives that are packed as files.
    var warnings: [PackingWarning] {
        nameWarnings.warnings(.moreNames, "files and folders with such names", path: firstPath) + archiveWarnings
    }

    /// The warnings about the symbolic links that are not followed.
    var skippedLinks: [PackingWarning] {
        linkWarnings.warnings(.moreLinks, "symbolic links that are not followed", path: firstPath)
    }

    /// Adds a folder with everything in it, or a single file.
    ///
    /// - Throws: `io`, `changed`, or `invalidArgument` for the archive itself, the key that signs it, and for a path that is neither
    ///   file nor folder.
    mutating func walk(_ path: FilePath) throws(ArchiveError) {
        guard let resolved = realpath(path.string, nil) else {
            let cause = Errno(rawValue: errno)
            throw cause == .noSuchFileOrDirectory
                ? ArchiveError(.io, "the file or folder does not exist", path: path.string)
                : ArchiveError(.io, "cannot read", path: path.string, cause: cause)
        }
        defer { free(resolved) }
        guard let status = FileStatus(ofCString: resolved) else {
            throw ArchiveError(.io, "cannot read", path: path.string, cause: Errno(rawValue: errno))
        }
        let bytes = CString.bytes(UnsafeRawPointer(resolved))
        if sourceCount == 0 { firstPath = path.string }
        defer { sourceCount += 1 }
        if status.kind == .folder {
            let root = try SourceRoot(bytes, source: sourceCount)
            try walk(SourceFolder(root: root, path: [], ancestry: FolderAncestry(status.number)))
        } else {
            guard !filter.isOutput(status.number) else {
                throw ArchiveError(
                    .invalidArgument, "the archive cannot be packed into itself; choose another name for the output",
                    path: path.string)
            }
            guard !filter.isSigningKey(status.number) else {
                throw ArchiveError(
                    .invalidArgument, "the signing key cannot be packed; exclude the file",
                    path: path.string)
            }
            guard !filter.isEarlierEdition(status.number) else {
                throw ArchiveError(
                    .invalidArgument, "the earlier edition cannot be packed; exclude the file", path: path.string)
            }
            let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
            let root = try SourceRoot(Array(bytes[..<end]), source: sourceCount)
            let name = Array(bytes[(end + 1)...])
            let listing = SourceListing(root: root, path: [], files: [(name, try root.stamp(name, status))])
            files.append(SourceFile(folder: listing, number: 0))
            archiveWarnings += Self.warnings(ofArchive: path)
        }
    }

    /// Returns a warning if a named file is an archive: the caller may expect its contents to be packed.
    private static func warnings(ofArchive path: FilePath) -> [PackingWarning] {
        guard let source = try? FileByteSource(path: path) else { return [] }
        let name: String
        var way = "unpack it first"
        let format = try? ForeignFormat(of: source)
        if let format, format.content != .document {
            name = format.name
            if format.content == .exchanges { way = "import it instead" }
        } else if format == nil, (try? ArchiveReader(source: source)) != nil {
            name = "a webarc archive"
        } else {
            return []
        }
        let message = "\(name) is packed as one file; to pack its contents, \(way)"
        return [PackingWarning(.archiveAsFile, message, path: path.string)]
    }

    /// Lists all folders of one depth at once, level by level; only then it reports them, in order.
    ///
    /// Throws the error of the first folder of a level that cannot be listed, and lists no further level.
    private mutating func walk(_ folder: SourceFolder) throws(ArchiveError) {
        var levels: [[SourceListing?]] = []
        var level = [folder]
        while !level.isEmpty {
            var listings: [SourceListing?] = []
            var failure: ArchiveError?
            work.run(
                level.count, state: { ParentFolder() },
                work: { [level, filter] parent, number -> Listing? in
                    // The folder that exceeded a limit has the error.
                    guard !level[number].root.linkLimits.isExceeded else { return nil }
                    return Listing { () throws(ArchiveError) in try level[number].listing(filter, from: parent) }
                },
                merge: { result in
                    switch result {
                    case .success(let listing): listings.append(listing)
                    case .failure(let error): failure = failure ?? error
                    }
                })
            if let failure { throw failure }
            levels.append(listings)
            level = listings.flatMap { $0?.folders.map(\.folder) ?? [] }
        }
        var next = Array(repeating: 0, count: levels.count)
        take(folder, depth: 0, levels, &next)
    }

    /// Takes the contents of a folder. On each level the folders come in the order in which they were listed.
    private mutating func take(
        _ folder: SourceFolder, depth: Int, _ levels: [[SourceListing?]], _ next: inout [Int]
    ) {
        let found = levels[depth][next[depth]]
        next[depth] += 1
        guard let listing = found else {
            emptyFolders.append(EmptyFolder(path: folder.path, source: folder.root.source))
            return
        }
        for notice in listing.notices { warn(of: notice, in: folder) }
        var taken = 0
        func takeFiles(to end: Int) {
            files += (taken..<end).lazy.map { SourceFile(folder: listing, number: $0) }
            taken = end
        }
        for (position, folder) in listing.folders {
            takeFiles(to: position)
            take(folder, depth: depth + 1, levels, &next)
        }
        takeFiles(to: listing.stamps.count)
    }

    /// Adds the warning about a name. Its text is made, and the target of a link is read, only if it is reported.
    private mutating func warn(of notice: NoticedName, in folder: SourceFolder) {
        let root = folder.root
        var path: [UInt8] { folder.path.isEmpty ? notice.name : folder.path + [UInt8(ascii: "/")] + notice.name }
        switch notice.reason {
        case .skippedLink(let fault): linkWarnings.add(fault.code, root.skipped(fault, path).warning(consequence))
        case .archiveItself:
            let message = "another name of the output archive; skipped"
            nameWarnings.add(.archiveItself, PackingWarning(.archiveItself, message, path: root.display(path)))
        case .signingKey:
            let message = "the signing key; left out"
            nameWarnings.add(.signingKey, PackingWarning(.signingKey, message, path: root.display(path)))
        case .earlierEdition:
            let message = "the earlier edition; left out"
            nameWarnings.add(.earlierEdition, PackingWarning(.earlierEdition, message, path: root.display(path)))
        case .privateName(let isFolder):
            nameWarnings.add(
                .privateFile, PrivateName.warning(notice.name, isFolder: isFolder, path: root.display(path)))
        }
    }
}
