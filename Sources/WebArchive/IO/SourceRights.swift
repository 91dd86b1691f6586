// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The permissions of a new file: only users who may read all of its sources may read it, and its owner.
package struct SourceRights: Sendable {
    private var permissions = AccessRights.usual
    /// The groups of the files, to whose members permissions apply.
    private var groups: Set<UInt32> = []

    /// Creates the permissions of a file that is made from the bytes of others.
    ///
    /// - Parameter sources: the sources. Those without a file restrict nothing. Empty, as by default, for a file without sources.
    package init(of sources: [any ByteSource] = []) {
        for source in sources {
            if let file = source as? FileByteSource {
                restrict(by: [file.status], isListed: webarchive_has_access_list(file.descriptor.rawValue))
            } else if let parts = source as? PartsByteSource {
                restrict(by: parts.statuses, isListed: parts.hasAccessList)
            }
        }
    }

    /// Restricts the permissions to those of all files, and adds the files' groups.
    ///
    /// - Parameter isListed: whether there is an access control list, of which permissions state only the maximum.
    private mutating func restrict(by files: [FileStatus], isListed: Bool) {
        for file in files {
            permissions.formIntersection(file.permissions)
            groups.insert(file.group)
        }
        if isListed { permissions.formIntersection(.ownerReadWrite) }
    }

    /// The permissions for creating the file: right for any group that it may get.
    var whenMade: FilePermissions { AccessRights.sharedByAll(permissions).union(.ownerReadWrite) }

    /// Grants the group of a file that was just made the permissions of all sources, if it is the group of all of them.
    func admitGroup(to file: FileDescriptor) {
        guard groups.count == 1, permissions != whenMade, let own = FileStatus(of: file), groups.contains(own.group),
            // The folder may have given it one.
            !webarchive_has_access_list(file.rawValue)
        else { return }
        let wanted = permissions.subtracting(AccessRights.mask).union(.ownerReadWrite)
        if wanted != own.permissions { _ = fchmod(file.rawValue, mode_t(wanted.rawValue)) }
    }
}
