// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

@testable import WebArchiveUpdates

/// A source of a folder that lets something happen before and after it sends a file.
struct InterposedSource: UpdateSource {
    let real: FolderUpdateSource
    var before: @Sendable () throws -> Void = {}
    var after: @Sendable () throws -> Void = {}

    var name: String { real.name }

    func bytes(of name: String, atMost limit: Int) throws(ArchiveError) -> [UInt8] {
        try real.bytes(of: name, atMost: limit)
    }

    func append(
        _ name: String, from offset: UInt64, length: UInt64, to file: FileDescriptor, progress: (Int) -> Void
    ) throws(ArchiveError) {
        do {
            try before()
            try real.append(name, from: offset, length: length, to: file, progress: progress)
            try after()
        } catch {
            throw error as? ArchiveError ?? ArchiveError(.io, "\(error)")
        }
    }
}
