// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The users who may read and write an archive or another file, and how they stay the same when a new file takes its place.
enum AccessRights {
    /// The permissions of a new archive, of which the system takes those away that `umask` names.
    static let usual: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

    /// The permissions of a file that is being written, and the archive whose place it is to take: none but its owner may open it then.
    ///
    /// Permissions that are given when a file is made cannot be taken back from users who have it open.
    ///
    /// - Parameter sources: the rights that count where no archive is replaced.
    static func whileWriting(
        _ archive: FilePath, _ sources: SourceRights = SourceRights()
    ) -> (permissions: FilePermissions, former: FileNumber?) {
        let former = FileStatus(of: archive)?.number
        return (former == nil ? sources.whenMade : .ownerReadWrite, former)
    }

    /// The permissions that group and others both have: right for any group.
    static func sharedByAll(_ permissions: FilePermissions) -> FilePermissions {
        let (owner, group, other) = (
            permissions.rawValue & 0o600, permissions.rawValue >> 3 & 0o6, permissions.rawValue & 0o6
        )
        let shared = group & other
        return FilePermissions(rawValue: owner | shared << 3 | shared)
    }

    /// Gives a file the group, the permissions to read and write, and the access control list of the archive that it replaces.
    ///
    /// Another user's file may have been put there so that the new one can be written to, or runs as a program of this user: it only
    /// restricts the permissions that a new archive has. Where the group or the list cannot be kept, only permissions stay that group and
    /// others both have.
    static func copy(from former: FileDescriptor, to new: FileDescriptor) {
        guard let status = FileStatus(of: former), let own = FileStatus(of: new) else { return }
        let isListed = webarchive_has_access_list(former.rawValue)
        var kept = FilePermissions(rawValue: status.permissions.rawValue & 0o666)
        var isKept = own.group == status.group
        if status.isOwnFile {
            isKept = isKept || fchown(new.rawValue, uid_t.max, status.group) == 0
        } else {
            kept = kept.intersection(usual).subtracting(mask).union(.ownerReadWrite)
            isKept = isKept && !isListed
        }
        // Without a list to copy, this takes away one that the folder gave to the new file.
        isKept = isKept && webarchive_copy_access_list(former.rawValue, new.rawValue) == 0
        if !isKept {
            // Of a list, permissions say only what it allows at most.
            kept = isListed ? kept.intersection(.ownerReadWrite) : sharedByAll(kept)
        }
        _ = fchmod(new.rawValue, mode_t(kept.rawValue))
    }

    /// The permissions that new files do not get. Reading it sets it, so that it is strict meanwhile.
    static var mask: FilePermissions {
        let mask = umask(0o077)
        umask(mask)
        return FilePermissions(rawValue: mask)
    }
}
