// SPDX-License-Identifier: Apache-2.0

/// The folders that files need, as a tree: memory grows with the names, and not with the paths to them.
struct FolderTree {
    /// The place of a folder: its name in its parent.
    private struct Place: Hashable {
        /// The number of the parent folder; 0 for the root.
        let parent: UInt32
        let name: [UInt8]
    }

    /// The numbers of the folders, from 1 on in the order of insertion.
    private var numbers: [Place: UInt32] = [:]
    /// The folder that was inserted last: the files of one folder are consecutive.
    private var latest: ArraySlice<[UInt8]> = []

    /// The number of folders below the root.
    var count: Int { numbers.count }

    /// Inserts a folder with its ancestors.
    mutating func insert(_ path: ArraySlice<[UInt8]>) {
        guard path != latest else { return }
        latest = path
        var parent: UInt32 = 0
        for name in path {
            let next = UInt32(numbers.count + 1)
            let place = Place(parent: parent, name: name)
            parent = numbers[place] ?? next
            if parent == next { numbers[place] = next }
        }
    }

    /// Returns whether a folder was inserted, itself or as an ancestor. The root, a path without components, always is.
    func contains(_ path: [[UInt8]]) -> Bool {
        var parent: UInt32 = 0
        for name in path {
            guard let number = numbers[Place(parent: parent, name: name)] else { return false }
            parent = number
        }
        return true
    }
}
