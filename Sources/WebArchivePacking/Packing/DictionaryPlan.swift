// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The assignment of files to dictionaries: one for each type and each folder with enough of it.
///
/// The rest of a folder belongs to its parent, and finally to one dictionary for the whole site.
struct DictionaryPlan: Sendable {
    /// The files that share a dictionary: those of one media type in a folder, and in the folders below it that have too few of them.
    struct Scope: Sendable {
        /// The number of the media type in ``SourceTree/mediaTypes``.
        let type: Int
        /// The files, in their order.
        let members: [Int]
        /// The total length of the files, in bytes, at least 32 KiB.
        let bytes: UInt64
    }

    /// The scopes, those of the deepest folders first.
    private(set) var scopes: [Scope] = []
    /// For each file the number of its scope, or -1.
    private(set) var scopeOfFile: [Int32]

    /// The number of bytes of a type from which a folder gets a dictionary of its own.
    private static let ownScopeLength: UInt64 = 1 << 20
    /// The number of bytes below which a dictionary costs more than it saves.
    private static let minimumScopeLength: UInt64 = 32 << 10

    /// Creates a plan without dictionaries.
    init(none fileCount: Int) { scopeOfFile = Array(repeating: -1, count: fileCount) }

    /// Creates a plan from the deepest folders up, and passes too little for a dictionary to the parent folder.
    init(_ tree: SourceTree) {
        self.init(none: tree.files.count)
        var folders: [[UInt8]: [Int: Pending]] = [:]
        for (number, file) in tree.files.enumerated() where file.length > 0 && tree.type(number).isCompressible {
            folders[file.folder.path, default: [:]][tree.types[number], default: Pending()]
                .add([number], bytes: file.length)
        }
        var levels: [Set<[UInt8]>] = []
        for folder in folders.keys { Self.insert(folder, into: &levels) }
        for depth in levels.indices.reversed() {
            // Files that were passed up may belong to a folder without files of its own.
            let here = levels[depth].sorted { $0.lexicographicallyPrecedes($1) }
            for folder in here { settle(folder, isRoot: depth == 0, &folders) }
        }
    }

    /// The files of one media type in a folder that have no scope yet.
    private struct Pending {
        var members: [Int] = []
        /// The total length of the files, in bytes.
        var bytes: UInt64 = 0

        mutating func add(_ more: [Int], bytes: UInt64) {
            members += more
            self.bytes += bytes
        }
    }

    /// Inserts a folder and its ancestors, up to the first existing one.
    private static func insert(_ folder: [UInt8], into levels: inout [Set<[UInt8]>]) {
        var folder = folder
        while true {
            let depth = folder.isEmpty ? 0 : folder.count { $0 == UInt8(ascii: "/") } + 1
            while levels.count <= depth { levels.append([]) }
            guard levels[depth].insert(folder).inserted, !folder.isEmpty else { return }
            folder = self.folder(of: folder)
        }
    }

    /// Returns the path of the folder above; the empty path, which is the root, for a folder at the top.
    private static func folder(of path: [UInt8]) -> [UInt8] {
        path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[..<$0]) } ?? []
    }

    /// Makes scopes of a folder's types with enough bytes, and passes the others up; at the root, too small types have no dictionary.
    private mutating func settle(_ folder: [UInt8], isRoot: Bool, _ folders: inout [[UInt8]: [Int: Pending]]) {
        guard let types = folders.removeValue(forKey: folder) else { return }
        for (type, pending) in types.sorted(by: { $0.key < $1.key }) {
            if pending.bytes >= (isRoot ? Self.minimumScopeLength : Self.ownScopeLength) {
                for member in pending.members { scopeOfFile[member] = Int32(scopes.count) }
                scopes.append(Scope(type: type, members: pending.members.sorted(), bytes: pending.bytes))
            } else if !isRoot {
                folders[Self.folder(of: folder), default: [:]][type, default: Pending()]
                    .add(pending.members, bytes: pending.bytes)
            }
        }
    }
}
