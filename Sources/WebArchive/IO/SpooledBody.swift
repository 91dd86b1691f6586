// SPDX-License-Identifier: Apache-2.0

import Crypto
import Synchronization
package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The bytes of a body that is being received: first in memory, and beyond a limit in a file without a name.
///
/// One writer appends; appended bytes can be read at any time, from any thread.
package final class SpooledBody: Sendable {
    /// The maximum number of bytes in memory.
    static let memoryLimit = 256 << 10
    private static let chunkLength: UInt64 = 256 << 10

    private struct State {
        var memory: MemoryRegion?
        var file: SpoolFile?
        var length: UInt64 = 0
        var isFinished = false
        /// The error that stopped spooling.
        var failure: ArchiveError?
    }

    private let state = Mutex(State())
    private let folders: [FilePath]
    private let maximumLength: UInt64

    /// Creates an empty body.
    ///
    /// - Parameters:
    ///   - folders: the folders for the file, the preferred one first.
    ///   - maximumLength: the maximum length in bytes; a longer body is forgotten.
    package init(folders: [FilePath] = [SpooledBody.temporaryFolder], maximumLength: UInt64 = .max) {
        self.folders = folders
        self.maximumLength = maximumLength
    }

    /// Creates a whole body in memory, finished.
    package convenience init(_ bytes: [UInt8]) throws(ArchiveError) {
        self.init()
        try bytes.withBytes { (bytes) throws(ArchiveError) in try append(bytes) }
        finish()
    }

    /// The number of bytes that were appended so far.
    package var length: UInt64 { state.withLock { $0.length } }
    /// Whether the bytes are in a file, which takes a descriptor.
    package var isInFile: Bool { state.withLock { $0.file != nil } }
    /// Whether ``finish()`` was called.
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The system's folder for temporary files.
    package static var temporaryFolder: FilePath { FilePath(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") }

    // MARK: - Writing

    /// Adds bytes. After an error all bytes are discarded, and each further call throws the same.
    ///
    /// - Throws: `io`; `limitExceeded` for a body longer than its limit; `invalidArgument` after the end.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        try state.withLock { state throws(ArchiveError) in
            if let failure = state.failure { throw failure }
            if state.isFinished { throw ArchiveError(.invalidArgument, "the body is already finished") }
            do throws(ArchiveError) {
                guard UInt64(bytes.count) <= maximumLength - state.length else {
                    throw .bodyTooLong(maximumLength: maximumLength)
                }
                try append(bytes, &state)
            } catch {
                state = State(failure: error)
                throw error
            }
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer, _ state: inout State) throws(ArchiveError) {
        if let file = state.file {
            try file.write(bytes, at: state.length)
        } else if Int(state.length) + bytes.count <= Self.memoryLimit {
            guard !bytes.isEmpty else { return }
            let region = Self.region(for: Int(state.length) + bytes.count, state)
            UnsafeMutableRawBufferPointer(rebasing: region.buffer[Int(state.length)...]).copyMemory(from: bytes)
            state.memory = region
        } else {
            let file = try SpoolFile(in: folders)
            if let memory = state.memory {
                try file.write(UnsafeRawBufferPointer(rebasing: memory.buffer[..<Int(state.length)]), at: 0)
            }
            try file.write(bytes, at: state.length)
            (state.memory, state.file) = (nil, file)
        }
        state.length += UInt64(bytes.count)
    }

    /// Returns the present region if it is large enough, else a larger one with the same beginning.
    private static func region(for length: Int, _ state: State) -> MemoryRegion {
        if let memory = state.memory, memory.buffer.count >= length { return memory }
        let region = MemoryRegion(count: max(length, min(2 * Int(state.length), memoryLimit)))
        if let memory = state.memory {
            region.buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory.buffer[..<Int(state.length)]))
        }
        return region
    }

    /// Finishes the body: no more bytes are added.
    package func finish() { state.withLock { $0.isFinished = true } }

    // MARK: - Reading

    /// The bytes in memory, valid for the lifetime of this object.
    package struct Mapping: Sendable {
        private let region: MemoryRegion?
        private let count: Int

        fileprivate init(_ region: MemoryRegion?, count: Int) {
            self.region = region
            self.count = count
        }

        /// The bytes; an empty buffer for an empty body.
        package var bytes: UnsafeRawBufferPointer {
            guard let region else { return UnsafeRawBufferPointer(start: nil, count: 0) }
            return UnsafeRawBufferPointer(rebasing: region.buffer[..<count])
        }
    }

    /// Returns the bytes that were appended so far, without a copy.
    ///
    /// Bytes that are appended later do not show in it.
    ///
    /// - Throws: `io`, and the error of ``append(_:)``.
    package func mapping() throws(ArchiveError) -> Mapping {
        let (memory, file, length) = try parts()
        guard let file, length > 0 else { return Mapping(memory, count: Int(length)) }
        return Mapping(try file.map(Int(length)), count: Int(length))
    }

    private func parts() throws(ArchiveError) -> (MemoryRegion?, SpoolFile?, UInt64) {
        let (parts, failure) = state.withLock { (($0.memory, $0.file, $0.length), $0.failure) }
        if let failure { throw failure }
        return parts
    }

    /// Calls `work` with the bytes of a range, all by default, in chunks that are valid until `work` returns.
    ///
    /// - Throws: `invalidArgument` unless the range lies inside the body, `io`, the error of ``append(_:)``, and errors of `work`.
    package func forEachBuffer(
        in range: Range<UInt64>? = nil, _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let (memory, file, length) = try parts()
        let range = range ?? 0..<length
        guard range.upperBound <= length else {
            throw ArchiveError(
                .invalidArgument,
                "the range \(range.lowerBound)..<\(range.upperBound) exceeds the body of \(length) bytes")
        }
        guard !range.isEmpty else { return }
        if let memory { try memory.withBytes(Int(range.lowerBound)..<Int(range.upperBound), work) }
        guard let file else { return }
        let region = MemoryRegion(count: Int(min(Self.chunkLength, range.upperBound - range.lowerBound)))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(min(Self.chunkLength, range.upperBound - offset))
            try file.read(count, at: offset, into: region)
            try region.withBytes(0..<count, work)
            offset += UInt64(count)
        }
    }

    /// Returns the bytes of a range.
    ///
    /// - Throws: as ``forEachBuffer(in:_:)``.
    package func bytes(in range: Range<UInt64>) throws(ArchiveError) -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachBuffer(in: range) { chunk throws(ArchiveError) in bytes.append(contentsOf: chunk) }
        return bytes
    }

    /// Returns the MD5 of the bytes so far. They are read piece by piece: a mapping of a long file would count as memory.
    package func digest() throws(ArchiveError) -> ContentDigest {
        var hash = Insecure.MD5()
        try forEachBuffer { bytes throws(ArchiveError) in hash.update(bufferPointer: bytes) }
        return hash.finalize().withUnsafeBytes { ContentDigest(rawBytes: $0) }
    }
}

extension ArchiveError {
    /// Returns the error of a body that is longer than its limit.
    package static func bodyTooLong(maximumLength: UInt64) -> ArchiveError {
        ArchiveError(.limitExceeded, "the body exceeds \(maximumLength) bytes", recovery: .raiseLimit)
    }
}
