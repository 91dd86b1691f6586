// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The content of a source's folder, in bytewise order of the names.
///
/// The files' names are contiguous, and the path is stored once: there may be millions of files.
final class SourceListing: Sendable {
    let root: SourceRoot
    /// The path relative to the root.
    let path: [UInt8]
    /// The stamps of the files, by number.
    let stamps: [FileStamp]
    /// The folders in it, each with the number of files before it.
    let folders: [(position: Int, folder: SourceFolder)]
    /// The names that cause warnings, in the order of the names.
    let notices: [NoticedName]
    /// The names of all files, one after another.
    private let names: [UInt8]
    /// The end of each file's name in ``names``, by number.
    private let nameEnds: [Int]

    /// Creates a listing, and copies the names.
    ///
    /// - Parameters:
    ///   - files: the files in bytewise order of their names, which are counted from 0.
    ///   - folders: the folders in the same order, each with the number of files before it.
    init(
        root: SourceRoot, path: [UInt8], files: [(name: [UInt8], stamp: FileStamp)],
        folders: [(position: Int, folder: SourceFolder)] = [], notices: [NoticedName] = []
    ) {
        self.notices = notices
        self.root = root
        self.path = path
        self.folders = folders
        stamps = files.map(\.stamp)
        var names: [UInt8] = []
        names.reserveCapacity(files.reduce(0) { $0 + $1.name.count })
        nameEnds = files.map { file in
            names += file.name
            return names.count
        }
        self.names = names
    }

    /// Returns the name of a file by its number, without a copy.
    func name(_ file: Int) -> ArraySlice<UInt8> { names[(file == 0 ? 0 : nameEnds[file - 1])..<nameEnds[file]] }
}
