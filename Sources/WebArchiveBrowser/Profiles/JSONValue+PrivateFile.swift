// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

extension JSONValue {
    /// Writes the text to a file that other users cannot read, and replaces an existing one.
    ///
    /// - Throws: `io`.
    func write(to path: FilePath) throws(ArchiveError) {
        try PrivateFile.write(line, to: path, permissions: .ownerReadWrite, replacing: true)
    }
}
