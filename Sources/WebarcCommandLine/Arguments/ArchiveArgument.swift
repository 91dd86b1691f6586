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

    package func open(trust: ArchiveTrust? = nil) throws(ArchiveError) -> ArchiveReader {
        try ArchiveReader(warningAboutTornTail: path, trust: trust)
    }
}

extension ArchiveReader {
    /// Opens the archive, and warns about a torn tail, and about commits that the trusted keys did not sign.
    package convenience init(
        warningAboutTornTail path: FilePath, trust: ArchiveTrust? = nil
    ) throws(ArchiveError) {
        try self.init(path: path, trust: trust)
        if untrustedCommitCount > 0 {
            let commits = SizeFormat.count(untrustedCommitCount, "commit")
            Diagnostics.warn("\(path): \(commits) not signed by the required keys, and ignored")
        }
        if isLastCommitDamaged {
            Diagnostics.warn("\(path): the last commit is damaged or truncated, and ignored; see webarc verify")
        } else if tornTail > 0 {
            let tail = SizeFormat.count(tornTail, "byte")
            Diagnostics.warn("\(path): the last \(tail) belong to an unfinished commit, and are ignored")
        }
    }
}
