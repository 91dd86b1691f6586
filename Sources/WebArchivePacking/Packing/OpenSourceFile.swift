// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A source file, open for reading, that detects changes by others.
final class OpenSourceFile: Sendable {
    private let descriptor: CInt
    private let file: SourceFile
    private var root: SourceRoot { file.folder.root }

    /// Throws `io` if the file cannot be opened, `changed` if it is not the same one.
    init(_ file: SourceFile) throws(ArchiveError) {
        self.file = file
        let root = file.folder.root
        descriptor = CString.with(file.path) {
            openat(root.descriptor, $0, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        }
        guard descriptor >= 0 else {
            let cause = Errno(rawValue: errno)
            let vanished = cause == .noSuchFileOrDirectory
            throw ArchiveError(
                vanished ? .changed : .io, vanished ? "the file vanished while the folder was packed" : "cannot open",
                path: root.display(file.path), cause: vanished ? nil : cause)
        }
        // A path may lead elsewhere by now: no byte of a different file is read.
        try checkStamp()
    }

    deinit { close(descriptor) }

    /// The whole path, for people.
    var path: String { root.display(file.path) }

    /// Fills the buffer from `offset` on. Throws `io`, or `changed` if the file has become shorter.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + off_t(done))
            if count < 0 {
                if errno == EINTR { continue }
                throw ArchiveError(.io, "cannot read", path: path, offset: offset, cause: Errno(rawValue: errno))
            }
            guard count > 0 else { throw changed() }
            done += count
        }
    }

    /// Throws `changed` unless the file is the same as when the folder was read, `invalidArgument` if its length is meaningless.
    func checkUnchanged() throws(ArchiveError) {
        try checkStamp()
        guard file.length == 0 else { return }
        var byte: UInt8 = 0
        guard pread(descriptor, &byte, 1, 0) <= 0 else {
            throw ArchiveError(
                .invalidArgument,
                "the file has content, but its length is 0, as in /proc", path: path, recovery: .leaveOut)
        }
    }

    /// Returns whether another file has the same bytes, up to `length`.
    func equals(_ other: OpenSourceFile, length: UInt64) throws(ArchiveError) -> Bool {
        let buffer = SharedBuffer(1 << 18)
        var position: UInt64 = 0
        while position < length {
            let count = min(buffer.bytes.count, Int(clamping: length - position))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<count])
            try other.read(at: position, into: part)
            guard try equals(UnsafeRawBufferPointer(part), at: position) else { return false }
            position += UInt64(count)
        }
        try other.checkUnchanged()
        return true
    }

    /// Throws `changed` unless the open file has the number, length and times of the listing.
    private func checkStamp() throws(ArchiveError) {
        guard let status = FileStatus(of: FileDescriptor(rawValue: descriptor)), FileStamp(status) == file.stamp else {
            throw changed()
        }
    }

    /// Returns the error of a file that differs from its listing.
    func changed() -> ArchiveError { root.changed(file.path) }
}

extension OpenSourceFile: BodyBytes {
    /// Returns whether the file has the bytes of a chunk at an offset. It costs a reading, and memory for as many bytes.
    ///
    /// - Throws: `io`, or `changed` if the file ends before.
    func equals(_ chunk: UnsafeRawBufferPointer, at position: UInt64) throws(ArchiveError) -> Bool {
        let buffer = SharedBuffer(chunk.count)
        try read(at: position, into: buffer.bytes)
        return MemoryBody(bytes: UnsafeRawBufferPointer(buffer.bytes)).equals(chunk, at: 0)
    }
}
