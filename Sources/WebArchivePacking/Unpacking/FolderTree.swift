// SPDX-License-Identifier: Apache-2.0

/// The folders that files need, as a tree: memory grows with the names, and not with the paths to them.
struct FolderTree {
    private final class Node {
        var children: [[UInt8]: Node] = [:]
    }

    private let root = Node()

    /// Inserts a folder with those above it.
    func insert(_ path: ArraySlice<[UInt8]>) {
        var node = root
        for name in path {
            if let known = node.children[name] {
                node = known
            } else {
                let new = Node()
                node.children[name] = new
                node = new
            }
        }
    }

    func contains(_ path: [[UInt8]]) -> Bool {
        var node = root
        for name in path {
            guard let next = node.children[name] else { return false }
            node = next
        }
        return true
    }
}
