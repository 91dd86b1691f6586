// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The archive that is being written, which may be in a packed folder and is never packed itself.
struct OutputArchive: Sendable {
    /// A name in a folder, independent of the path by which the folder is reached.
    private struct Name: Hashable {
        let folder: FileNumber
        let name: [UInt8]
    }

    /// The names of the archive and of its unfinished form, at most four.
    private var names: Set<Name> = []
    /// The archive that is replaced or appended to; nil if there is none yet.
    private let file: FileNumber?

    /// Notes the folder and the name of the archive, by its own path and by its target through symbolic links. The file need not exist.
    init(_ path: FilePath) {
        file = FileStatus(of: path)?.number
        for place in [try? FilePlace(path), try? FilePlace(following: path, isNew: true)] {
            guard let place, let folder = FileStatus(of: place.folder.descriptor)?.number,
                let last = place.path.lastComponent
            else { continue }
            let name = last.withPlatformString { CString.bytes(UnsafeRawPointer($0)) }
            names.insert(Name(folder: folder, name: name))
            // A writer's own file, which one that was killed may have left.
            names.insert(Name(folder: folder, name: name + ".partial".utf8))
        }
    }

    /// Returns whether a name in a folder is that of the archive or of its unfinished form, by any path of the folder.
    func isNamed(_ name: [UInt8], in folder: FileNumber) -> Bool { names.contains(Name(folder: folder, name: name)) }

    /// Returns whether a file is the archive, under any name.
    func isFile(_ number: FileNumber) -> Bool { number == file }
}
