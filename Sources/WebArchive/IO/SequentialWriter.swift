// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A writer of a file from front to back in large pieces, which can read back its output.
///
/// After an error it is poisoned: it writes nothing more.
final class SequentialWriter {
    private let descriptor: FileDescriptor
    /// The name of the file in errors.
    let name: String
    private var buffer: [UInt8] = []
    private var flushed: UInt64
    private var askedFor: UInt64
    private var failure: ArchiveError?
    /// The number of zero bytes that are kept after the written bytes until ``synchronise()``.
    private var guardLength: UInt64

    /// The number of bytes that are written at once; longer pieces bypass the buffer.
    private static let bufferLength = 1 << 20
    /// The number of bytes after which the writer requests writeback from the system.
    private static let writebackLength: UInt64 = 4 << 20

    /// Continues at `position`. The caller keeps ownership of the descriptor.
    ///
    /// - Parameter guardLength: the number of zero bytes to keep after the written bytes: in an archive that others read meanwhile, a body with a
    ///   commit must not be the end of the file.
    init(_ descriptor: FileDescriptor, at position: UInt64, name: String, guardLength: Int = 0) {
        self.guardLength = UInt64(guardLength)
        self.descriptor = descriptor
        self.name = name
        flushed = position
        askedFor = position
        buffer.reserveCapacity(Self.bufferLength)
    }

    /// The position of the next byte.
    var position: UInt64 { flushed + UInt64(buffer.count) }

    /// Adds bytes at the position.
    func append(_ bytes: [UInt8]) throws(ArchiveError) {
        try bytes.withBytes { (bytes) throws(ArchiveError) in try append(bytes) }
    }

    /// Adds bytes at the position.
    ///
    /// - Throws: `limitExceeded` for a file of 2^48 bytes, `io`; `poisoned` after an error.
    func append(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        try checkHealth()
        if buffer.count + bytes.count > Self.bufferLength { try flush() }
        if bytes.count >= Self.bufferLength {
            try write(bytes)
        } else {
            buffer.append(contentsOf: bytes)
        }
    }

    /// Passes buffered bytes to the system, which need not have them on disk yet.
    ///
    /// - Throws: as ``append(_:)-(UnsafeRawBufferPointer)``.
    func flush() throws(ArchiveError) {
        try checkHealth()
        guard !buffer.isEmpty else { return }
        try buffer.withBytes { (bytes) throws(ArchiveError) in try write(bytes) }
        buffer.removeAll(keepingCapacity: true)
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        guard flushed + UInt64(bytes.count) < FormatLimits.maximumFileLength else {
            throw fail(ArchiveError(.limitExceeded, "the archive exceeds the maximum length", path: name))
        }
        do {
            if guardLength > 0 { try descriptor.resize(to: Int64(flushed + UInt64(bytes.count) + guardLength)) }
            try descriptor.writeAll(toAbsoluteOffset: Int64(flushed), bytes)
        } catch {
            throw fail(ArchiveError(.io, "cannot write", path: name, offset: flushed, cause: error))
        }
        flushed += UInt64(bytes.count)
        startWriteback()
    }

    /// Requests writeback of the written bytes, so that ``synchronise()`` has less to wait for.
    private func startWriteback() {
        guard flushed >= askedFor + Self.writebackLength else { return }
        webarchive_start_writeback(descriptor.rawValue, Int64(askedFor), Int64(flushed - askedFor))
        askedFor = flushed
    }

    /// Returns to an earlier position; later bytes will be overwritten or truncated.
    ///
    /// - Throws: `io`; `poisoned` after an error.
    func rewind(to position: UInt64) throws(ArchiveError) {
        try checkHealth()
        if position >= flushed {
            buffer.removeSubrange(Int(position - flushed)...)
        } else {
            buffer.removeAll(keepingCapacity: true)
            if guardLength > 0 { try moveGuard(to: position) }
            flushed = position
            askedFor = min(askedFor, position)
        }
    }

    /// Makes the guard the end of a file that becomes shorter: its bytes are written first, so that no other bytes end the file meanwhile.
    private func moveGuard(to position: UInt64) throws(ArchiveError) {
        try overwrite(at: position, [UInt8](repeating: 0, count: Int(guardLength)))
        do {
            try descriptor.resize(to: Int64(position + guardLength))
        } catch {
            throw fail(ArchiveError(.io, "cannot truncate the file", path: name, offset: position, cause: error))
        }
    }

    /// Reads bytes that were appended before, at the cost of a flush if they are still buffered.
    func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        if offset + UInt64(target.count) > flushed { try flush() }
        try descriptor.readExactly(at: offset, into: target, name: name)
    }

    /// Passes buffered bytes to the system, and returns a source of all bytes written so far, for any thread.
    ///
    /// It is valid as long as the writer's file is open and nothing is rewound.
    func source() throws(ArchiveError) -> some ByteSource {
        try flush()
        return WrittenSource(descriptor: descriptor, length: flushed, name: name)
    }

    /// The written part of a file.
    private struct WrittenSource: ByteSource {
        let descriptor: FileDescriptor
        let length: UInt64
        let name: String

        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
            try descriptor.readExactly(at: offset, into: buffer, name: name)
        }
    }

    /// Writes bytes at a given position, outside the sequence.
    func overwrite(at offset: UInt64, _ bytes: [UInt8]) throws(ArchiveError) {
        try checkHealth()
        do {
            try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes)
        } catch {
            throw fail(ArchiveError(.io, "cannot write", path: name, offset: offset, cause: error))
        }
    }

    /// Writes buffered bytes, truncates the file at the position, and waits until all is on disk.
    ///
    /// - Parameter isEnd: whether the buffered bytes are the writer's own, and may be the end of the file at any moment.
    func synchronise(isEnd: Bool = false) throws(ArchiveError) {
        if isEnd { guardLength = 0 }
        try flush()
        do {
            try descriptor.resize(to: Int64(flushed))
            guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            throw fail(ArchiveError(.io, "cannot flush the archive to disk", path: name, cause: error))
        }
    }

    /// Truncates the file at a position, regardless of earlier errors, to recover from a failure.
    func abandon(backTo position: UInt64) {
        buffer.removeAll()
        if failure == nil { failure = ArchiveError(.cancelled, "writing was cancelled", path: name) }
        try? descriptor.resize(to: Int64(position))
    }

    private func checkHealth() throws(ArchiveError) {
        if let failure {
            throw ArchiveError(.poisoned, "the writer stopped after an error", path: name, cause: failure)
        }
    }

    private func fail(_ error: ArchiveError) -> ArchiveError {
        failure = error
        return error
    }
}
