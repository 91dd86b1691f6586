// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import SystemPackage
package import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
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
        if (try? ArchiveReader(path: target)) != nil {
            throw ArchiveError(
                .alreadyExists, "an archive has this name, and \(what) would take its place; choose another name",
                path: target.string)
        }
        let partial = FilePath("\(target.string).\(String(UInt64.random(in: 0 ... .max), radix: 36)).partial")
        do throws(ArchiveError) {
            try write(partial)
        } catch {
            unlink(partial.string)
            throw error
        }
        guard rename(partial.string, target.string) == 0 else {
            let cause = Errno(rawValue: errno)
            unlink(partial.string)
            throw ArchiveError(.io, "cannot give \(what) its name", path: target.string, cause: cause)
        }
    }

    /// Writes a file of these bytes.
    package static func write(_ what: String, to target: FilePath, contents: Data) throws(ArchiveError) {
        try write(what, to: target) { file throws(ArchiveError) in
            do {
                let descriptor = try FileDescriptor.open(
                    file, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: [.ownerReadWrite, .groupRead, .otherRead])
                try descriptor.closeAfter { _ = try contents.withUnsafeBytes { try descriptor.writeAll($0) } }
            } catch {
                throw ArchiveError(.io, "cannot write \(what)", path: target.string, cause: error)
            }
        }
    }
}
