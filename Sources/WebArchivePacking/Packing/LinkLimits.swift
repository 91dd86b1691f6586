// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// The limits of the files and folders that symbolic links of a source lead to, with their counts.
///
/// The threads that list folders share them. Nothing more is listed once one is exceeded.
final class LinkLimits: Sendable {
    /// The maximum number of folders that are listed through two or more symbolic links: links from folder to folder double the paths at each step.
    private static let maximumFolderCount = 10_000
    private let folders = Atomic(0)
    /// The maximum number of files and folders that are listed through a symbolic link: a thousand links to one folder multiply its files by
    /// a thousand.
    private static let maximumNameCount = 400_000
    private let names = Atomic(0)
    /// The maximum length of the paths that are listed through a symbolic link, in bytes: a link to one name of a deep folder makes a path, and
    /// later a URL, of any length. That many names may have 167 bytes each; the paths of large sites have 30 to 80 on average.
    private static let maximumTotalPathLength = 64 << 20
    private let pathBytes = Atomic(0)

    /// Whether a limit was exceeded.
    var isExceeded: Bool {
        folders.load(ordering: .relaxed) > Self.maximumFolderCount
            || names.load(ordering: .relaxed) > Self.maximumNameCount
            || pathBytes.load(ordering: .relaxed) > Self.maximumTotalPathLength
    }

    /// Counts a folder that is reached through two or more symbolic links, before it is opened.
    ///
    /// Throws `limitExceeded`.
    ///
    /// - Parameter path: the folder's, for people.
    func countFolder(_ path: @autoclosure () -> String) throws(ArchiveError) {
        guard folders.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximumFolderCount else {
            throw Self.tooMany("\(Self.maximumFolderCount) folders reached through symbolic links to links", path())
        }
    }

    /// Counts a name in a folder that is reached through a symbolic link, before another one is read.
    ///
    /// Throws `limitExceeded`.
    ///
    /// - Parameters:
    ///   - length: the length of the path which the name ends, in bytes.
    ///   - path: the folder's, for people.
    func countName(_ length: Int, _ path: @autoclosure () -> String) throws(ArchiveError) {
        guard names.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximumNameCount else {
            throw Self.tooMany("\(Self.maximumNameCount) files and folders reached through symbolic links", path())
        }
        guard pathBytes.wrappingAdd(length, ordering: .relaxed).newValue <= Self.maximumTotalPathLength else {
            throw Self.tooMany(
                "\(Self.maximumTotalPathLength >> 20) MiB of paths reached through symbolic links", path())
        }
    }

    /// Returns the error of an exceeded limit.
    ///
    /// - Parameter what: a noun phrase that names the limit.
    private static func tooMany(_ what: String, _ path: String) -> ArchiveError {
        ArchiveError(.limitExceeded, "more than \(what)", path: path, recovery: .leaveOut)
    }
}
