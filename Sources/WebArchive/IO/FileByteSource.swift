// SPDX-License-Identifier: Apache-2.0

public import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file of an archive, read by position or mapped. It stays open for the lifetime of the source.
public final class FileByteSource: ByteSource, @unchecked Sendable {
    /// The access to the bytes of the file.
    public enum Access: Sendable {
        /// Reading by `pread`. A removed stick, or a file that is truncated while it is open, causes an error.
        case positional
        /// Mapping by `mmap`: bodies that are stored raw are returned without a copy.
        ///
        /// Only for files that no program changes: a mapped file that is truncated, or is on a failing medium, ends the
        /// process (`SIGBUS`). A page of the index that was checked is not checked again, though the file under it may
        /// change.
        case mapped
    }

    /// The length of the file when it was opened, in bytes.
    public let length: UInt64
    /// The path, as given.
    public let name: String
    /// The mapped file; nil with positional access, and for an empty file.
    public let mappedBytes: UnsafeRawBufferPointer?
    /// The number of the open file.
    public let fileNumber: FileNumber?
    /// The status of the file when it was opened.
    let status: FileStatus
    /// The open file, which the source closes.
    let descriptor: FileDescriptor

    /// Opens a regular file for reading. Nothing of its content is read.
    ///
    /// - Parameters:
    ///   - path: the path; symbolic links are followed.
    ///   - access: the access; ``Access/positional`` by default.
    /// - Throws: `io` if the file cannot be opened or mapped, or is a folder, a pipe or otherwise not a
    ///   regular file.
    public init(path: FilePath, access: Access = .positional) throws(ArchiveError) {
        name = path.string
        do {
            // Opening a pipe would block until another process writes into it.
            descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
        } catch {
            throw ArchiveError(.io, "cannot open", path: name, cause: error)
        }
        guard let status = FileStatus(of: descriptor), status.isRegular else {
            let isFolder = FileStatus(of: descriptor)?.kind == .folder
            try? descriptor.close()
            throw isFolder
                ? ArchiveError(.io, "a folder, not a webarc archive", path: path.string, recovery: .packFirst)
                : ArchiveError(.io, "not a regular file; copy its content to one", path: path.string)
        }
        length = status.length
        fileNumber = status.number
        self.status = status
        if access == .mapped, length > 0 {
            let address = mmap(nil, Int(length), PROT_READ, MAP_SHARED, descriptor.rawValue, 0)
            guard let address, address != MAP_FAILED else {
                let cause = Errno(rawValue: errno)
                try? descriptor.close()
                throw ArchiveError(.io, "cannot map the file into memory", path: path.string, cause: cause)
            }
            mappedBytes = UnsafeRawBufferPointer(start: address, count: Int(length))
        } else {
            mappedBytes = nil
        }
    }

    /// Creates a source of a regular file that is open, by a descriptor of its own: the file that a name leads to may be another one by now.
    ///
    /// - Parameter name: the name for messages.
    /// - Throws: `io`.
    package init(of file: FileDescriptor, name: FilePath) throws(ArchiveError) {
        self.name = name.string
        let copy = fcntl(file.rawValue, F_DUPFD_CLOEXEC, 0)
        descriptor = FileDescriptor(rawValue: copy)
        guard copy >= 0, let status = FileStatus(of: descriptor) else {
            throw ArchiveError(.io, "cannot open", path: name.string, cause: Errno(rawValue: errno))
        }
        length = status.length
        fileNumber = status.number
        self.status = status
        mappedBytes = nil
    }

    /// Whether the file is longer now, because a commit was appended.
    var hasGrown: Bool { FileStatus(of: descriptor).map { $0.length > length } ?? false }

    deinit {
        if let mappedBytes { munmap(UnsafeMutableRawPointer(mutating: mappedBytes.baseAddress), mappedBytes.count) }
        try? descriptor.close()
    }

    /// Reads bytes by `pread` until the buffer is full, for any ``Access``.
    ///
    /// - Throws: `io` if the system refuses, `truncated` if the file is truncated; with the offset of the first byte
    ///   that is missing.
    public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        try descriptor.readExactly(at: offset, into: buffer, name: name)
    }
}

extension FileDescriptor {
    /// Returns the file, which was opened without waiting: from now on reading and writing wait for the other end of a pipe. An error closes it.
    package func waitingForPipes() throws -> FileDescriptor {
        guard fcntl(rawValue, F_SETFL, fcntl(rawValue, F_GETFL) & ~O_NONBLOCK) == 0 else {
            let cause = Errno(rawValue: errno)
            try? close()
            throw cause
        }
        return self
    }

    /// Writes bytes at a given position. Throws `io`, with the path.
    package func writeAll(_ bytes: [UInt8], at offset: UInt64, path: FilePath) throws(ArchiveError) {
        do {
            try writeAll(toAbsoluteOffset: Int64(offset), bytes)
        } catch {
            throw ArchiveError(.io, "cannot write", path: path.string, offset: offset, cause: error)
        }
    }

    /// Calls `pread` until the buffer is full. Throws `io` or `truncated`.
    package func readExactly(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer, name: String
    ) throws(ArchiveError) {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count: Int
            do {
                count = try read(fromAbsoluteOffset: Int64(offset) + Int64(done), into: rest)
            } catch {
                throw ArchiveError(.io, "cannot read", path: name, offset: offset + UInt64(done), cause: error)
            }
            guard count > 0 else {
                throw ArchiveError(.truncated, "the file is truncated", path: name, offset: offset + UInt64(done))
            }
            done += count
        }
    }
}
