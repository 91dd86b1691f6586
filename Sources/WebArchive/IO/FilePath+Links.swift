// SPDX-License-Identifier: Apache-2.0

package import SystemPackage
import WebArchiveFormat

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension FilePath {
    /// The file that symbolic links lead to: a renamed file must not replace a link.
    ///
    /// A link that another user left in a folder that everybody may write to is not followed, like in Linux itself
    /// (`fs.protected_symlinks`), nor is one without a target.
    var followingLinks: FilePath {
        var path = self
        // Systems follow 40 at most.
        for _ in 0...40 {
            guard let status = FileStatus(of: path, followsLinks: false), status.kind == .link,
                FileStatus(of: path) != nil
            else { return path }
            guard path.isTrustedLink(status), let target = path.target else { return path }
            path = target.isAbsolute ? target : path.removingLastComponent().pushing(target)
        }
        return self
    }

    private func isTrustedLink(_ status: FileStatus) -> Bool {
        let sharedBits: FilePermissions = [.saveText, .otherWrite]
        guard let above = FileStatus(of: containingFolder) else { return false }
        return !above.permissions.isSuperset(of: sharedBits) || status.owner == geteuid() || status.owner == above.owner
    }

    /// Checks that no folder in the path is a link that is not followed.
    ///
    /// - Throws: `io`, with the path of the link.
    package func checkFolders() throws(ArchiveError) {
        var reached = FilePath(root: root, [])
        for component in removingLastComponent().components {
            reached.append(component)
            guard let status = FileStatus(of: reached, followsLinks: false), status.kind == .link else { continue }
            guard reached.isTrustedLink(status) else { throw reached.notFollowed() }
        }
    }

    private func notFollowed() -> ArchiveError {
        ArchiveError(
            .io,
            "broken symbolic link, or one of another user in a shared folder; give its target instead",
            path: string)
    }

    /// Returns the file that symbolic links lead to, as ``followingLinks``.
    ///
    /// - Parameter isNew: whether the file may be missing: a link without a target is then replaced.
    /// - Throws: `io` for a link that is not followed.
    package func followingTrustedLinks(isNew: Bool = false) throws(ArchiveError) -> FilePath {
        try checkFolders()
        if isNew, FileStatus(of: self) == nil { return self }
        let path = followingLinks
        guard FileStatus(of: path, followsLinks: false)?.kind != .link else { throw path.notFollowed() }
        try path.checkFolders()
        return path
    }

    /// The folder that the last component is in; `.` for a path of one component.
    package var containingFolder: FilePath {
        let parent = removingLastComponent()
        return parent.isEmpty ? FilePath(".") : parent
    }

    /// The text of a symbolic link; nil if it cannot be read.
    private var target: FilePath? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(string, &bytes, Int(PATH_MAX))
        return count > 0 ? FilePath(platformString: bytes) : nil
    }
}
