// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The users who may read and write an archive, and how they stay the same when another file takes its place.
enum AccessRights {
    /// The permissions of a new archive, of which the system takes those away that `umask` names.
    private static let usual: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]

    /// The permissions of a file that is being written to take the place of an archive: open to no user who has no access to that.
    static func whileReplacing(_ archive: FilePath) -> FilePermissions {
        guard let former = FileStatus(of: archive) else { return usual }
        // Of a list, permissions say only what it allows at most.
        let hasList = (try? FileDescriptor.open(archive, .readOnly, options: [.closeOnExec, .nonBlocking]))
            .map { file in
                defer { try? file.close() }
                return webarchive_has_access_list(file.rawValue)
            }
        guard hasList == false else { return .ownerReadWrite }
        return usual.intersection(sharedByAll(former.permissions)).union(.ownerReadWrite)
    }

    /// The permissions that group and others both have: right for any group.
    private static func sharedByAll(_ permissions: FilePermissions) -> FilePermissions {
        let (owner, group, other) = (
            permissions.rawValue & 0o600, permissions.rawValue >> 3 & 0o6, permissions.rawValue & 0o6
        )
        let shared = group & other
        return FilePermissions(rawValue: owner | shared << 3 | shared)
    }

    /// Gives a file the group, the permissions to read and write, and the access control list of the archive that it replaces.
    ///
    /// Without effect if that belongs to another user: it may have been put there so that the new file can be written to, or runs as a
    /// program of this user. Where the group cannot be kept, only permissions stay that group and others both have.
    static func copy(from former: FileDescriptor, to new: FileDescriptor) {
        guard let status = FileStatus(of: former), status.isOwnFile else { return }
        let keepsGroup =
            FileStatus(of: new)?.group == status.group || fchown(new.rawValue, uid_t.max, status.group) == 0
        let plain = FilePermissions(rawValue: status.permissions.rawValue & 0o666)
        guard keepsGroup, webarchive_copy_access_list(former.rawValue, new.rawValue) == 0 else {
            let isListed = webarchive_has_access_list(former.rawValue)
            let kept = isListed ? plain.intersection(.ownerReadWrite) : sharedByAll(plain)
            _ = fchmod(new.rawValue, mode_t(kept.rawValue))
            return
        }
        _ = fchmod(new.rawValue, mode_t(plain.rawValue))
    }
}
