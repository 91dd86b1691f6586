// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// Which entry of an archive becomes which file.
struct UnpackingPlan: Sendable {
    struct File: Sendable {
        let entry: ArchiveEntry
        /// Components below the destination; none of them is empty, a dot segment, or holds a slash.
        let path: [[UInt8]]
    }

    private(set) var files: [File] = []
    private(set) var folders: [[[UInt8]]] = []
    private(set) var failures: [(url: String, error: ArchiveError)] = []

    private let names: URLFileName
    private let hosts = HostDirectory()
    private let layout: UnpackingOptions.Layout
    private let base: CanonicalURL?
    /// Folders that files need, as joined paths: what is one cannot be a file as well.
    private var neededFolders: Set<[UInt8]> = []

    private static let slash = UInt8(ascii: "/")

    /// Throws `damaged` or `io` if the index cannot be read, `invalidArgument` if the layout does not fit.
    init(_ archive: ArchiveReader, _ options: UnpackingOptions) throws(ArchiveError) {
        do {
            names = try URLFileName()
        } catch {
            throw ArchiveError(.invalidArgument, "no index name", cause: error)
        }
        base = try archive.metadata()[MetadataName.baseURL].flatMap { try? CanonicalURL($0) }
        var found: [(entry: ArchiveEntry, url: CanonicalURL)] = []
        var roots: Set<[UInt8]> = []
        var previous: CanonicalURL?
        var failures: [(url: String, error: ArchiveError)] = []
        try archive.forEachEntry(prefix: options.urlPrefix) { entry throws(ArchiveError) in
            let bytes = try entry.keyBytes
            guard let url = try? CanonicalURL(utf8: bytes) else {
                let text = String(decoding: bytes, as: UTF8.self)
                failures.append((text, ArchiveError(.damaged, "a key that is not a URL", path: archive.name)))
                return true
            }
            // Of several captures of a URL the first is the newest.
            guard url != previous, try entry.role != .alias, try entry.method == "GET" else { return true }
            previous = url
            roots.insert(Array(url.root))
            found.append((entry, url))
            return true
        }
        self.failures = failures
        layout = options.layout ?? (roots.count > 1 ? .host : .flat)
        guard layout == .host || roots.count < 2 else {
            throw ArchiveError(
                .invalidArgument,
                "the archive holds several hosts; unpack with --layout host, or one of them with --url")
        }
        try arrange(found)
    }

    private mutating func arrange(_ found: [(entry: ArchiveEntry, url: CanonicalURL)]) throws(ArchiveError) {
        for (_, url) in found {
            let path = path(of: url, isDirectory: nil)
            for count in stride(from: path.count - 1, to: 0, by: -1) {
                // A folder that is known has all the folders above it known as well.
                guard neededFolders.insert(Self.joined(path[..<count])).inserted else { break }
            }
        }
        let needed = neededFolders
        for (entry, url) in found {
            let path = path(of: url) { needed.contains(Self.joined($0[...])) }
            do throws(ArchiveError) {
                let kind = try entry.kind
                if kind == nil, url.bytes.last == Self.slash {
                    folders.append(Array(path.dropLast()))
                } else if kind == .response {
                    files.append(File(entry: entry, path: path))
                }
            } catch {
                failures.append((url.description, error))
            }
        }
    }

    private static func joined(_ path: ArraySlice<[UInt8]>) -> [UInt8] { Array(path.joined(separator: [slash])) }

    private func path(of url: CanonicalURL, isDirectory: URLFileName.DirectoryTest?) -> [[UInt8]] {
        var relative = url
        if layout == .flat, let base, url.bytes.starts(with: base.bytes),
            let shortened = try? CanonicalURL(utf8: base.root + [Self.slash] + url.bytes.dropFirst(base.bytes.count))
        {
            relative = shortened
        }
        let prefix = layout == .host ? hosts.directory(of: url) : []
        let test: URLFileName.DirectoryTest? = isDirectory.map { test in { path in test(prefix + path) } }
        return prefix + names.filePath(of: relative, isDirectory: test)
    }
}
