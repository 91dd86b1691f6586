// SPDX-License-Identifier: Apache-2.0

/// Names of files and folders that lie beside a site, and that a publisher seldom means to ship.
enum PrivateName {
    private static let folders: Set = [".git", ".hg", ".svn", ".bzr", ".ssh", ".gnupg", ".aws"]
    private static let files: Set = [
        ".env", ".git", ".git-credentials", ".htpasswd", ".netrc", ".npmrc", ".pgpass", ".pypirc", "id_dsa", "id_ecdsa",
        "id_ed25519",
        "id_rsa",
    ]

    static func isFolder(_ name: [UInt8]) -> Bool {
        isLikely(name) && folders.contains(String(decoding: name, as: UTF8.self))
    }

    /// Such as `.env`, and `.env.production` of several environments.
    static func isFile(_ name: [UInt8]) -> Bool {
        guard isLikely(name) else { return false }
        let text = String(decoding: name, as: UTF8.self)
        return files.contains(text) || text.hasPrefix(".env.") && text != ".env.example"
    }

    /// Most names begin otherwise, and need no string.
    private static func isLikely(_ name: [UInt8]) -> Bool {
        name.first == UInt8(ascii: ".") || name.starts(with: "id_".utf8)
    }

    static func warning(ofFolder isFolder: Bool, _ name: [UInt8], _ path: String) -> PackingWarning {
        let kind =
            isFolder
            ? "a folder of private data or of version control is packed" : "a file that usually has secrets is packed"
        let name = String(decoding: name, as: UTF8.self)
        return PackingWarning(.privateFile, "\(kind); --exclude '\(name)' leaves it out", path: path)
    }
}
