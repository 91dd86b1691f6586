// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import SystemPackage
import WebArchive
import WebarcCommandLine

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Manage signing keys.",
        discussion: """
            The secret key signs, and stays with the publisher. The public key verifies, and goes to every reader. Both are PEM files \
            (RFC 8410), which OpenSSL and most other programs read and write: openssl genpkey -algorithm ed25519 also creates a secret key.
            """,
        subcommands: [Create.self, Show.self, Endorse.self, Revoke.self])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a key pair.",
            discussion: """
                The public key is written beside the secret key: publisher.pub for publisher.key. Keep a copy of the secret key in a safe place: without it, \
                nobody can sign the next edition.

                EXAMPLES:
                  webarc key create publisher.key

                \(ExitStatus.explanation(of: [.done, .usage, .cannotCreate, .ioError]))
                """)

        @Argument(help: "The file for the secret key. Only its owner can read it.", completion: .file())
        var file: String

        func run() throws {
            let path = FilePath(file)
            guard let name = path.stem, !name.isEmpty else { throw ValidationError("'\(file)' is not a file name") }
            let other = path.removingLastComponent().appending("\(name).pub")
            guard other != path else { throw ValidationError("the name of a secret key must not end in .pub") }
            let secret = try FilePlace(path)
            let pair = [secret, secret.sibling("\(name).pub")]
            for place in pair where place.status() != nil {
                throw ArchiveError(
                    .alreadyExists, "the file already exists; choose another name", path: place.path.string)
            }
            let key = ArchiveSigningKey()
            try PrivateFile.write(key.pem, to: secret, permissions: [.ownerReadWrite], replacing: false)
            do {
                try PrivateFile.write(
                    key.publicKey.pem, to: pair[1], permissions: [.ownerReadWrite, .groupRead, .otherRead],
                    replacing: false)
            } catch {
                // A pair, or nothing: the next run would refuse half of one.
                secret.remove()
                throw error
            }
            Diagnostics.say("secret key: \(path); public key: \(other)")
            try StandardOutput.shared.line(key.publicKey.description)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print a public key in one line.",
            discussion: """
                EXAMPLES:
                  webarc key show publisher.key
                  webarc key show publisher.pub --pem

                \(ExitStatus.explanation(of: [.done, .usage, .ioError]))
                """)

        @Argument(help: "The file of the public or the secret key.", completion: .file())
        var file: String

        @Flag(help: "Print the key in PEM form, for other programs.")
        var pem = false

        func run() throws {
            let key = try KeyFile.publicKey(file)
            try StandardOutput.shared.line(pem ? String(key.pem.dropLast()) : key.description)
        }
    }

    struct Endorse: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "endorse",
            abstract: "Endorse a new key with an old one.",
            discussion: """
                Readers that have only the old key then accept archives that the new key signs with this endorsement. To replace a key, \
                give the new public key to the readers, and sign with --endorsement until all of them have it.

                EXAMPLES:
                  webarc key endorse new.pub --key old.key -o new.endorsement
                  webarc sign site.webarc --key new.key --endorsement new.endorsement

                \(ExitStatus.explanation(of: [.done, .usage, .cannotCreate, .ioError]))
                """)

        @Argument(help: "The public key to endorse: a file, or a line of webarc key show.", completion: .file())
        var newKey: String

        @Option(
            help: ArgumentHelp("The file of the old secret key, or - for standard input.", valueName: "file"),
            completion: .file())
        var key: String

        @OptionGroup var output: KeyDocumentOutput

        func run() throws {
            try output.write(
                KeyFile.secretKey(key).endorse(KeyFile.publicKey(newKey)).pem,
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Create a revocation of a key.",
            discussion: """
                webarc release --revocation publishes the file. Devices that update then trust nothing signed by the key, except for the edition that they \
                already show. Revocation cannot be undone. Create the file together with the key, and keep it in another safe place: without the secret key or \
                this file, the key cannot be revoked. Anyone with the file can publish it.

                EXAMPLES:
                  webarc key revoke publisher.key -o publisher.revocation
                  webarc release public/site site.webarc --sign new.key \\
                      --revocation publisher.revocation

                \(ExitStatus.explanation(of: [.done, .usage, .cannotCreate, .ioError]))
                """)

        @Argument(help: "The file of the secret key, or - for standard input.", completion: .file())
        var key: String

        @OptionGroup var output: KeyDocumentOutput

        func run() throws { try output.write(KeyFile.secretKey(key).revoke().pem, permissions: [.ownerReadWrite]) }
    }
}

/// The option for the output file of a key's endorsement or revocation.
struct KeyDocumentOutput: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write. (default: standard output)", valueName: "file"), completion: .file())
    var output: String?

    /// Writes a PEM document to the file, which must not exist yet.
    func write(_ pem: String, permissions: FilePermissions) throws {
        guard let output else { return try StandardOutput.shared.line(String(pem.dropLast())) }
        let path = FilePath(output)
        guard FileStatus(of: path, followsLinks: false) == nil else {
            throw ArchiveError(.alreadyExists, "the file already exists; choose another name", path: output)
        }
        try PrivateFile.write(pem, to: path, permissions: permissions, replacing: false)
    }
}
