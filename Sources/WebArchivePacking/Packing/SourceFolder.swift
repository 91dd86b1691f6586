// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A folder of a source to list.
struct SourceFolder: Sendable {
    /// The source's own folder.
    let root: SourceRoot
    /// The path relative to the root.
    let path: [UInt8]
    /// This folder and its ancestors: a link to one of them would form a loop.
    let ancestry: FolderAncestry
    /// The number of symbolic links in its path.
    var linkCount = 0

    /// Returns the content of the folder, without filtered names; nil for a folder without any entry. One whose names are all filtered has
    /// an empty listing, and is not kept for unpacking.
    ///
    /// - Parameter parent: the folder above the last one that the same thread has listed.
    /// - Throws: `io`, `changed`, `invalidArgument` for a name that is neither file nor folder, or `limitExceeded`.
    func listing(_ filter: SourceFilter, from parent: ParentFolder) throws(ArchiveError) -> SourceListing? {
        if linkCount > 1 { try root.linkLimits.countFolder(root.display(path)) }
        let descriptor = parent.open(path, in: root)
        guard descriptor >= 0, let stream = fdopendir(descriptor) else {
            let cause = Errno(rawValue: errno)
            if descriptor >= 0 { close(descriptor) }
            throw ArchiveError(.io, "cannot read the folder", path: root.display(path), cause: cause)
        }
        defer { closedir(stream) }
        // A link may have taken the folder's place since it was seen.
        guard let status = FileStatus(of: FileDescriptor(rawValue: descriptor)), status.number == ancestry.number else {
            throw root.changed(path)
        }
        let names = try names(in: stream)
        if names.isEmpty { return nil }
        var files: [(name: [UInt8], stamp: FileStamp)] = []
        var folders: [(position: Int, folder: SourceFolder)] = []
        var notices: [NoticedName] = []
        for name in names where !filter.isOutput(name, in: status.number) {
            let child = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            // Before any access, so that names that cannot be packed can be left out.
            guard !filter.excludes(child, isFolder: false) else { continue }
            let found = try root.find(name, in: descriptor, child, allowsOutsideLinks: filter.allowsOutsideLinks)
            guard filter.keeps(child, isFolder: found.isFolder) else { continue }
            guard case .entry(let status, let isLink) = found else {
                if case .skipped(let fault, _) = found { notices.append(NoticedName(.skippedLink(fault), name)) }
                continue
            }
            if filter.isOutput(status.number) {
                notices.append(NoticedName(.archiveItself, name))
                continue
            }
            if filter.isSigningKey(status.number) {
                notices.append(NoticedName(.signingKey, name))
                continue
            }
            if filter.isEarlierEdition(status.number) {
                notices.append(NoticedName(.earlierEdition, name))
                continue
            }
            if found.isFolder {
                let identity = status.number
                guard !ancestry.contains(identity) else {
                    notices.append(NoticedName(.skippedLink(.circle), name))
                    continue
                }
                let folder = SourceFolder(
                    root: root, path: child, ancestry: FolderAncestry(identity, parent: ancestry),
                    linkCount: linkCount + (isLink ? 1 : 0))
                folders.append((files.count, folder))
            } else {
                files.append((name, try root.stamp(child, status)))
            }
            if PrivateName.matches(name, isFolder: found.isFolder) {
                notices.append(NoticedName(.privateName(isFolder: found.isFolder), name))
            }
        }
        return SourceListing(
            root: root, path: path, files: files, folders: folders, notices: notices)
    }

    /// Returns the names in a folder, in bytewise order, without `.` and `..`.
    ///
    /// - Throws: `io`; `limitExceeded` if too many names are reached through symbolic links.
    private func names(in stream: OpaquePointer) throws(ArchiveError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { CString.bytes(UnsafeRawPointer($0)) }
            if name == [UInt8(ascii: ".")] || name == [UInt8(ascii: "."), UInt8(ascii: ".")] { continue }
            if linkCount > 0 { try root.linkLimits.countName(path.count + 1 + name.count, root.display(path)) }
            names.append(name)
        }
        guard errno == 0 else {
            throw ArchiveError(
                .io, "cannot read the folder", path: root.display(path), cause: Errno(rawValue: errno))
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }
}

