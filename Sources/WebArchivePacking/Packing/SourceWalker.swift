// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Finds the files of the sources, in bytewise order of their paths within each folder, so that the order on disk does not matter.
struct SourceWalker {
    /// Folders without any entry, relative to their source.
    struct EmptyFolder {
        let path: [UInt8]
        let source: Int
    }

    private(set) var files: [SourceFile] = []
    private(set) var emptyFolders: [EmptyFolder] = []
    /// The folder in which each source's paths start, resolved.
    private(set) var folders: [[UInt8]] = []
    private let include: [GlobPattern]
    private let exclude: [GlobPattern]
    private let allowsOutsideLinks: Bool
    private var root: [UInt8] = []
    private var source = 0
    /// The folders above, by device and file number: a link to one of them would lead in a circle.
    private var ancestors: [(dev_t, ino_t)] = []

    private static let slash = UInt8(ascii: "/")

    /// Throws `invalidArgument` for a pattern that cannot be read.
    init(_ options: PackingOptions) throws(ArchiveError) {
        include = try Self.patterns(options.include)
        exclude = try Self.patterns(options.exclude)
        allowsOutsideLinks = options.allowsOutsideLinks
    }

    private static func patterns(_ texts: [String]) throws(ArchiveError) -> [GlobPattern] {
        var patterns: [GlobPattern] = []
        for text in texts {
            do {
                patterns.append(try GlobPattern(text))
            } catch {
                throw ArchiveError(.invalidArgument, "the pattern \(text) cannot be used", cause: error)
            }
        }
        return patterns
    }

    /// Adds a folder with everything in it, or a single file.
    ///
    /// - Throws: `io`, or `invalidArgument` for links that lead outside or in a circle and for what is neither file nor folder.
    mutating func walk(_ path: FilePath) throws(ArchiveError) {
        source = folders.count
        guard let resolved = realpath(path.string, nil) else {
            throw ArchiveError(.io, "cannot read", path: path.string, cause: Errno(rawValue: errno))
        }
        root = Array(UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map(UInt8.init(bitPattern:)))
        free(resolved)
        let status = try status(of: root)
        if status.st_mode & S_IFMT == S_IFDIR {
            folders.append(root)
            try walkFolder(root, relative: [], status)
        } else {
            let end = root.lastIndex(of: Self.slash) ?? 0
            folders.append(Array(root[..<end]))
            try add(root, relative: Array(root[(end + 1)...]), status)
        }
    }

    private mutating func walkFolder(
        _ path: [UInt8], relative: [UInt8], _ folder: stat
    ) throws(ArchiveError) {
        guard !ancestors.contains(where: { $0 == (folder.st_dev, folder.st_ino) }) else {
            throw ArchiveError(
                .invalidArgument, "a symbolic link that leads in a circle; remove it or leave it out with --exclude",
                path: Self.display(path))
        }
        ancestors.append((folder.st_dev, folder.st_ino))
        defer { ancestors.removeLast() }
        let names = try Self.names(in: path)
        if names.isEmpty { emptyFolders.append(EmptyFolder(path: relative, source: source)) }
        for name in names {
            let child = path + [Self.slash] + name
            let childRelative = relative.isEmpty ? name : relative + [Self.slash] + name
            let status = try status(of: child)
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            if exclude.contains(where: { $0.matches(childRelative, isDirectory: isFolder) }) { continue }
            if isFolder {
                try walkFolder(child, relative: childRelative, status)
            } else if include.isEmpty || include.contains(where: { $0.covers(childRelative, isDirectory: false) }) {
                try add(child, relative: childRelative, status)
            }
        }
    }

    private mutating func add(_ path: [UInt8], relative: [UInt8], _ status: stat) throws(ArchiveError) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ArchiveError(
                .invalidArgument, "neither a file nor a folder; leave it out with --exclude", path: Self.display(path))
        }
        files.append(SourceFile(path: relative, source: source, stamp: FileStamp(status)))
    }

    /// The names in a folder, in bytewise order.
    private static func names(in path: [UInt8]) throws(ArchiveError) -> [[UInt8]] {
        guard let folder = withCString(path, { opendir($0) }) else {
            throw ArchiveError(.io, "cannot read the folder", path: display(path), cause: Errno(rawValue: errno))
        }
        defer { closedir(folder) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: UInt8.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                    Array(
                        UnsafeBufferPointer(
                            start: $0, count: strlen(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))))
                }
            }
            if name != [UInt8(ascii: ".")], name != [UInt8(ascii: "."), UInt8(ascii: ".")] { names.append(name) }
        }
        guard errno == 0 else {
            throw ArchiveError(.io, "cannot read the folder", path: display(path), cause: Errno(rawValue: errno))
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// What a path leads to; a symbolic link is followed if it may be.
    private func status(of path: [UInt8]) throws(ArchiveError) -> stat {
        var status = stat()
        guard Self.withCString(path, { lstat($0, &status) }) == 0 else { throw Self.failure(path) }
        guard status.st_mode & S_IFMT == S_IFLNK else { return status }
        guard let resolved = Self.withCString(path, { realpath($0, nil) }) else { throw Self.failure(path) }
        defer { free(resolved) }
        let target = UnsafeBufferPointer(start: resolved, count: strlen(resolved)).map(UInt8.init(bitPattern:))
        if !allowsOutsideLinks, target != root, !target.starts(with: root + [Self.slash]) {
            throw ArchiveError(
                .invalidArgument,
                "a symbolic link that leads out of the folder, to \(Self.display(target)); "
                    + "pack with --allow-outside-links, or leave it out with --exclude",
                path: Self.display(path))
        }
        guard stat(resolved, &status) == 0 else { throw Self.failure(path) }
        return status
    }

    private static func failure(_ path: [UInt8]) -> ArchiveError {
        switch Errno(rawValue: errno) {
        case .noSuchFileOrDirectory:
            ArchiveError(.io, "leads nowhere, or vanished while the folder was read", path: display(path))
        case .tooManySymbolicLinkLevels:
            ArchiveError(
                .invalidArgument, "a symbolic link that leads in a circle; remove it or leave it out with --exclude",
                path: display(path))
        case let cause:
            ArchiveError(.io, "cannot read", path: display(path), cause: cause)
        }
    }

    private static func display(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }

    static func withCString<Value>(_ path: [UInt8], _ work: (UnsafePointer<CChar>) -> Value) -> Value {
        (path + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { work($0.baseAddress!) }
        }
    }
}
