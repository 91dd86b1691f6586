// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
public import SystemPackage
public import WebArchive

/// A catalogue of archives that are served side by side, each as a site with a host name of its own.
///
/// ```swift
/// let catalogue = try ArchiveCatalogue(["/srv/archives"])
/// for site in catalogue.sites { print("http://\(site.name).localhost:8080/") }
/// let service = ReplayService(catalogue, logger: Logger(label: "docs"))
/// ```
///
/// Nothing is opened at first: an archive is opened when a client requests it, and at most 32 of them stay open. Archives are described in the
/// background, each one again after its file has changed. A damaged one, or one on a slow disk, does not delay the others.
public final class ArchiveCatalogue: Sendable {
    /// The given files and folders. Of a folder, the files that end in `.webarc` are served, except those in folders below it, and
    /// those whose names begin with a dot.
    public let sources: [FilePath]
    /// The options for each library. The capacity of the cache is divided before an archive is opened.
    private let options: ArchiveLibrary.Options
    /// The sites in the order of their names. Sites are shared with requests, so that a replaced list does not end
    /// them.
    private let state: Mutex<[CatalogueSite]>
    /// A counter of uses of all sites: a larger number is a later use. It orders uses without reading a time.
    private let clock = Atomic(0)
    /// The threads for opening and describing: a file system that does not respond keeps some of them.
    private let threads: CatalogueThreads

    /// The maximum number of open sites.
    ///
    /// A site beyond it is closed when another one is opened, the least recently used first.
    private static let maximumOpenCount = 32

    /// Lists the archives, and begins to describe them. Folders without any file are accepted: archives may be added later.
    ///
    /// - Parameters:
    ///   - sources: the files and folders.
    ///   - options: the options of the library of each site. Its ``ArchiveLibrary/Options/cacheCapacity`` is for all sites together.
    /// - Throws: `io` for a folder that cannot be listed, and for a missing file; `notFound` if there are files, but none is an
    ///   archive.
    public convenience init(
        _ sources: [FilePath], options: ArchiveLibrary.Options = .init()
    ) throws(ArchiveError) {
        try self.init(sources, options: options, threads: CatalogueThreads(count: 8))
    }

    /// Lists the archives, and describes them on given threads.
    ///
    /// - Parameter threads: the threads for all opening and describing, which tests replace by their own.
    /// - Throws: as the public initializer.
    init(
        _ sources: [FilePath], options: ArchiveLibrary.Options = .init(), threads: CatalogueThreads
    ) throws(ArchiveError) {
        (self.sources, self.options, self.threads) = (sources, options, threads)
        var paths: [FilePath] = []
        for source in sources { paths += try Self.archives(at: source) }
        // An empty folder is one for later archives; one with other files is an error.
        guard !paths.isEmpty else {
            for source in sources where try !Self.names(in: source).isEmpty { throw Self.noArchive(sources) }
            state = Mutex([])
            return
        }
        state = Mutex(Self.named(paths, keeping: []))
        describe()
    }

    /// The sites, in the order of their names. The list is that of the last check; see ``CatalogueWatch``.
    ///
    /// Reading it holds a lock for copying a reference.
    public var sites: [CatalogueSite] { state.withLock { $0 } }

    /// Returns the site with a label; nil if there is none.
    func site(named name: String) -> CatalogueSite? { state.withLock { $0.first { $0.name == name } } }

    /// Returns the site's archives, once they are open; nil if that takes longer than `patience`.
    ///
    /// Each call counts as a use. The first call for a closed site starts the opening on another thread, so that the
    /// file system delays only its own site.
    ///
    /// - Parameter patience: the patience in milliseconds.
    /// - Returns: the archives, or the error of opening them. A transient failure is returned until the retry interval
    ///   of the site has passed.
    func library(of site: CatalogueSite, patience: Int) -> CatalogueSite.Opening? {
        site.touch(clock.add(1, ordering: .relaxed).newValue)
        if let known = site.lastingOpening { return known }
        var options = options
        options.cacheCapacity = options.cacheCapacity / min(Self.maximumOpenCount, max(1, sites.count))
        site.open(options, on: threads)
        let opening = site.waitUntilOpen(milliseconds: patience)
        closeLeastRecentlyUsed()
        return opening
    }

    /// Closes the open sites beyond ``maximumOpenCount``. Requests that are in progress keep their archives open until
    /// they end.
    private func closeLeastRecentlyUsed() {
        let open = sites.filter(\.isOpen).sorted { $0.lastUse < $1.lastUse }
        for site in open.dropLast(Self.maximumOpenCount) { site.close() }
    }