/// A folder and its ancestors. Siblings share the ancestors: a tree may have many folders at its bottom.
final class FolderAncestry: Sendable {
    /// The number of the folder itself.
    let number: FileNumber
    private let parent: FolderAncestry?

    init(_ number: FileNumber, parent: FolderAncestry? = nil) { (self.number, self.parent) = (number, parent) }

    /// Returns whether a folder is this one or an ancestor; takes as many steps as there are ancestors.
    func contains(_ number: FileNumber) -> Bool {
        var folder: FolderAncestry? = self
        while let next = folder {
            if next.number == number { return true }
            folder = next.parent
        }
        return false
    }
}

/// The selection of files to pack.
struct SourceFilter: Sendable {
    let allowsOutsideLinks: Bool
    /// The patterns of which a file must match one; empty for all files.
    private let include: [GlobPattern]
    /// The patterns of which neither a file nor a folder may match one.
    private let exclude: [GlobPattern]
    /// The archive that is written; nil if there is none to leave out.
    private let output: OutputArchive?
    /// The numbers of the key files that exist, so that each is found under any name.
    private let signingKeys: Set<FileNumber>
    /// The number of the file of the earlier edition; nil without one.
    private let earlierEdition: FileNumber?

    /// Throws `invalidArgument` for a malformed pattern.
    init(_ options: ArchivePacker.Options, output: OutputArchive? = nil) throws(ArchiveError) {
        self.output = output
        signingKeys = Set(options.signingKeyFiles.compactMap { FileStatus(of: $0)?.number })
        earlierEdition = options.earlierEdition?.fileNumber
        include = try Self.patterns(options.include)
        exclude = try Self.patterns(options.exclude)
        allowsOutsideLinks = options.allowsOutsideLinks
    }

    /// Parses patterns.
    ///
    /// - Throws: `invalidArgument` with the first one that is malformed.
    private static func patterns(_ texts: [String]) throws(ArchiveError) -> [GlobPattern] {
        var patterns: [GlobPattern] = []
        for text in texts {
            do {
                patterns.append(try GlobPattern(text))
            } catch {
                throw ArchiveError(.invalidArgument, "invalid pattern '\(text)'", cause: error)
            }
        }
        return patterns
    }

    /// Returns whether a name in a folder is that of the archive, or of its unfinished form; the file need not exist.
    func isOutput(_ name: [UInt8], in folder: FileNumber) -> Bool { output?.isNamed(name, in: folder) == true }

    /// Returns whether a file is the archive that is replaced or appended to, under any name.
    func isOutput(_ file: FileNumber) -> Bool { output?.isFile(file) == true }

    /// Returns whether a file has a secret key that signs the archive, under any name.
    func isSigningKey(_ file: FileNumber) -> Bool { signingKeys.contains(file) }

    /// Returns whether a file is the earlier edition of the archive, under any name.
    func isEarlierEdition(_ file: FileNumber) -> Bool { file == earlierEdition }

    /// Returns whether a path is excluded. Before its kind is known, a name is tested like a file.
    func excludes(_ path: [UInt8], isFolder: Bool) -> Bool {
        exclude.contains { $0.matches(path, isDirectory: isFolder) }
    }

    /// Returns whether a path is included. A folder always is, unless it is excluded: a pattern may include a part of it.
    func keeps(_ path: [UInt8], isFolder: Bool) -> Bool {
        if excludes(path, isFolder: isFolder) { return false }
        return isFolder || include.isEmpty || include.contains { $0.covers(path, isDirectory: false) }
    }
}
