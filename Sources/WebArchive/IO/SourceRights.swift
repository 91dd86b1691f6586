// SPDX-License-Identifier: Apache-2.0

import CWebArchiveSystem
package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The permissions of a new file: only users who may read all of its sources may read it, and its owner. The sources themselves are known, so
/// that none is removed as the left file of another run.
package struct SourceRights: Sendable {
    private var permissions = AccessRights.usual
    /// The groups of the files, to whose members permissions apply.
    private var groups: Set<UInt32> = []
    /// The numbers of the files.
    private var numbers: Set<FileNumber> = []

    /// Creates the permissions of a file that is made from the bytes of others.
    ///
    /// - Parameters:
    ///   - sources: the sources. Those without a file restrict nothing. Empty, as by default, for a file without sources.
    ///   - others: the numbers of further files that are read, and restrict nothing.
    package init(of sources: [any ByteSource] = [], alsoReading others: [FileNumber] = []) {
        numbers = Set(others)
        for source in sources {
            if let file = source as? FileByteSource {
                restrict(by: [file.status], isListed: webarchive_has_access_list(file.descriptor.rawValue))
            } else if let parts = source as? PartsByteSource {
                restrict(by: parts.statuses, isListed: parts.hasAccessList)
            }
        }
    }

    /// Creates the permissions of a file that is made from the files at some paths.
    ///
    /// The name `-` is that of standard input. Pipes restrict nothing. A folder restricts as a file does: its own permissions count, not those of the files in it.
    package init(ofFilesAt paths: [FilePath]) {
        for path in paths {
            if path == "-" {
                guard let status = FileStatus(of: .standardInput), status.isRegular else { continue }
                restrict(
                    by: [status], isListed: webarchive_has_access_list(FileDescriptor.standardInput.rawValue))
                continue
            }
            guard let status = FileStatus(of: path), status.isRegular || status.kind == .folder,
                let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            else { continue }
            let isListed = webarchive_has_access_list(file.rawValue)
            try? file.close()
            restrict(by: [status], isListed: isListed)
        }
    }

    /// Restricts the permissions to those of all files, and adds the files' groups.
    ///
    /// - Parameter isListed: whether there is an access control list, of which permissions state only the maximum.
    private mutating func restrict(by files: [FileStatus], isListed: Bool) {
        for file in files {
            permissions.formIntersection(file.permissions)
            groups.insert(file.group)
            numbers.insert(file.number)
        }
        if isListed { permissions.formIntersection(.ownerReadWrite) }
    }

    /// Throws `invalidArgument` if a file that would be removed is a source, or one of ``InputFiles``.
    ///
    /// - Parameter place: the temporary name of the file that is made from the sources.
    func checkUnused(_ place: FilePlace) throws(ArchiveError) {
        guard let number = place.status()?.number,
            numbers.contains(number) || InputFiles.contains(number)
        else { return }
        throw ArchiveError(
            .invalidArgument,
            "the input has the temporary name of the output; rename it, or choose another name for the output",
            path: place.path.string)
    }

    /// Whether there are sources that restrict the permissions.
    var areRestricted: Bool { !groups.isEmpty }

    /// Returns whether a file is the only source.
    func areOnlyOf(_ file: FileNumber) -> Bool { numbers == [file] }

    /// The permissions for creating the file: right for any group that it may get.
    var whenMade: FilePermissions { AccessRights.sharedByAll(permissions).union(.ownerReadWrite) }

    /// Returns the permissions for a file of a group: those of all sources, if it is the group of all of them.
    func permissions(ofGroup group: UInt32) -> FilePermissions {
        groups == [group] ? permissions.union(.ownerReadWrite) : whenMade
    }

    /// Grants the group of a file that was just made the permissions of all sources, if it is the group of all of them.
    func admitGroup(to file: FileDescriptor) {
        guard let own = FileStatus(of: file) else { return }
        let granted = permissions(ofGroup: own.group)
        // The folder may have given it a list.
        guard granted != whenMade, !webarchive_has_access_list(file.rawValue) else { return }
        let wanted = granted.subtracting(AccessRights.mask).union(.ownerReadWrite)
        if wanted != own.permissions { _ = fchmod(file.rawValue, mode_t(wanted.rawValue)) }
    }
}
