// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive
import WebArchivePresentation

extension JSONValue {
    /// Writes the text to a file that other users cannot read, in the place of one that exists.
    ///
    /// - Throws: `io`.
    func write(to path: FilePath) throws(ArchiveError) {
        try PrivateFile.write(line, to: path, permissions: .ownerReadWrite, replacing: true)
    }
}
