// SPDX-License-Identifier: Apache-2.0

import SystemPackage
package import WebArchive

/// The reading of key files, and of texts that represent keys. The files are noted as inputs of the command.
package enum KeyFile {
    /// Reads a secret key: from a file that only its owner can read, or from standard input for `-`.
    package static func secretKey(_ name: String) throws(ArchiveError) -> ArchiveSigningKey {
        let path = name == "-" ? FilePath("/dev/stdin") : FilePath(name)
        InputFiles.note(path)
        do throws(ArchiveError) {
            let text =
                name == "-"
                ? try PrivateFile.text(of: path) : try PrivateFile.ownText(of: path, isSecret: true)
            return try ArchiveSigningKey(pem: text)
        } catch {
            // The permissions of a public key may be wide.
            if error.code == .invalidArgument, name != "-", let text = try? PrivateFile.text(of: FilePath(name)),
                (try? ArchivePublicKey(text: text)) != nil
            {
                throw ArchiveError(
                    .invalidArgument, "this is a public key; give the secret key, \(secretName(of: name))",
                    path: name)
            }
            throw missing(error, name == "-" ? "standard input" : name)
        }
    }

    /// Returns the name of the secret half of a public key, as `webarc key create` names the two.
    private static func secretName(of name: String) -> String {
        guard name.hasSuffix(".pub") else { return "from its own file" }
        let stem = String(name.dropLast(4))
        return FileStatus(of: FilePath(stem)) == nil ? "such as \(stem).key" : stem
    }

    /// Returns the error for a missing key, which is a file that cannot be read, not a missing entry of an archive.
    private static func missing(_ error: ArchiveError, _ name: String) -> ArchiveError {
        error.code == .notFound
            ? ArchiveError(.io, error.message, path: name, cause: error.cause) : error.at(path: name)
    }

    /// Returns whether a text names the file of a secret key.
    static func isSecret(_ text: String) -> Bool {
        (try? ArchivePublicKey(text: text)) == nil
            && (try? PrivateFile.text(of: FilePath(text)))?.contains("PRIVATE KEY-----") == true
    }

    /// Reads a public key: the line of Base64 that `webarc key show` prints, or a file, also that of the secret half.
    package static func publicKey(_ text: String) throws(ArchiveError) -> ArchivePublicKey {
        if let key = try? ArchivePublicKey(text: text) { return key }
        InputFiles.note(FilePath(text))
        do throws(ArchiveError) {
            let content = try PrivateFile.text(of: FilePath(text))
            if content.contains("PRIVATE KEY-----") { return try ArchiveSigningKey(pem: content).publicKey }
            return try ArchivePublicKey(text: content)
        } catch {
            // Every Ed25519 key in this form begins so.
            if error.code == .notFound, text.hasPrefix("MCow") {
                throw ArchiveError(
                    .invalidArgument, "not a whole key; give the line of webarc key show, or the file of a key",
                    path: text)
            }
            guard error.code == .invalidArgument, error.recovery == nil else { throw missing(error, text) }
            throw ArchiveError(
                .invalidArgument, "\(error.message); give a .pub file of webarc key create", path: text)
        }
    }

    /// Reads an endorsement from a file.
    package static func endorsement(_ name: String) throws(ArchiveError) -> ArchiveEndorsement {
        try document(name) { text throws(ArchiveError) in try ArchiveEndorsement(pem: text) }
    }

    /// Reads a revocation from a file.
    package static func revocation(_ name: String) throws(ArchiveError) -> ArchiveRevocation {
        try document(name) { text throws(ArchiveError) in try ArchiveRevocation(pem: text) }
    }

    private static func document<Document>(
        _ name: String, _ read: (String) throws(ArchiveError) -> Document
    ) throws(ArchiveError) -> Document {
        InputFiles.note(FilePath(name))
        do throws(ArchiveError) {
            return try read(PrivateFile.text(of: FilePath(name)))
        } catch {
            throw missing(error, name)
        }
    }
}
