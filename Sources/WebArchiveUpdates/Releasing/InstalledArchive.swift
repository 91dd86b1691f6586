// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An archive that is updated, with the edition before beside it.
struct InstalledArchive {
    /// The place of the archive.
    let path: FilePath

    /// The place of the edition before.
    var previous: FilePath { FilePath(path.string + ".previous") }

    /// Gives the archive's name to a copy of another file, and keeps the archive as the edition before.
    ///
    /// An archive that cannot be opened does not take the place of an edition before. It may be damaged in its first bytes, or be empty after the
    /// power failed: a file is known for an archive by its name.
    ///
    /// - Throws: `alreadyExists` for a file of another name that is no archive; `locked`, `changed`, `io`.
    func replace(with candidate: FilePath) throws(ArchiveError) {
        let file = try WholeArchiveFile(replacing: path, isArchive: path.extension == "webarc")
        defer { file.cancel() }
        try file.copy(candidate)
        if isWorthKeeping {
            try ReplacementFile.write(to: previous) { partial in
                guard link(path.string, partial.string) == 0 else {
                    // Some file systems of sticks have no links.
                    return try ArchiveCopy.make(of: path, at: partial)
                }
            }
        }
        try file.commit()
    }

    private var isWorthKeeping: Bool {
        guard FileStatus(of: path) != nil else { return false }
        return FileStatus(of: previous) == nil || (try? ArchiveReader(path: path)) != nil
    }
}
