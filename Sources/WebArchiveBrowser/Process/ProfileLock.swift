// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A lock by which later runs know that the folder of a browser's profile is in use: the system ends it with the process.
final class ProfileLock: Sendable {
    private static let name = "lock"
    private let descriptor: FileDescriptor

    /// Locks a new folder.
    ///
    /// - Throws: an error of the system.
    init(_ folder: FilePath) throws {
        // Under its own name the lock appears when it is held.
        let unfinished = folder.appending("lock.new")
        descriptor = try FileDescriptor.open(
            unfinished, .readWrite, options: [.create, .exclusiveCreate, .closeOnExec], permissions: [.ownerReadWrite])
        guard Self.take(descriptor), rename(unfinished.string, folder.appending(Self.name).string) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    deinit { try? descriptor.close() }

    /// Removes the folders that earlier runs of this user left when they were killed: one may have the cookies of a login. Errors are ignored.
    ///
    /// - Parameters:
    ///   - parent: the folder of the folders.
    ///   - prefix: the beginning of their names.
    static func removeAbandoned(in parent: FilePath, prefix: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.string)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = parent.appending(name)
            guard let status = FileStatus(of: folder, followsLinks: false), status.kind == .folder,
                status.owner == geteuid(), status.permissions.rawValue & 0o077 == 0,
                let lock = try? FileDescriptor.open(
                    folder.appending(Self.name), .readWrite, options: [.noFollow, .closeOnExec])
            else { continue }
            defer { try? lock.close() }
            if take(lock) { try? FileManager.default.removeItem(atPath: folder.string) }
        }
    }

    private static func take(_ descriptor: FileDescriptor) -> Bool {
        flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0
    }
}
