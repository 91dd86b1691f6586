// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The rights that a new file may have: no user but its owner may read it who may not read all files that it is made from.
package struct SourceRights: Sendable {
    private var permissions = AccessRights.usual
    /// The groups of the files, whose members permissions speak of.
    private var groups: Set<UInt32> = []

    /// Creates the rights of a file that is made from the bytes of others.
    ///
    /// - Parameter sources: the sources that are in no file restrict nothing. Empty, as by default, for a file that is made from no other.
    package init(of sources: [any ByteSource] = []) {
        for source in sources {
            if let file = source as? FileByteSource {
                restrict(by: [file.status], isListed: webarchive_has_access_list(file.descriptor.rawValue))
            } else if let parts = source as? PartsByteSource {
                restrict(by: parts.statuses, isListed: parts.hasAccessList)
            }
        }
    }

    /// - Parameter isListed: whether there is a list of access, of which permissions say only what it allows at most.
    private mutating func restrict(by files: [FileStatus], isListed: Bool) {
        for file in files {
            permissions.formIntersection(file.permissions)
            groups.insert(file.group)
        }
        if isListed { permissions.formIntersection(.ownerReadWrite) }
    }

    /// The permissions to make the file with: right for any group that it comes to have.
    var whenMade: FilePermissions { AccessRights.sharedByAll(permissions).union(.ownerReadWrite) }

    /// Lets the group of a file that was just made do what it may do with all sources, if it is the group of all of them.
    func admitGroup(to file: FileDescriptor) {
        guard groups.count == 1, permissions != whenMade, let own = FileStatus(of: file), groups.contains(own.group),
            // The folder may have given it one.
            !webarchive_has_access_list(file.rawValue)
        else { return }
        let wanted = permissions.subtracting(AccessRights.mask).union(.ownerReadWrite)
        if wanted != own.permissions { _ = fchmod(file.rawValue, mode_t(wanted.rawValue)) }
    }
}
