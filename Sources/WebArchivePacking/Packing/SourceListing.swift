// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The content of a source's folder, in bytewise order of the names.
///
/// The files' names are contiguous, and the path is stored once: there may be millions of files.
final class SourceListing: Sendable {
    let root: SourceRoot
    /// The path relative to the root.
    let path: [UInt8]
    let stamps: [FileStamp]
    /// The folders in it, each with the number of files before it.
    let folders: [(position: Int, folder: SourceFolder)]
    let notices: [NoticedName]
    private let names: [UInt8]
    private let nameEnds: [Int]

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

    func name(_ file: Int) -> ArraySlice<UInt8> { names[(file == 0 ? 0 : nameEnds[file - 1])..<nameEnds[file]] }
}
