// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
public import SystemPackage
public import WebArchive
import WebArchiveBrowser
import WebArchiveServer

/// The copies of archives that were good, for the day on which the archive itself is missing or damaged.
///
/// Not hard links: a file that is written over in place would take them with it. Where the file system shares blocks between
/// copies, they take no space.
public struct KeptArchives: Sendable {
    /// The file to open for an archive.
    public enum Choice: Sendable {
        /// The archive itself, which is intact.
        case archive
        /// The copy at this place, for the archive cannot be used.
        case copy(FilePath, because: ArchiveError)
    }

    private let folder: FilePath
    private let threads: Int

    /// - Parameters:
    ///   - folder: is made when the first copy is.
    ///   - threads: work at once when an archive is verified.
    public init(folder: FilePath, threads: Int = 1) {
        self.folder = folder
        self.threads = threads
    }

    /// The place for the copy of an archive.
    public func place(of archive: FilePath) -> FilePath {
        let full = URL(fileURLWithPath: archive.string).standardizedFileURL.path
        let digest = SHA256.hash(data: Data(full.utf8)).prefix(8).map {
            String(UInt16($0) + 256, radix: 16).dropFirst()
        }
        let name = archive.lastComponent?.string ?? "archive"
        return folder.appending("\(digest.joined())-\(name)")
    }

    /// Verifies an archive, in full unless it is the one that was copied, and chooses between it and its copy.
    ///
    /// - Throws: why the archive cannot be used, if no copy of it can be either.
    public func choose(_ archive: FilePath) throws(ArchiveError) -> Choice {
        do throws(ArchiveError) {
            let reader = try ArchiveReader(path: archive)
            if !isCurrent(archive) { try reader.checkIntact(threads: threads) }
            return .archive
        } catch {
            let copy = place(of: archive)
            guard (try? ArchiveReader(path: copy)) != nil else { throw error }
            return .copy(copy, because: error)
        }
    }

    /// Copies an archive that is known to be intact, unless its copy is there already.
    ///
    /// - Throws: `io`; `changed` if the archive changes meanwhile: the former copy then stays.
    public func keep(_ archive: FilePath) throws(ArchiveError) {
        if isCurrent(archive) { return }
        try PrivateFile.makeFolder(folder)
        let place = place(of: archive)
        let identity = FileStatus(of: archive)?.identity
        try ReplacementFile.write(to: place) { partial in
            try ArchiveCopy.make(of: archive, at: partial)
            guard FileStatus(of: archive)?.identity == identity else {
                throw ArchiveError(.changed, "changed while it was copied", path: archive.string)
            }
            // By its time and length a copy is known to be that of an archive.
            let attributes = try FileManager.default.attributesOfItem(atPath: archive.string)
            try FileManager.default.setAttributes(
                [.modificationDate: attributes[.modificationDate] ?? Date(), .posixPermissions: 0o600],
                ofItemAtPath: partial.string)
        }
    }

    /// Whether the copy is that of the archive as it is now.
    private func isCurrent(_ archive: FilePath) -> Bool {
        let attributes = [archive, place(of: archive)].map { path in
            try? FileManager.default.attributesOfItem(atPath: path.string)
        }
        guard let ours = attributes[0], let theirs = attributes[1],
            let date = ours[.modificationDate] as? Date, let other = theirs[.modificationDate] as? Date
        else { return false }
        // Not every way of setting a time keeps its last digits.
        return abs(date.timeIntervalSince(other)) < 0.001
            && ours[.size] as? UInt64 == theirs[.size] as? UInt64
    }
}
