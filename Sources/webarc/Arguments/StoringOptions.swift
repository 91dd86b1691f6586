// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchiveURLProtocol

/// What is kept of that which comes from the network.
struct StoringOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Do not store longer bodies: 64K, 100M, 2G.", valueName: "size"))
    var maxSize = SizeArgument(bytes: 1 << 30)

    @Flag(
        help:
            "Store Authorization, Cookie and Set-Cookie fields too. Whoever gets the archive can then act in your name."
    )
    var keepCredentials = false

    @Flag(help: "Store answers too that say Cache-Control: no-store.")
    var ignoreNoStore = false

    /// Whether one of them was given.
    var isUsed: Bool { keepCredentials || ignoreNoStore || maxSize.bytes != 1 << 30 }
}

extension StoringOptions {
    var rules: RecordingRules {
        RecordingRules(
            maximumBodyLength: UInt64(maxSize.bytes), honoursNoStore: !ignoreNoStore, keepsCredentials: keepCredentials)
    }

    /// An archive to record into, of which nothing is ever removed.
    func archive(_ path: FilePath) throws(ArchiveError) -> RecordingArchive {
        var options = RecordingArchive.Options()
        options.maximumBodyLength = UInt64(maxSize.bytes)
        // What is old goes when a person says so, by `webarc compact`.
        options.keepsHistory = true
        options.wasteLimit = 1
        options.maximumCommitCount = 1024
        return try RecordingArchive(path: path, options: options)
    }

    /// Commits what was recorded.
    ///
    /// - Throws: what kept something of it from being written.
    func close(_ archive: RecordingArchive) throws(ArchiveError) {
        do throws(ArchiveError) {
            try archive.close()
        } catch {
            throw error.at(path: archive.path.string)
        }
        guard archive.droppedCount == 0 else {
            let count = SizeFormat.count(archive.droppedCount, "answer")
            throw ArchiveError(.io, "\(count) could not be stored", path: archive.path.string)
        }
    }
}