    /// Searches for new, missing or changed archives. A changed archive that is open is verified first; one that does not verify
    /// stays as it was.
    ///
    /// It blocks for the verification of changed open archives, and must be called on a thread that may wait.
    ///
    /// - Parameter isAsked: whether to try changed files at once, even those that were refused.
    /// - Returns: why files were refused.
    @discardableResult
    func rescan(isAsked: Bool = true) -> [ArchiveError] {
        var (paths, refused): ([FilePath], [ArchiveError]) = ([], [])
        for source in sources {
            do throws(ArchiveError) {
                paths += try Self.archives(at: source)
            } catch {
                // A folder that cannot be listed now is not gone: a disk may come back.
                refused.append(error)
                paths += sites.map(\.path).filter { $0 == source || $0.removingLastComponent() == source }
            }
        }
        state.withLock { $0 = Self.named(paths, keeping: $0) }
        for site in sites {
            if let error = site.reload(isAsked: isAsked) { refused.append(error) }
        }
        describe()
        return refused
    }

    /// Schedules the description of each site that is new, or whose file has changed since its description. Returns at
    /// once.
    private func describe() {
        for site in sites where site.needsDescription {
            threads.run { [trust = options.trust] in site.describe(trust: trust) }
        }
    }

    // MARK: - Names

    /// Returns the files, and those that end in `.webarc` in the folders.
    ///
    /// - Throws: `io` for a missing path or one that cannot be listed; `notFound` if there is no archive.
    package static func archives(in sources: [FilePath]) throws(ArchiveError) -> [FilePath] {
        var paths: [FilePath] = []
        for source in sources { paths += try archives(at: source) }
        guard !paths.isEmpty else { throw noArchive(sources) }
        return paths
    }

    /// Returns the error for sources without an archive; it names the first source only.
    private static func noArchive(_ sources: [FilePath]) -> ArchiveError {
        ArchiveError(
            .notFound, "the folder has no .webarc file", path: sources.first?.string,
            recovery: .packFirst)
    }

    /// Lists the names in a folder, in no particular order.
    ///
    /// - Throws: `io` with the cause.
    private static func names(in folder: FilePath) throws(ArchiveError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.string)
        } catch {
            throw ArchiveError(.io, "cannot list the folder", path: folder.string, cause: error)
        }
    }

    /// Returns the file itself, or the archives of a folder in the order of their names.
    ///
    /// A given file may have any name. Of the names in a folder, only the ending is checked: a subfolder with such a
    /// name is listed as well.
    private static func archives(at source: FilePath) throws(ArchiveError) -> [FilePath] {
        guard let status = FileStatus(of: source) else {
            throw ArchiveError(.io, "the file or folder does not exist", path: source.string)
        }
        guard status.kind == .folder else { return [source] }
        let names = try names(in: source).filter { ArchiveFile.isNamedLikeArchive($0) && !$0.hasPrefix(".") }
        return names.sorted().map { source.appending($0) }
    }

    /// Assigns a unique name to each file, a label of a host name. Existing sites keep theirs. A file with exactly this spelling gets it
    /// before others that map to the same one.
    ///
    /// A second file of the same label gets the number 2, and so forth. The label of the explorer is reserved.
    ///
    /// - Parameters:
    ///   - paths: the files; one that occurs twice gets one site.
    ///   - known: the sites of the previous list. Those whose file is missing in `paths` are dropped.
    /// - Returns: the sites, sorted by the bytes of their names.
    private static func named(_ paths: [FilePath], keeping known: [CatalogueSite]) -> [CatalogueSite] {
        let known = Dictionary(known.map { ($0.path, $0) }) { first, _ in first }
        var names = Set(paths.compactMap { known[$0]?.name } + [ServerAuthority.explorerLabel])
        var sites: [FilePath: CatalogueSite] = [:]
        let isExact = { (path: FilePath) in path.lastComponent?.stem == CatalogueSite.label(path) }
        for path in paths.filter(isExact) + paths.filter({ !isExact($0) }) where sites[path] == nil {
            if let site = known[path] {
                sites[path] = site
                continue
            }
            let label = CatalogueSite.label(path)
            var (name, number) = (label, 1)
            while !names.insert(name).inserted {
                number += 1
                name = "\(label)-\(number)"
            }
            sites[path] = CatalogueSite(name, path)
        }
        return sites.values.sorted { $0.name.precedesInBytes($1.name) }
    }
}
