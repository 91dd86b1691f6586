// SPDX-License-Identifier: Apache-2.0

public import SystemPackage
public import WebArchive

/// A source of a release folder. None of its data are trusted.
public protocol UpdateSource: Sendable {
    /// The address or path, for errors.
    var name: String { get }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - name: the name of the file in the folder.
    ///   - limit: the most bytes that it may have.
    /// - Throws: `notFound` if there is none, `limitExceeded` for a longer one, `io`, also if the folder is missing.
    func bytes(of name: String, atMost limit: Int) throws(ArchiveError) -> [UInt8]

    /// Appends the rest of a file to another.
    ///
    /// - Parameters:
    ///   - name: the name of the file in the folder.
    ///   - offset: the first byte, which is the length of the other file.
    ///   - length: the length of the whole file. More bytes are not taken, or are an error.
    ///   - file: the other file, at its end.
    ///   - progress: a function that is called with the received bytes.
    /// - Throws: `notFound`, `truncated` or `io` if the file is shorter, `damaged` if a host sends more, `io`. Bytes that were already received stay in
    ///   the other file.
    func append(
        _ name: String, from offset: UInt64, length: UInt64, to file: FileDescriptor, progress: (Int) -> Void
    ) throws(ArchiveError)
}

/// A release folder on this computer, or on a stick.
public struct FolderUpdateSource: UpdateSource {
    /// The path of the folder.
    public let folder: FilePath

    /// The path of the folder.
    public var name: String { folder.string }

    /// Creates a source. The folder may appear later, and disappear, like that of a stick.
    public init(_ folder: FilePath) { self.folder = folder }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - name: the name of the file in the folder.
    ///   - limit: the limit in bytes. A longer file is not read.
    /// - Throws: `notFound` if the folder lacks it, `limitExceeded`, `io`, also if the folder is missing.
    public func bytes(of name: String, atMost limit: Int) throws(ArchiveError) -> [UInt8] {
        let source = try file(name)
        guard source.length <= UInt64(limit) else {
            throw ArchiveError(
                .limitExceeded, "the file has \(source.length) bytes; the limit is \(limit)", path: source.name)
        }
        return try source.bytes(at: 0, count: Int(source.length))
    }

    /// Appends the rest of a file to another, in pieces of 1 MiB, with memory for one piece.
    ///
    /// - Parameters:
    ///   - name: the name of the file in the folder.
    ///   - offset: the first byte.
    ///   - length: the length of the whole file, in bytes.
    ///   - file: the other file, at its end.
    ///   - progress: a function that is called with the length of each piece, in bytes.
    /// - Throws: `notFound` if the folder lacks it; `truncated` if the file is shorter; `io`, also if the folder is missing or the other file cannot be
    ///   written. Bytes that were already read stay in the other file.
    public func append(
        _ name: String, from offset: UInt64, length: UInt64, to file: FileDescriptor, progress: (Int) -> Void
    ) throws(ArchiveError) {
        let source = try self.file(name)
        var position = offset
        while position < length {
            let count = Int(min(length - position, 1 << 20))
            guard position + UInt64(count) <= source.length else {
                throw ArchiveError(.truncated, "the file ends before byte \(length)", path: source.name)
            }
            let bytes = try source.bytes(at: position, count: count)
            do {
                try file.writeAll(bytes)
            } catch {
                throw ArchiveError(.io, "cannot write the copied data", path: source.name, cause: error)
            }
            position += UInt64(count)
            progress(count)
        }
    }

    /// Opens a file of the folder.
    ///
    /// - Throws: `notFound` if the folder lacks it; `io`, also if the folder is missing.
    private func file(_ name: String) throws(ArchiveError) -> FileByteSource {
        let path = folder.appending(name)
        do throws(ArchiveError) {
            return try FileByteSource(path: path)
        } catch {
            guard error.cause as? Errno == .noSuchFileOrDirectory else {
                throw ArchiveError(
                    error.code, name == UpdateManifest.fileName ? "cannot open the list" : "cannot open the file",
                    path: path.string, cause: error.cause)
            }
            guard FileStatus(of: folder) != nil else {
                throw ArchiveError(.io, "the release folder does not exist", path: folder.string)
            }
            throw name == UpdateManifest.fileName
                ? ArchiveError(
                    .notFound, "the folder has no \(name); give a release folder", path: folder.string)
                : ArchiveError(.notFound, "the file is missing in the release folder", path: path.string)
        }
    }
}
