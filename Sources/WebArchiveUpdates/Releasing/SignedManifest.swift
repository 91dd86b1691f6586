// SPDX-License-Identifier: Apache-2.0

import WebArchive

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A list of updates with its signatures: `updates.json`, an envelope of DSSE (Dead Simple Signing Envelope, version 1).
struct SignedManifest: Codable {
    /// A signature of the payload.
    struct Signature: Codable {
        /// The public key, its 32 bytes in Base64.
        var keyid: String
        /// The signature of Ed25519 in Base64.
        var sig: String
    }

    var payload: String
    var payloadType: String
    var signatures: [Signature]
    /// Endorsements of keys, as PEM documents; no member of DSSE, which has readers skip others.
    var endorsements: [String]?

    private static let type = "application/vnd.webarc.updates+json"

    /// Signs a list.
    init(
        _ manifest: UpdateManifest, keys: [ArchiveSigningKey], endorsements: [ArchiveEndorsement]
    ) throws(ArchiveError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(manifest) else {
            throw ArchiveError(.invalidArgument, "a list that is no JSON")
        }
        payload = json.base64EncodedString()
        payloadType = Self.type
        signatures = []
        for key in keys {
            let signature = try key.signature(of: Self.message(Array(json)))
            signatures.append(
                Signature(
                    keyid: Data(key.publicKey.bytes).base64EncodedString(), sig: Data(signature).base64EncodedString()))
        }
        self.endorsements = endorsements.isEmpty ? nil : endorsements.map(\.pem)
    }

    /// The bytes of the file.
    func encoded() throws(ArchiveError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else {
            throw ArchiveError(.invalidArgument, "a list that is no JSON")
        }
        return Array(json) + [UInt8(ascii: "\n")]
    }

    /// Reads the file, and the list if enough of the keys signed it.
    ///
    /// - Parameter name: of the file, for errors.
    /// - Throws: `damaged` for what is no list of updates, `untrusted`, `unsupportedVersion`.
    static func manifest(
        in bytes: [UInt8], trust: ArchiveTrust, name: String
    ) throws(ArchiveError) -> UpdateManifest {
        guard let envelope = try? JSONDecoder().decode(SignedManifest.self, from: Data(bytes)),
            envelope.payloadType == type,
            let payload = Data(base64Encoded: envelope.payload)
        else {
            throw ArchiveError(
                .damaged, "this is no list of updates; is the address that of a folder of webarc release?", path: name)
        }
        var endorsements: [ArchiveEndorsement] = []
        for text in envelope.endorsements?.prefix(16) ?? [] {
            if let endorsement = try? ArchiveEndorsement(pem: text) { endorsements.append(endorsement) }
        }
        var signatures: [(key: ArchivePublicKey, signature: [UInt8])] = []
        for signature in envelope.signatures.prefix(16) {
            guard let key = Data(base64Encoded: signature.keyid), let bytes = Data(base64Encoded: signature.sig),
                let key = ArchivePublicKey(bytes: Array(key))
            else { continue }
            signatures.append((key, Array(bytes)))
        }
        guard try trust.isSigned(message(Array(payload)), signatures, endorsements: endorsements) else {
            throw ArchiveError(.untrusted, "the keys did not sign the list of updates", path: name)
        }
        guard let manifest = try? JSONDecoder().decode(UpdateManifest.self, from: payload) else {
            throw ArchiveError(.damaged, "the list of updates has no content that this version reads", path: name)
        }
        do throws(ArchiveError) { try manifest.check() } catch { throw error.at(path: name) }
        return manifest
    }

    /// The bytes that are signed: DSSE's pre-authentication encoding.
    private static func message(_ payload: [UInt8]) -> [UInt8] {
        Array("DSSEv1 \(type.utf8.count) \(type) \(payload.count) ".utf8) + payload
    }
}
