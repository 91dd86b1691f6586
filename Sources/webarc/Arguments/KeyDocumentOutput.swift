// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebarcCommandLine

/// The option for the file that a key's word about a key goes to.
struct KeyDocumentOutput: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write. (default: standard output)", valueName: "file"), completion: .file())
    var output: String?

    /// Writes a PEM document to the file, which must not be there yet.
    func write(_ pem: String, permissions: FilePermissions) throws {
        guard let output else { return try StandardOutput.shared.line(String(pem.dropLast())) }
        try PrivateFile.write(pem, to: FilePath(output), permissions: permissions, replacing: false)
    }
}
