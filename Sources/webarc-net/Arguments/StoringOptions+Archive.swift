// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchivePresentation
import WebArchiveURLProtocol
import WebarcCommandLine

extension StoringOptions {
    var rules: RecordingRules {
        RecordingRules(
            maximumBodyLength: UInt64(maxSize.bytes), honoursNoStore: !ignoreNoStore, keepsCredentials: keepCredentials)
    }

    /// Returns an archive to record into, from which nothing is ever removed.
    func archive(_ path: FilePath) throws(ArchiveError) -> RecordingArchive {
        var options = RecordingArchive.Options()
        // Old responses are removed on a person's request, by `webarc compact`.
        options.keepsHistory = true
        options.wasteLimit = 1
        options.maximumCommitCount = 1024
        return try RecordingArchive(path: path, options: options)
    }

    /// Commits recorded responses.
    ///
    /// - Throws: the error that kept some of them from being written.
    func close(_ archive: RecordingArchive) throws(ArchiveError) {
        do throws(ArchiveError) {
            try archive.close()
        } catch {
            throw error.at(path: archive.path.string)
        }
        guard archive.droppedCount == 0 else {
            let count = SizeFormat.count(archive.droppedCount, "response")
            throw ArchiveError(.io, "\(count) could not be stored", path: archive.path.string)
        }
    }
}
