// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import SystemPackage
package import WebArchive
import WebArchivePresentation

/// The archive that a command reads.
package struct ArchiveArgument: ParsableArguments {
    @Argument(help: "The archive.", completion: .file(extensions: ["webarc"]))
    package var file: String

    package init() {}

    package var path: FilePath { FilePath(file) }

    package func open() throws(ArchiveError) -> ArchiveReader { try ArchiveReader(warningAboutTornTail: path) }
}

extension ArchiveReader {
    /// Opens, and tells about a torn tail.
    package convenience init(warningAboutTornTail path: FilePath) throws(ArchiveError) {
        try self.init(path: path)
        if isLastCommitDamaged {
            Diagnostics.warn("\(path): the last commit is damaged or was cut off, and is ignored; see webarc verify")
        } else if tornTail > 0 {
            let tail = SizeFormat.count(tornTail, "byte")
            Diagnostics.warn("\(path): the last \(tail) are of a commit that was never finished, and are ignored")
        }
    }
}
