// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// A file that is read from front to back, which may be a pipe.
final class FileInput: ByteInput {
    let name: String
    let isPlain = true
    private(set) var fileOffset: UInt64 = 0
    private let descriptor: FileDescriptor
    private let closesDescriptor: Bool

    /// Opens a file for reading. A pipe is waited for.
    ///
    /// - Throws: `io`.
    init(path: FilePath) throws(ArchiveError) {
        name = path.string
        closesDescriptor = true
        do {
            descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        } catch {
            throw ArchiveError(.io, "cannot open", path: path.string, cause: error)
        }
        guard FileStatus(of: descriptor)?.kind != .folder else {
            try? descriptor.close()
            throw ArchiveError(.io, "is a folder", path: path.string)
        }
    }

    /// Creates an input of an open file, which stays open.
    init(_ descriptor: FileDescriptor, name: String) {
        (self.descriptor, self.name, closesDescriptor) = (descriptor, name, false)
    }

    deinit { if closesDescriptor { try? descriptor.close() } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        do {
            let count = try descriptor.read(into: buffer)
            fileOffset += UInt64(count)
            return count
        } catch {
            throw ArchiveError(.io, "cannot read", path: name, offset: fileOffset, cause: error)
        }
    }

    /// Returns true: plain bytes have no damage of their own.
    func skipDamage() throws(ArchiveError) -> Bool { true }
}
