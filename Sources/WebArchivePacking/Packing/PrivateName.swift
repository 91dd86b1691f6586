// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The names of files and folders beside a site that a publisher seldom intends to ship.
enum PrivateName {
    /// The names of folders of version control, of keys and of credentials, compared bytewise.
    private static let folders: Set = [".git", ".hg", ".svn", ".bzr", ".ssh", ".gnupg", ".aws"]
    /// The names of files with passwords, tokens or secret keys. A file `.git` is that of a submodule or a work tree of Git.
    private static let files: Set = [
        ".env", ".git", ".git-credentials", ".htpasswd", ".netrc", ".npmrc", ".pgpass", ".pypirc", "id_dsa", "id_ecdsa",
        "id_ed25519",
        "id_rsa",
    ]

    /// Returns whether a file or folder has such a name.
    static func matches(_ name: [UInt8], isFolder: Bool) -> Bool {
        // Most names begin otherwise, and need no string.
        guard name.first == UInt8(ascii: ".") || name.starts(with: "id_".utf8) else { return false }
        let text = String(decoding: name, as: UTF8.self)
        // Such as `.env.production` of several environments.
        let isOfEnvironment = text.hasPrefix(".env.") && text != ".env.example"
        return isFolder ? folders.contains(text) : files.contains(text) || isOfEnvironment
    }

    /// Returns whether the bytes of a file begin like a secret key in PEM form (RFC 7468), which says so in its first line.
    static func isSecretKey(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.starts(with: "-----BEGIN ".utf8) else { return false }
        let line = bytes.prefix(100).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        // Such as of PKCS #8, encrypted or not, and of OpenSSL and OpenSSH.
        return String(decoding: line, as: UTF8.self).hasSuffix("PRIVATE KEY-----")
    }

    /// Returns the warning about a file that begins like a secret key.
    static func warningOfSecretKey(_ name: [UInt8], path: String) -> PackingWarning {
        PackingWarning(.privateFile, "a secret key is packed", path: path, pattern: GlobPattern.text(ofName: name))
    }

    /// Returns the warning about a file or folder of such a name.
    static func warning(_ name: [UInt8], isFolder: Bool, path: String) -> PackingWarning {
        let message =
            isFolder
            ? "a folder of private or version control data is packed" : "a file that usually contains secrets is packed"
        return PackingWarning(.privateFile, message, path: path, pattern: GlobPattern.text(ofName: name))
    }
}

extension GlobPattern {
    /// Writes the pattern that a name matches.
    ///
    /// Bytes that are not printable ASCII, which are hard to type and a terminal may not show, become `?`, which matches any byte.
    static func text(ofName name: [UInt8]) -> String {
        var pattern = ""
        for byte in name {
            switch byte {
            case UInt8(ascii: "\\"), UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["):
                pattern += "\\" + String(UnicodeScalar(byte))
            case 0x20...0x7E: pattern += String(UnicodeScalar(byte))
            default: pattern += "?"
            }
        }
        return pattern
    }
}
