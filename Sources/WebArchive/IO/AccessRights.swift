// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
import Synchronization
import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The permissions of an archive or a file, and their transfer to a new file that replaces it.
enum AccessRights {
    /// The permissions of a new archive, from which the system removes those that `umask` names.
    static let usual: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

    /// The permissions of all users to read and write.
    private static let anyone: FilePermissions = [.ownerReadWrite, .groupReadWrite, .otherReadWrite]

    /// Returns the permissions of a file that is being written, and the archive that it will replace: only its owner may open it then.
    ///
    /// Permissions that are given when a file is made cannot be taken back from users who have it open.
    ///
    /// - Parameter sources: the rights that count where no archive is replaced.
    static func whileWriting(
        _ archive: FilePlace, _ sources: SourceRights = SourceRights()
    ) -> (permissions: FilePermissions, former: FileNumber?) {
        let former = archive.status(followsLinks: true)?.number
        return (former == nil ? sources.whenMade : .ownerReadWrite, former)
    }

    /// Returns the permissions that group and others both have: right for any group.
    static func sharedByAll(_ permissions: FilePermissions) -> FilePermissions {
        let (owner, group, other) = (
            permissions.rawValue & 0o600, permissions.rawValue >> 3 & 0o6, permissions.rawValue & 0o6
        )
        let shared = group & other
        return FilePermissions(rawValue: owner | shared << 3 | shared)
    }

    /// Copies the group, the permissions to read and write, and the access control list of the replaced archive to a file.
    ///
    /// Another user's file may be a trap to make the new one writable, or executable as a program of this user: it only
    /// restricts the permissions that the new one has without it. Where another user may have moved a file of this user to the name, the new one is
    /// open to no more users than its sources. If the group or the list cannot be kept, only permissions stay that group and others both have.
    ///
    /// - Parameters:
    ///   - folder: the folder of both.
    ///   - sources: the rights of the files from which the new one is made.
    static func copy(
        from former: FileDescriptor, to new: FileDescriptor, in folder: OpenFolder, madeFrom sources: SourceRights
    ) {
        guard let status = FileStatus(of: former), let own = FileStatus(of: new) else { return }
        let isListed = webarchive_has_access_list(former.rawValue)
        var kept = FilePermissions(rawValue: status.permissions.rawValue & 0o666)
        var isKept = own.group == status.group
        if status.isOwnFile {
            isKept = isKept || fchown(new.rawValue, uid_t.max, status.group) == 0
            if !sources.areOnlyOf(status.number), !folder.isClosedToOthers {
                kept.formIntersection(
                    sources.areRestricted
                        ? sources.permissions(ofGroup: status.group) : anyone.subtracting(mask).union(.ownerReadWrite))
                isKept = isKept && !isListed
            }
        } else {
            kept = kept.intersection(sources.permissions(ofGroup: own.group)).subtracting(mask).union(.ownerReadWrite)
            isKept = isKept && !isListed
        }
        // Without a list to copy, this removes a list that the folder assigned to the new file.
        isKept = isKept && webarchive_copy_access_list(former.rawValue, new.rawValue) == 0
        if !isKept {
            // With a list, permissions state only the maximum that it allows.
            kept = isListed ? kept.intersection(.ownerReadWrite) : sharedByAll(kept)
        }
        _ = fchmod(new.rawValue, mode_t(kept.rawValue))
    }

    /// The permissions that new files do not get: the mask of umask(2).
    ///
    /// It belongs to the whole process, and umask(2) reads it only by setting it. Two threads that do this at once may leave each
    /// other's value for good. Linux states it elsewhere, since version 4.7.
    static var mask: FilePermissions {
        #if os(Linux)
            if let status = try? PrivateFile.text(of: "/proc/self/status"),
                let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Umask:") }),
                let mask = mode_t(line.dropFirst(6).filter(\.isNumber), radix: 8)
            {
                return FilePermissions(rawValue: mask)
            }
        #endif
        return replacement.withLock { _ in
            let mask = umask(0o077)
            umask(mask)
            return FilePermissions(rawValue: mask)
        }
    }

    private static let replacement = Mutex(())
}
