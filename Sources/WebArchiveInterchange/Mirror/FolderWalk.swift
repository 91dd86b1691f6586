// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A walk through the files of a folder and its folders, in bytewise order of their names. Symbolic links are not followed.
final class FolderWalk {
    /// A file that was found. Its folder is open as long as the walk is at it.
    struct File {
        /// The names of the folders from the first one on, and that of the file.
        let path: [[UInt8]]
        let status: FileStatus
        fileprivate let folder: CInt
        fileprivate let display: String
    }

    private let root: FilePath
    /// The number of links and special files, which were passed over.
    private(set) var skippedCount = 0

    /// The maximum number of folders in each other.
    private static let maximumDepth = 256

    init(_ root: FilePath) { self.root = root }

    /// Calls a function with each file.
    ///
    /// - Throws: `io`; `limitExceeded` for folders too deep in each other; errors of `work`.
    func forEachFile(_ work: (File) throws(ArchiveError) -> Void) throws(ArchiveError) {
        try walk(AT_FDCWD, Array(root.string.utf8), [], isRoot: true, work)
    }

    private func walk(
        _ parent: CInt, _ name: [UInt8], _ path: [[UInt8]], isRoot: Bool, _ work: (File) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        guard path.count <= Self.maximumDepth else {
            throw ArchiveError(
                .limitExceeded, "more than \(Self.maximumDepth) folders in each other", path: display(path))
        }
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (isRoot ? 0 : O_NOFOLLOW)
        let folder = Self.withName(name) { openat(parent, $0, flags) }
        guard folder >= 0, let stream = fdopendir(folder) else {
            let cause = Errno(rawValue: errno)
            if folder >= 0 { close(folder) }
            if !isRoot, Self.isOfChange(cause) {
                skippedCount += 1
                return
            }
            throw ArchiveError(.io, "cannot read the folder", path: display(path), cause: cause)
        }
        defer { closedir(stream) }
        for name in try names(in: stream, path) {
            let child = path + [name]
            // A file that is gone by now has no status.
            let status = Self.withName(name) { FileStatus(ofCString: $0, in: folder, followsLinks: false) }
            switch status?.kind {
            case .folder: try walk(folder, name, child, isRoot: false, work)
            case .regular:
                if let status {
                    try work(File(path: child, status: status, folder: folder, display: display(child)))
                }
            default: skippedCount += 1
            }
        }
    }

    /// Returns whether a file became another one, or was removed, since it was listed.
    fileprivate static func isOfChange(_ error: Errno) -> Bool {
        [.notDirectory, .tooManySymbolicLinkLevels, .noSuchFileOrDirectory].contains(error)
    }

    private func names(in stream: OpaquePointer, _ path: [[UInt8]]) throws(ArchiveError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                // The system ends the name with a zero.
                let text = UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
                return Array(UnsafeRawBufferPointer(start: start, count: strlen(text)))
            }
            if name != [UInt8(ascii: ".")], name != [UInt8(ascii: "."), UInt8(ascii: ".")] { names.append(name) }
        }
        guard errno == 0 else {
            throw ArchiveError(.io, "cannot read the folder", path: display(path), cause: Errno(rawValue: errno))
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func display(_ path: [[UInt8]]) -> String {
        ([root.string] + path.map { String(decoding: $0, as: UTF8.self) }).joined(separator: "/")
    }

    fileprivate static func withName<Value>(_ name: [UInt8], _ work: (UnsafePointer<CChar>) -> Value) -> Value {
        // The array ends with a zero, so it has a base address.
        (name + [0]).withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { work($0.baseAddress!) }
        }
    }
}

extension FolderWalk.File {
    /// The name.
    var name: [UInt8] { path[path.count - 1] }

    /// Returns whether the folder has a file of another name as well.
    func hasSibling(_ name: [UInt8]) -> Bool {
        FolderWalk.withName(name) { FileStatus(ofCString: $0, in: folder, followsLinks: false) }?.isRegular == true
    }

    /// Returns the bytes of a file in the folder; nil if it is not a regular file.
    ///
    /// - Throws: `io`.
    func content(of name: [UInt8]) throws(ArchiveError) -> SpooledBody? {
        let number = FolderWalk.withName(name) {
            openat(folder, $0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
        guard number >= 0 else {
            let cause = Errno(rawValue: errno)
            if FolderWalk.isOfChange(cause) { return nil }
            throw ArchiveError(.io, "cannot open", path: display, cause: cause)
        }
        let descriptor = FileDescriptor(rawValue: number)
        defer { try? descriptor.close() }
        guard FileStatus(of: descriptor)?.isRegular == true else { return nil }
        let (input, body) = (FileInput(descriptor, name: display), SpooledBody())
        var buffer = [UInt8](repeating: 0, count: 1 << 17)
        while true {
            let count = try buffer.withMutableBytes { (bytes) throws(ArchiveError) in
                let count = try input.read(into: bytes)
                try body.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                return count
            }
            guard count > 0 else { break }
        }
        body.finish()
        return body
    }
}
