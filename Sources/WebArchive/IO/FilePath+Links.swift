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
    /// A link that another user may have made is not followed, nor is one without a target.
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

    /// Returns whether a link belongs to this user or root, or only they could have moved it into its folder.
    ///
    /// Linux itself (`fs.protected_symlinks`) distrusts only links in folders with the sticky bit.
    private func isTrustedLink(_ status: FileStatus) -> Bool {
        func isTrusted(_ owner: UInt32) -> Bool { owner == geteuid() || owner == 0 }
        if isTrusted(status.owner) { return true }
        guard let above = FileStatus(of: containingFolder) else { return false }
        return isTrusted(above.owner) && above.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
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
            "broken symbolic link, or one that another user may have made; give its target instead",
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
