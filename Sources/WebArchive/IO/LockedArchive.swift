// SPDX-License-Identifier: Apache-2.0

import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An archive that is being written or replaced, locked against writers that use a different name of it. Specification section 9.
///
/// ``WriterLock`` excludes the writers of one path; a link is another path to the same file.
final class LockedArchive: Sendable {
    /// The open archive, which holds the lock.
    let descriptor: FileDescriptor
    /// The number of the file; nil if it could not be read.
    let number: FileNumber?

    /// Opens an archive for writing. A symbolic link at its name is not followed.
    ///
    /// Throws `locked` if another writer has locked it, or `io`.
    convenience init(appendingTo place: FilePlace) throws(ArchiveError) { try self.init(place, .readWrite) }

    /// Locks an archive that will be replaced; nil if there is none.
    ///
    /// Throws `locked` if another writer has locked it, or `io`.
    convenience init?(replacing place: FilePlace) throws(ArchiveError) {
        guard place.status(followsLinks: true) != nil else { return nil }
        do throws(ArchiveError) {
            try self.init(place, .readOnly)
        } catch {
            if error.cause as? Errno == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    private init(_ place: FilePlace, _ mode: FileDescriptor.AccessMode) throws(ArchiveError) {
        do {
            descriptor = try place.open(mode)
        } catch {
            throw ArchiveError(.io, "cannot write to the archive", path: place.path.string, cause: error)
        }
        number = FileStatus(of: descriptor)?.number
        do throws(ArchiveError) {
            try descriptor.lockForWriting(place.path)
        } catch {
            // Some network file systems lock only files that are open for writing, and report it: a replacement changes nothing in the file.
            if error.cause as? Errno == .badFileDescriptor, mode == .readOnly { return }
            throw error
        }
    }

    /// Releases the lock, while the file may still be open.
    func unlock() { _ = flock(descriptor.rawValue, LOCK_UN) }

    deinit { try? descriptor.close() }
}

extension FileDescriptor {
    /// Takes the lock of a writer, without waiting.
    ///
    /// Throws `locked` if another process has it, or `io` if the file cannot be locked.
    ///
    /// - Parameter archive: the path for the error.
    func lockForWriting(_ archive: FilePath) throws(ArchiveError) {
        while flock(rawValue, LOCK_EX | LOCK_NB) != 0 {
            let cause = Errno(rawValue: errno)
            switch cause {
            case .interrupted: continue
            case .wouldBlock:
                throw ArchiveError(
                    .locked, "another program is writing the archive; wait until it ends", path: archive.string)
            default:
                throw ArchiveError(.io, "cannot lock the archive", path: archive.string, cause: cause)
            }
        }
    }
}
