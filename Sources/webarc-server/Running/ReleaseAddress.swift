// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive
import WebArchiveUpdateClient
import WebArchiveUpdates

/// The address of a release folder on the command line.
enum ReleaseAddress {
    /// Creates the source: an http or https address, or the path of a folder.
    static func source(_ text: String) throws(ArchiveError) -> any UpdateSource {
        text.contains("://") ? try HTTPUpdateSource(text) : FolderUpdateSource(FilePath(text))
    }
}
