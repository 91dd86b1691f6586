// SPDX-License-Identifier: Apache-2.0

/// A source of an archive's bytes: a file, memory, or a type of the caller's own.
///
/// Reads state their position, so one source serves any number of threads. A source must return the same bytes as long
/// as it is open; only bytes after ``length`` may be added. A reader does not trust the bytes: it checks them first.
public protocol ByteSource: Sendable {
    /// The length in bytes when the source was opened, below 2^48. It must not change.
    var length: UInt64 { get }

    /// The name of the source in errors, usually its path.
    var name: String { get }

    /// The bytes, if they are in memory for the lifetime of the source. Nil by default.
    ///
    /// All ``length`` bytes from the first one on. Bodies that are stored raw are then returned without a copy, and
    /// pages of the index are checked in place.
    var mappedBytes: UnsafeRawBufferPointer? { get }

    /// The file that the bytes are read from; nil by default, for bytes without a file.
    var fileNumber: FileNumber? { get }

    /// Fills `buffer` with the bytes from `offset` on. Called on any thread, by several at once.
    ///
    /// - Parameters:
    ///   - offset: the offset in bytes from the start; with the length of the buffer at most ``length``.
    ///   - buffer: the memory to fill from end to end.
    /// - Throws: `io` if the system refuses, and `truncated` if the source ends before the buffer is full.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError)
}

extension ByteSource {
    /// The default, nil: the bytes are read by position.
    public var mappedBytes: UnsafeRawBufferPointer? { nil }
    /// The default, nil: the source is not a file.
    public var fileNumber: FileNumber? { nil }

    /// Reads `count` bytes, a number that the caller has checked against a limit.
    package func bytes(at offset: UInt64, count: Int) throws(ArchiveError) -> [UInt8] {
        var failure: ArchiveError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            do throws(ArchiveError) {
                try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
                initializedCount = count
            } catch {
                failure = error
                initializedCount = 0
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

/// An archive in memory, which any number of threads may read.
public final class MemoryByteSource: ByteSource, @unchecked Sendable {
    // Written in init, freed in deinit, only read in between.
    private let buffer: UnsafeMutableRawBufferPointer
    /// The name for messages.
    public let name: String

    /// Creates a source of bytes in memory, at the cost of one copy.
    ///
    /// - Parameters:
    ///   - bytes: the whole archive.
    ///   - name: the name for errors, in the place of a path.
    public init(_ bytes: [UInt8], name: String = "archive in memory") {
        buffer = .allocate(byteCount: bytes.count, alignment: 16)
        buffer.copyBytes(from: bytes)
        self.name = name
    }

    deinit { buffer.deallocate() }

    /// The length in bytes.
    public var length: UInt64 { UInt64(buffer.count) }
    /// All bytes, without a copy.
    public var mappedBytes: UnsafeRawBufferPointer? { UnsafeRawBufferPointer(buffer) }

    /// Copies bytes into `target`.
    ///
    /// - Throws: `truncated` unless they lie inside the archive.
    public func read(at offset: UInt64, into target: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
        guard offset <= length, UInt64(target.count) <= length - offset else {
            throw ArchiveError(.truncated, "the archive is truncated", path: name, offset: length)
        }
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[Int(offset)..<Int(offset) + target.count]))
    }
}
