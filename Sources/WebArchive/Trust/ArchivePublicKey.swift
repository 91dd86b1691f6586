// SPDX-License-Identifier: Apache-2.0

import Crypto
import SwiftASN1
import WebArchiveFormat

/// A public key of Ed25519 (RFC 8032), by which a reader identifies the signer of an archive.
///
/// The text of a key is its `SubjectPublicKeyInfo` (RFC 8410), in the PEM form that OpenSSL reads and writes, or as the one line of
/// Base64 that such a file holds:
///
/// ```swift
/// let key = try ArchivePublicKey(text: "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=")
/// ```
public struct ArchivePublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The 32 bytes of the key.
    public let bytes: [UInt8]

    /// Creates a key from its bytes; nil unless there are 32.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    init(_ key: Curve25519.Signing.PublicKey) { bytes = Array(key.rawRepresentation) }

    /// Reads a key from its text.
    ///
    /// - Parameter text: a PEM document of type `PUBLIC KEY`, or its Base64 alone.
    /// - Throws: `invalidArgument` for any other text, and for a key of a different algorithm.
    public init(text: some StringProtocol) throws(ArchiveError) {
        let document: PEMDocument
        do {
            document = try PEMDocument(pemString: Self.document(text))
        } catch {
            throw ArchiveError(.invalidArgument, "not a public key in PEM form")
        }
        guard document.discriminator == Self.type else {
            throw ArchiveError(
                .invalidArgument,
                "the PEM document has type \(document.discriminator.prefix(40)), expected \(Self.type)")
        }
        guard let bytes = KeyEncoding.publicKey(document.derBytes), let key = ArchivePublicKey(bytes: bytes) else {
            throw ArchiveError(.invalidArgument, "not an Ed25519 key", recovery: .makeKey)
        }
        self = key
    }

    private static let type = "PUBLIC KEY"

    /// Converts a line of Base64 to a PEM document.
    private static func document(_ text: some StringProtocol) -> String {
        if text.contains("-----BEGIN") { return String(text) }
        let line = String(text.filter { !$0.isWhitespace })
        return "-----BEGIN \(type)-----\n\(line)\n-----END \(type)-----"
    }

    /// The PEM document of the key, which ends with a line feed.
    public var pem: String {
        PEMDocument.text(type: Self.type, KeyEncoding.encode(publicKey: bytes))
    }

    /// The Base64 of that document, in one line of 60 characters.
    public var description: String {
        pem.split(separator: "\n").dropFirst().dropLast().joined()
    }

    /// Returns whether a signature of a message was made with the key's secret half. It costs about 0.2 ms.
    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else { return false }
        return key.isValidSignature(signature, for: message)
    }
}
