// SPDX-License-Identifier: Apache-2.0

import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file without a name, which disappears when it is closed, even if the process is killed.
final class SpoolFile: Sendable {
    let descriptor: FileDescriptor

    /// Creates the file in the first of the folders where this succeeds.
    ///
    /// - Throws: `io`.
    init(in folders: [FilePath]) throws(ArchiveError) {
        var cause: (any Error)?
        for folder in folders {
            let path = folder.appending(".webarc-spool-\(String(UInt64.random(in: 0 ... .max), radix: 36))")
            do {
                descriptor = try FileDescriptor.open(
                    path, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
                unlink(path.string)
                return
            } catch {
                cause = error
            }
        }
        throw ArchiveError(.io, "cannot create a temporary file for a body", cause: cause)
    }

    deinit { try? descriptor.close() }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(ArchiveError) {
        do {
            try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes)
        } catch {
            throw ArchiveError(.io, "cannot write a body to a temporary file", cause: error)
        }
    }

    /// Reads bytes into a region.
    ///
    /// - Throws: `io` or `truncated`.
    func read(_ count: Int, at offset: UInt64, into region: MemoryRegion) throws(ArchiveError) {
        defer { withExtendedLifetime(region) {} }
        try descriptor.readExactly(
            at: offset, into: UnsafeMutableRawBufferPointer(rebasing: region.buffer[..<count]), name: "a temporary file"
        )
    }

    /// Returns the first bytes, in memory. There must be at least one.
    func map(_ length: Int) throws(ArchiveError) -> MemoryRegion {
        let address = mmap(nil, length, PROT_READ, MAP_SHARED, descriptor.rawValue, 0)
        guard let address, address != MAP_FAILED else {
            throw ArchiveError(.io, "cannot map a body in a temporary file", cause: Errno(rawValue: errno))
        }
        return MemoryRegion(UnsafeMutableRawBufferPointer(start: address, count: length)) {
            munmap($0.baseAddress, length)
        }
    }
}

/// A region of memory that is valid for the lifetime of this object.
// Unchecked: the pointer is set once; the bytes are written by one `SpooledBody` under its lock, and only after those it returned.
final class MemoryRegion: @unchecked Sendable {
    let buffer: UnsafeMutableRawBufferPointer
    private let free: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    init(
        _ buffer: UnsafeMutableRawBufferPointer, free: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void
    ) {
        self.buffer = buffer
        self.free = free
    }

    convenience init(count: Int) {
        self.init(.allocate(byteCount: count, alignment: 16)) { $0.deallocate() }
    }

    deinit { free(buffer) }

    /// Calls `work` with a part of the bytes.
    func withBytes(
        _ range: Range<Int>, _ work: (UnsafeRawBufferPointer) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        defer { withExtendedLifetime(self) {} }
        try work(UnsafeRawBufferPointer(rebasing: buffer[range]))
    }
}
