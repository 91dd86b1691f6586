// SPDX-License-Identifier: Apache-2.0

package import SystemPackage
import WebArchiveFormat

/// The file, or the files, that a path of an archive names.
package enum ArchiveFile {
    /// Returns whether a file of a folder is named like an archive, or like the first part of one, which represents all parts.
    package static func isNamedLikeArchive(_ name: String) -> Bool {
        name.hasSuffix(".webarc") || name.hasSuffix(".webarc.001")
    }

    /// Opens an archive: all parts if the first part is named, else the file. Only the first bytes of a second part are read.
    ///
    /// - Parameter access: the way in which one file is reached; parts are read by position.
    /// - Throws: `io`, `truncated`, as ``FileByteSource/init(path:access:)`` and ``PartsByteSource/init(_:)``; `notAnArchive` for a part
    ///   that is not the first.
    package static func open(
        _ path: FilePath, access: FileByteSource.Access = .positional
    ) throws(ArchiveError) -> any ByteSource {
        if let name = PartName(path), name.isOfSeveral {
            if name.number == 1 { return try PartsByteSource(name) }
            try refuseLaterPart(path, name)
        }
        do throws(ArchiveError) {
            return try FileByteSource(path: path, access: access)
        } catch {
            let first = PartName(1, of: path).path
            guard error.cause as? Errno == .noSuchFileOrDirectory, FileStatus(of: first)?.isRegular == true else {
                throw error
            }
            throw ArchiveError(
                .io, "the archive is split; its first part is \(first)", path: path.string, recovery: .joinParts
            )
        }
    }

    /// Opens an archive again, under a lock that was taken since.
    ///
    /// - Parameter first: the archive as it was opened before.
    /// - Throws: as ``open(_:access:)``; `changed` if another file has the path by now, or its owner, group or permissions changed.
    package static func open(_ path: FilePath, again first: any ByteSource) throws(ArchiveError) -> any ByteSource {
        let source = try open(path)
        guard isSame(source, as: first) else {
            throw ArchiveError(.changed, "another program replaced the archive; try again", path: path.string)
        }
        return source
    }

    private static func isSame(_ source: any ByteSource, as first: any ByteSource) -> Bool {
        switch (source, first) {
        case (let source as PartsByteSource, let first as PartsByteSource): first.isSame(as: source)
        case (let source as FileByteSource, let first as FileByteSource):
            source.status.number == first.status.number && source.status.hasSameAccess(as: first.status)
        default: false
        }
    }

    /// Returns whether a path is the first part of an archive with several.
    package static func isInParts(_ path: FilePath) -> Bool {
        guard let name = PartName(path) else { return false }
        return name.number == 1 && name.isOfSeveral
    }

    /// Refuses a later part of an archive, except an independent archive with such a name.
    private static func refuseLaterPart(_ path: FilePath, _ name: PartName) throws(ArchiveError) {
        let file = try FileByteSource(path: path)
        do throws(ArchiveError) {
            _ = try ArchiveHeader(of: file)
        } catch {
            throw ArchiveError(
                .notAnArchive,
                "part \(name.number) of a split archive; its first part is \(name.path(of: 1))",
                path: path.string, recovery: .openFirstPart)
        }
    }

    /// Adds the part that may be missing to an error of opening an archive of which only the beginning was found.
    static func explaining(_ error: ArchiveError, of source: any ByteSource) -> ArchiveError {
        guard error.code == .truncated, let name = PartName(FilePath(source.name)), name.number == 1 else {
            return error
        }
        let count = (source as? PartsByteSource)?.count ?? 1
        guard count < PartName.maximum else { return error }
        return ArchiveError(
            error.code,
            "\(error.message); the last part found is \(name.path(of: count)): copy it again, and \(name.path(of: count + 1)) if it exists",
            path: error.path, offset: error.offset, cause: error.cause)
    }
}
