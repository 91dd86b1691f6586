// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
package import SystemPackage
package import WebArchive
import WebArchiveBrowser
import WebArchiveServer

/// The copies of good archives, for the case that an archive itself is missing or damaged.
///
/// Not hard links: a file that is written over in place would take them with it. Where the file system shares blocks between
/// copies, they take no space.
package struct LastGoodCopies: Sendable {
    /// The file to open for an archive.
    package enum Choice: Sendable {
        /// The intact archive itself, with the identity of the verified file.
        case archive(FileIdentity?)
        /// The copy at this path, because the archive cannot be used.
        case copy(FilePath, because: ArchiveError)
    }

    private let folder: FilePath
    private let threads: Int
    private let trust: ArchiveTrust?

    /// Creates the choice among archives and copies. It reads nothing yet.
    ///
    /// - Parameters:
    ///   - folder: the folder, which is made with the first copy.
    ///   - threads: the number of threads that verify an archive.
    ///   - trust: the keys that must have signed the archives; nil for any archive.
    package init(folder: FilePath, threads: Int = 1, trust: ArchiveTrust? = nil) {
        self.folder = folder
        self.threads = threads
        self.trust = trust?.withoutRecording
    }

    private func openCopy(of archive: FilePath) throws(ArchiveError) -> ArchiveReader {
        // It was taken before, and is perhaps all that is left.
        try ArchiveReader(path: place(of: archive), trust: trust?.withoutSequences)
    }

    /// Returns the path for the copy of an archive: its name after a part of the SHA-256 of its whole path.
    package func place(of archive: FilePath) -> FilePath {
        let full = URL(fileURLWithPath: archive.string).standardizedFileURL.path
        let digest = SHA256.hash(data: Data(full.utf8)).prefix(8).map {
            String(UInt16($0) + 256, radix: 16).dropFirst()
        }
        let name = archive.lastComponent?.string ?? "archive"
        return folder.appending("\(digest.joined())-\(name)")
    }

    /// Verifies an archive, in full unless it is the one that was copied, and chooses between it and its copy. An archive that lacks its main
    /// page is not chosen if there is a copy.
    ///
    /// - Throws: why the archive cannot be used, if no copy of it can be either.
    package func choose(_ archive: FilePath) throws(ArchiveError) -> Choice {
        do throws(ArchiveError) {
            // First: a file that replaces it meanwhile is a different one.
            let identity = FileStatus(of: archive)?.identity
            let reader = try ArchiveReader(path: archive, trust: trust)
            if !isCurrent(archive) {
                try reader.checkIntact(threads: threads)
                // Without a copy, the other pages are better than none.
                if (try? openCopy(of: archive)) != nil { try reader.checkNamedMainPage() }
            }
            return .archive(identity)
        } catch {
            let copy = place(of: archive)
            guard (try? openCopy(of: archive)) != nil else { throw error }
            return .copy(copy, because: error)
        }
    }

    /// Copies an archive that is known to be intact, unless its copy exists already.
    ///
    /// - Parameter identity: the identity of the file that was verified.
    /// - Throws: `io`; `changed` if a different file has its name, or it changes meanwhile: the former copy then stays.
    package func keep(_ archive: FilePath, verified identity: FileIdentity?) throws(ArchiveError) {
        guard let identity, FileStatus(of: archive)?.identity == identity else {
            throw ArchiveError(.changed, "the archive changed after it was verified", path: archive.string)
        }
        if isCurrent(archive) { return }
        try PrivateFile.makeFolder(folder)
        let place = place(of: archive)
        try ReplacementFile.write(to: FilePlace(place)) { partial in
            try ArchiveCopy.make(of: ArchiveFile.open(archive), at: partial)
            guard FileStatus(of: archive)?.identity == identity else {
                throw ArchiveError(.changed, "the archive changed while it was copied", path: archive.string)
            }
            // By its time and length a copy is known to be that of an archive.
            let modified = Date(timeIntervalSince1970: Double(identity.modified) / 1e9)
            try FileManager.default.setAttributes(
                [.modificationDate: modified, .posixPermissions: 0o600], ofItemAtPath: partial.path.string)
        }
    }

    /// Returns whether the copy is that of the present archive.
    private func isCurrent(_ archive: FilePath) -> Bool {
        guard let ours = FileStatus(of: archive)?.identity, let copy = FileStatus(of: place(of: archive))?.identity
        else { return false }
        // Not every way of setting a time keeps its last digits.
        let (difference, overflow) = ours.modified.subtractingReportingOverflow(copy.modified)
        return !overflow && difference.magnitude < 1_000_000 && ours.length == copy.length
    }
}
