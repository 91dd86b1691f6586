// SPDX-License-Identifier: Apache-2.0

package import SystemPackage
import WebArchiveFormat

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension FilePath {
    /// The file that symbolic links lead to: what is written under another name and renamed must not take the place of a link.
    ///
    /// A link that another user left in a folder that everybody may write to is not followed, as Linux itself does it
    /// (`fs.protected_symlinks`), nor is one that leads nowhere.
    var followingLinks: FilePath {
        var path = self
        // Systems follow 40 at most.
        for _ in 0...40 {
            guard let status = FileStatus(of: path, followsLinks: false), status.kind == .link,
                FileStatus(of: path) != nil
            else { return path }
            let parent = path.removingLastComponent()
            let folder = parent.isEmpty ? FilePath(".") : parent
            let sharedBits: FilePermissions = [.saveText, .otherWrite]
            guard let above = FileStatus(of: folder),
                !above.permissions.isSuperset(of: sharedBits) || status.owner == geteuid()
                    || status.owner == above.owner,
                let target = path.target
            else { return path }
            path = target.isAbsolute ? target : parent.pushing(target)
        }
        return self
    }

    /// As ``followingLinks``. Throws `io` for a link that is not followed.
    package func followingTrustedLinks() throws(ArchiveError) -> FilePath {
        let path = followingLinks
        guard FileStatus(of: path, followsLinks: false)?.kind != .link else {
            throw ArchiveError(
                .io,
                "a link that leads nowhere, or that another user left in a shared folder, is not followed; name its target",
                path: path.string)
        }
        return path
    }

    /// The text of a symbolic link; nil if it cannot be read.
    private var target: FilePath? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(string, &bytes, Int(PATH_MAX))
        return count > 0 ? FilePath(platformString: bytes) : nil
    }
}
