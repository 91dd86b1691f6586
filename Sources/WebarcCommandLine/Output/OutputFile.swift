// SPDX-License-Identifier: Apache-2.0

package import SystemPackage
package import WebArchive

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A file that gets its name when it is complete.
///
/// As with an archive, a symbolic link to it stays, and so do the users who may read and write it.
package enum OutputFile {
    /// Writes a file under a temporary name, which no one else has or can guess, and renames it. An archive is not replaced.
    ///
    /// - Parameters:
    ///   - what: the kind of the file, for messages.
    ///   - sources: the rights of the archives from which a file is made that replaces none; those of none by default.
    ///   - make: a function that passes all bytes of the file to its argument.
    /// - Throws: errors of `make`; `alreadyExists` for an archive or a file that is not regular; `io`.
    package static func write(
        _ what: String, to target: FilePath, madeFrom sources: SourceRights = SourceRights(),
        _ make: (_ sink: @escaping ([UInt8]) throws(ArchiveError) -> Void) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let place = try replaceable(what, target)
        // A name that no one else has or can guess.
        let ending = ".\(String(UInt64.random(in: 0 ... .max), radix: 36)).partial"
        try ReplacementFile.writeKeepingRights(to: place, ending: ending, madeFrom: sources) { file in
            try make { bytes throws(ArchiveError) in
                do {
                    try file.writeAll(bytes)
                } catch {
                    throw ArchiveError(.io, "cannot write", path: target.string, cause: error)
                }
            }
        }
    }

    /// Writes a file of these bytes.
    package static func write(_ what: String, to target: FilePath, contents: Data) throws(ArchiveError) {
        try write(what, to: target) { sink throws(ArchiveError) in try sink(Array(contents)) }
    }

    /// Returns the file that links lead to, or the new one; throws if the existing file must not be replaced.
    private static func replaceable(_ what: String, _ target: FilePath) throws(ArchiveError) -> FilePlace {
        let place = try FilePlace(following: target, isNew: true)
        if let status = place.status(followsLinks: true), !status.isRegular {
            throw ArchiveError(
                .alreadyExists, "not a regular file; choose another name for \(what)",
                path: target.string)
        }
        guard (try? ArchiveReader(path: place.path)) != nil else { return place }
        throw ArchiveError(
            .alreadyExists, "an archive exists at this path; choose another name for \(what)",
            path: target.string)
    }
}
