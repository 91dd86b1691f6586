// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WebArchive

/// The limits to what a source may have reached through symbolic links, and the counts that they are for.
///
/// The threads that list folders share them. Nothing is listed any more once one is exceeded.
final class LinkLimits: Sendable {
    /// Folders that may be listed reached through two symbolic links or more: links from folder to folder double the ways at each step.
    private static let mostFolders = 10_000
    private let folders = Atomic(0)
    /// Files and folders that may be listed reached through a symbolic link: a thousand links to one folder make a thousand times its files.
    private static let mostNames = 400_000
    private let names = Atomic(0)
    /// The length of the paths that may be listed reached through a symbolic link, in bytes: a link to one name of a deep folder makes a path, and
    /// later a URL, of any length. That many names may have 167 bytes each; the paths of large sites have 30 to 80 on average.
    private static let mostPathBytes = 64 << 20
    private let pathBytes = Atomic(0)

    /// Whether there was more than a limit allows.
    var isExceeded: Bool {
        folders.load(ordering: .relaxed) > Self.mostFolders || names.load(ordering: .relaxed) > Self.mostNames
            || pathBytes.load(ordering: .relaxed) > Self.mostPathBytes
    }

    /// Counts a folder reached through two symbolic links or more, before it is opened.
    ///
    /// Throws `limitExceeded`.
    ///
    /// - Parameter path: the folder's, for people.
    func countFolder(_ path: @autoclosure () -> String) throws(ArchiveError) {
        guard folders.wrappingAdd(1, ordering: .relaxed).newValue <= Self.mostFolders else {
            throw Self.tooMany("\(Self.mostFolders) folders behind symbolic links that lead to links", path())
        }
    }

    /// Counts a name in a folder reached through a symbolic link, before another one is read.
    ///
    /// Throws `limitExceeded`.
    ///
    /// - Parameters:
    ///   - length: the length of the path which the name ends, in bytes.
    ///   - path: the folder's, for people.
    func countName(_ length: Int, _ path: @autoclosure () -> String) throws(ArchiveError) {
        guard names.wrappingAdd(1, ordering: .relaxed).newValue <= Self.mostNames else {
            throw Self.tooMany("\(Self.mostNames) files and folders behind symbolic links", path())
        }
        guard pathBytes.wrappingAdd(length, ordering: .relaxed).newValue <= Self.mostPathBytes else {
            throw Self.tooMany("\(Self.mostPathBytes >> 20) MiB of paths behind symbolic links", path())
        }
    }

    private static func tooMany(_ what: String, _ path: String) -> ArchiveError {
        ArchiveError(.limitExceeded, "more than \(what)", path: path, recovery: .leaveOut)
    }
}
