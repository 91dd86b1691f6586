// SPDX-License-Identifier: Apache-2.0

/// The files that represent their folders.
struct FolderIndexes {
    /// For each index file that represents its folder, the folder's path.
    private var folders: [Int: [UInt8]] = [:]

    /// Finds in each folder the file whose name is first among the index names.
    init(_ tree: SourceTree, names: [String]) {
        let names = names.map { Array($0.utf8) }
        var best: [[UInt8]: (rank: Int, file: Int)] = [:]
        for (number, file) in tree.files.enumerated() {
            guard let rank = names.firstIndex(where: { file.name.elementsEqual($0) }) else { continue }
            let folder = file.folder.path
            if best[folder].map({ $0.rank <= rank }) != true { best[folder] = (rank, number) }
        }
        for (folder, index) in best { folders[index.file] = folder }
    }

    /// Returns the folder that a file represents; nil for any other file.
    func folder(servedBy file: Int) -> [UInt8]? { folders[file] }
}
