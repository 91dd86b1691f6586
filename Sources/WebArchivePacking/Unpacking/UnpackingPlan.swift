// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The assignment of entries to files.
struct UnpackingPlan {
    /// An entry that becomes a file.
    struct File: Sendable {
        let entry: ArchiveEntry
        /// The path below the destination. No component is empty or a dot segment.
        let path: [UInt8]
    }

    private(set) var files: [File] = []
    /// The folders that were packed without files, as paths below the destination.
    private(set) var folders: [[UInt8]] = []
    /// The entries that cannot become files, each with its URL.
    private(set) var failures: [(url: String, error: ArchiveError)] = []

    /// Whether the plan has nothing to write and nothing to report.
    var isEmpty: Bool { files.isEmpty && folders.isEmpty && failures.isEmpty }

    /// The mapping of URLs to file names, with `index.html` for a final slash.
    private let names: URLFileName
    private let hosts = HostDirectory()
    /// The layout of the options, or else the one that fits the number of hosts.
    private let layout: ArchiveUnpacker.Options.Layout
    /// The folder in the URL of every file, which the flat layout omits; nil if there are files beside it.
    private var base: CanonicalURL?
    /// The space that all files and their folders take on most file systems, in bytes.
    private(set) var length: UInt64 = 0
    /// The maximum of ``length``, in bytes.
    private let limit: UInt64

    /// The maximum number of folders above a file; file systems fail at about 2,000, and no site has a tenth of them.
    static let maximumDepth = 255
    private static let slash = UInt8(ascii: "/")
    /// The length of a block of most file systems, in bytes: a folder takes one, and a file some.
    private static let blockLength: UInt64 = 4096

    /// Throws `damaged` or `io` if the index cannot be read, `invalidArgument` if the layout does not fit, `limitExceeded` if files and
    /// folders exceed ``ArchiveUnpacker/Options/maximumBytes``.
    init(_ archive: ArchiveReader, _ options: ArchiveUnpacker.Options) throws(ArchiveError) {
        do {
            names = try URLFileName()
        } catch {
            throw ArchiveError(.invalidArgument, "invalid index file name", cause: error)
        }
        limit = options.maximumBytes ?? max(1 << 30, archive.fileLength.multipliedSaturated(by: 1000))
        var found: [(entry: ArchiveEntry, url: CanonicalURL)] = []
        var roots: Set<[UInt8]> = []
        var captures: NewestCaptures?
        let (limited, indexName) = (archive.limitedToOnePass(), names.indexName)
        func take() throws(ArchiveError) {
            guard let captures, let entry = try captures.file(indexName: indexName, in: limited) else { return }
            roots.insert(Array(captures.url.root))
            found.append((entry, captures.url))
        }
        var failures: [(url: String, error: ArchiveError)] = []
        try limited.forEachEntry(prefix: options.urlPrefix) { entry throws(ArchiveError) in
            let bytes = try entry.keyBytes
            guard let url = try? CanonicalURL(utf8: bytes) else {
                let text = String(untrusted: bytes)
                failures.append((text, ArchiveError(.damaged, "the key is not a URL", path: archive.name)))
                return true
            }
            guard try entry.outlinedMethod == "GET" else { return true }
            if url != captures?.url {
                try take()
                captures = NewestCaptures(url: url)
            }
            try captures?.add(entry)
            return true
        }
        try take()
        self.failures = failures
        layout = options.layout ?? (roots.count > 1 ? .host : .flat)
        guard layout == .host || roots.count < 2 else {
            throw ArchiveError(
                .invalidArgument,
                "the archive has several hosts", recovery: .separateHosts)
        }
        if layout == .flat, let text = try archive.metadata()[MetadataName.baseURL],
            let folder = try? CanonicalURL(text), folder.query == nil, folder.bytes.last == Self.slash,
            found.allSatisfy({ $0.url.bytes.starts(with: folder.bytes) || !Self.becomesFile($0.entry) })
        {
            base = folder
        }
        try arrange(found, archive.name)
    }

    /// Returns whether an entry may become a file or a folder. An entry whose kind cannot be read may, and fails later.
    private static func becomesFile(_ entry: ArchiveEntry) -> Bool { (try? entry.kind) != .redirect }

    /// Checks the length: files that share a body take no space in an archive, folders hardly any, and all of them do on a disk.
    private func checkLength(_ name: String?) throws(ArchiveError) {
        guard length > limit else { return }
        throw ArchiveError(
            .limitExceeded, "the files and folders exceed \(limit) bytes in total",
            path: name, recovery: .raiseLimit)
    }

    /// Assigns a path to each entry: first it finds the folders that all files need, then the files beside which a folder of their name must
    /// be.
    ///
    /// It adds up the space on a disk, and stops at the limit. An entry that fails does not stop the others.
    private mutating func arrange(
        _ found: [(entry: ArchiveEntry, url: CanonicalURL)], _ name: String?
    ) throws(ArchiveError) {
        // A folder cannot be a file as well.
        var needed = FolderTree()
        for (_, url) in found where depth(url) <= Self.maximumDepth {
            needed.insert(path(of: url, isDirectory: nil).dropLast())
            length = UInt64(needed.count).multipliedSaturated(by: Self.blockLength)
            try checkLength(name)
        }
        for (entry, url) in found {
            do throws(ArchiveError) {
                guard depth(url) <= Self.maximumDepth else {
                    throw ArchiveError(
                        .limitExceeded,
                        "the file is \(depth(url)) folders deep; the limit is \(Self.maximumDepth)")
                }
                let path = path(of: url, isDirectory: { needed.contains($0) })
                let kind = try entry.kind
                if kind == nil, url.bytes.last == Self.slash {
                    // The destination itself exists.
                    if path.count > 1 { folders.append(joined(path.dropLast())) }
                } else if kind == .response {
                    files.append(File(entry: entry, path: joined(path[...])))
                    let blocks = max(
                        1, (try entry.body?.length ?? 0).addingSaturated(Self.blockLength - 1) / Self.blockLength)
                    length = length.addingSaturated(blocks.multipliedSaturated(by: Self.blockLength))
                    if length > limit { break }
                }
            } catch {
                failures.append((url.description, error))
            }
        }
        try checkLength(name)
    }

    /// Returns a path in one piece: it may have some hundred components, and there may be millions of files.
    private func joined(_ path: ArraySlice<[UInt8]>) -> [UInt8] { Array(path.joined(separator: [Self.slash])) }

    /// Returns the number of folders above a file, with that of its host in that layout; an escaped name that needs several components counts
    /// as one.
    private func depth(_ url: CanonicalURL) -> Int { url.path.count { $0 == Self.slash } - (layout == .host ? 0 : 1) }

    /// Returns the components of a URL's path below the destination; with the folder of its host in that layout.
    private func path(of url: CanonicalURL, isDirectory: URLFileName.DirectoryTest?) -> [[UInt8]] {
        var relative = url
        if let base, url.bytes.starts(with: base.bytes),
            let shortened = try? CanonicalURL(utf8: base.root + [Self.slash] + url.bytes.dropFirst(base.bytes.count))
        {
            relative = shortened
        }
        let prefix = layout == .host ? hosts.directory(of: url) : []
        let test: URLFileName.DirectoryTest? = isDirectory.map { test in { path in test(prefix + path) } }
        return prefix + names.filePath(of: relative, isDirectory: test)
    }
}
