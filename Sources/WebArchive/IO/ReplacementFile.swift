// SPDX-License-Identifier: Apache-2.0

package import SystemPackage

/// A file that is written under a temporary name and renamed once it is complete.
package enum ReplacementFile {
    /// Writes a file under a temporary name, and renames it. A failure leaves the former file, and nothing under the temporary name.
    ///
    /// - Parameters:
    ///   - ending: the text after the name in the temporary one, by default `.partial`. A file of that name is removed first.
    ///   - make: a function that makes the file under the other name, with ``TemporaryFiles``.
    /// - Throws: the ``ArchiveError`` that `make` throws; `invalidArgument` if one of ``InputFiles`` has the other name; `changed` if another program
    ///   moved or removed the file; `io` for any other failure.
    package static func write(
        to place: FilePlace, ending: String = ".partial", _ make: (FilePlace) throws -> Void
    ) throws(ArchiveError) {
        let partial = place.with(ending: ending)
        try SourceRights().checkUnused(partial)
        partial.remove()
        do {
            try make(partial)
            guard try TemporaryFiles.rename(partial, to: place) else { throw TemporaryFiles.moved(partial.path) }
        } catch {
            TemporaryFiles.remove(partial)
            throw error as? ArchiveError ?? ArchiveError(.io, "cannot write", path: place.path.string, cause: error)
        }
    }

    /// Writes a file under a temporary name. The users who may read and write the former file are the same for the new one; see
    /// ``AccessRights``.
    ///
    /// - Parameters:
    ///   - ending: the end of the temporary name, as for ``write(to:ending:_:)``.
    ///   - sources: the rights of the files from which a file is made that replaces none.
    ///   - make: a function that writes to the open file. If there is a former file, only this user may open the new one until it is complete.
    /// - Throws: as ``write(to:ending:_:)``; `invalidArgument` if a source has the temporary name.
    package static func writeKeepingRights(
        to place: FilePlace, ending: String = ".partial", madeFrom sources: SourceRights = SourceRights(),
        _ make: (FileDescriptor) throws -> Void
    ) throws(ArchiveError) {
        try sources.checkUnused(place.with(ending: ending))
        let (permissions, former) = AccessRights.whileWriting(place, sources)
        try write(EmptyCollection(), to: place, ending: ending, permissions: permissions) { file in
            if former == nil { sources.admitGroup(to: file) }
            try make(file)
            guard former != nil, let former = try? place.open(.readOnly) else { return }
            try former.closeAfter { AccessRights.copy(from: former, to: file, in: place.folder, madeFrom: sources) }
        }
    }

    /// Writes these bytes to a file under a temporary name, which nothing else may use meanwhile.
    ///
    /// - Parameter finish: a function that is called with the open file after its last byte.
    /// - Throws: `io`.
    package static func write(
        _ bytes: some Sequence<UInt8>, to place: FilePlace, ending: String = ".partial", permissions: FilePermissions,
        finish: (FileDescriptor) throws -> Void = { _ in }
    ) throws(ArchiveError) {
        try write(to: place, ending: ending) { partial in
            let file = try TemporaryFiles.create(partial, .readWrite, permissions: permissions)
            try file.closeAfter {
                try file.writeAll(bytes)
                try finish(file)
            }
        }
    }
}
