// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

/// The missing part of a path, or a file in the place of a folder.
enum MissingPath {
    /// Returns a sentence that names it; nil if it exists by now.
    ///
    /// - Parameter noun: the expected kind of the whole path.
    static func text(_ path: FilePath, as noun: String) -> String? {
        var missing: FilePath?
        var above = path
        while !above.isEmpty {
            if let status = FileStatus(of: above) {
                guard let missing else { return status.kind == .folder ? nil : notAFolder(above) }
                guard status.kind == .folder else { return notAFolder(above) }
                return sentence(missing, missing == path ? noun : "folder")
            }
            missing = above
            // Ends when there is nothing left to remove.
            guard above.removeLastComponent() else { break }
        }
        return missing.map { sentence($0, $0 == path ? noun : "folder") }
    }

    private static func sentence(_ path: FilePath, _ noun: String) -> String { "\(path): the \(noun) does not exist" }

    private static func notAFolder(_ path: FilePath) -> String { "\(path): a file, not a folder" }
}
