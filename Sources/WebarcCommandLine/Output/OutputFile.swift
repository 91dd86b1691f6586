// SPDX-License-Identifier: Apache-2.0

package import SystemPackage
package import WebArchive

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A file that gets its name when it is whole.
package enum OutputFile {
    /// Writes a file under another name, which nobody else has or can guess, and gives it its name. An archive is not replaced.
    ///
    /// - Parameters:
    ///   - what: for messages.
    ///   - write: makes the file of that other name.
    package static func write(
        _ what: String, to target: FilePath, _ write: (FilePath) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        try check(what, target)
        try ReplacementFile.write(to: target, by: otherName(target), write)
    }

    /// Writes a file of these bytes.
    package static func write(_ what: String, to target: FilePath, contents: Data) throws(ArchiveError) {
        try check(what, target)
        try ReplacementFile.write(
            contents, to: target, by: otherName(target),
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
    }

    /// A name that nobody else has or can guess.
    private static func otherName(_ target: FilePath) -> FilePath {
        FilePath("\(target.string).\(String(UInt64.random(in: 0 ... .max), radix: 36)).partial")
    }

    private static func check(_ what: String, _ target: FilePath) throws(ArchiveError) {
        try target.checkFolders()
        if let status = FileStatus(of: target), !status.isRegular {
            throw ArchiveError(
                .alreadyExists, "this is no regular file, and \(what) would take its place; choose another name",
                path: target.string)
        }
        guard (try? ArchiveReader(path: target)) != nil else { return }
        throw ArchiveError(
            .alreadyExists, "an archive has this name, and \(what) would take its place; choose another name",
            path: target.string)
    }
}
