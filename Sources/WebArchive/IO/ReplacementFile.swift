// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A file that is written under a temporary name and renamed once it is complete.
package enum ReplacementFile {
    /// Writes a file under a temporary name, and renames it. A failure leaves the former file, and nothing under the temporary name.
    ///
    /// - Parameters:
    ///   - partial: the other name; by default the name with `.partial` after it. A file of that name is removed first.
    ///   - make: a function that makes the file under the other name, with ``TemporaryFiles``.
    /// - Throws: the ``ArchiveError`` that `make` throws; `invalidArgument` if one of ``InputFiles`` has the other name; `changed` if another program
    ///   moved or removed the file; `io` for any other failure, and for a folder in the path that is a link of another user.
    package static func write(
        to path: FilePath, by partial: FilePath? = nil, _ make: (FilePath) throws -> Void
    ) throws(ArchiveError) {
        let partial = partial ?? temporaryName(of: path)
        try path.checkFolders()
        try SourceRights().checkUnused(partial)
        unlink(partial.string)
        do {
            try make(partial)
            guard try TemporaryFiles.rename(partial, to: path) else { throw TemporaryFiles.moved(partial) }
        } catch {
            TemporaryFiles.remove(partial)
            throw error as? ArchiveError ?? ArchiveError(.io, "cannot write", path: path.string, cause: error)
        }
    }

    private static func temporaryName(of path: FilePath) -> FilePath { FilePath(path.string + ".partial") }

    /// Writes a file under a temporary name. The users who may read and write the former file are the same for the new one; see
    /// ``AccessRights``.
    ///
    /// - Parameters:
    ///   - partial: the temporary name, as for ``write(to:by:_:)``.
    ///   - sources: the rights of the files from which a file is made that replaces none.
    ///   - make: a function that writes to the open file. If there is a former file, only this user may open the new one until it is complete.
    /// - Throws: as ``write(to:by:_:)``; `invalidArgument` if a source has the temporary name.
    package static func writeKeepingRights(
        to path: FilePath, by partial: FilePath? = nil, madeFrom sources: SourceRights = SourceRights(),
        _ make: (FileDescriptor) throws -> Void
    ) throws(ArchiveError) {
        try sources.checkUnused(partial ?? temporaryName(of: path))
        let (permissions, former) = AccessRights.whileWriting(path, sources)
        try write(EmptyCollection(), to: path, by: partial, permissions: permissions) { file in
            if former == nil { sources.admitGroup(to: file) }
            try make(file)
            guard former != nil,
                let former = try? FileDescriptor.open(
                    path, .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec])
            else { return }
            try former.closeAfter { AccessRights.copy(from: former, to: file, madeFrom: sources) }
        }
    }

    /// Writes these bytes to a file under a temporary name, which nothing else may use meanwhile.
    ///
    /// - Parameter finish: a function that is called with the open file after its last byte.
    /// - Throws: `io`.
    package static func write(
        _ bytes: some Sequence<UInt8>, to path: FilePath, by partial: FilePath? = nil, permissions: FilePermissions,
        finish: (FileDescriptor) throws -> Void = { _ in }
    ) throws(ArchiveError) {
        try write(to: path, by: partial) { partial in
            let file = try TemporaryFiles.create(partial, .readWrite, permissions: permissions)
            try file.closeAfter {
                try file.writeAll(bytes)
                try finish(file)
            }
        }
    }
}
