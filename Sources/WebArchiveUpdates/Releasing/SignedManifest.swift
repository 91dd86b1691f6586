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

    /// The list of ``UpdateManifest``, as JSON in Base64.
    var payload: String
    /// The type of the payload, which the signatures cover as well.
    var payloadType: String
    /// The signatures, of which readers take the first 16.
    var signatures: [Signature]
    /// The endorsements of keys, as PEM documents; not a member of DSSE, whose readers ignore others.
    var endorsements: [String]?
    /// The revocations of keys, as PEM documents.
    var revocations: [String]?

    /// The only type that is read (updates specification section 1).
    private static let type = "application/vnd.webarc.updates+json"

    /// Signs a list with each of the keys, and adds the endorsements and revocations, which prove themselves.
    ///
    /// - Throws: `invalidArgument`, and errors of signing.
    init(
        _ manifest: UpdateManifest, keys: [ArchiveSigningKey], endorsements: [ArchiveEndorsement],
        revocations: [ArchiveRevocation]
    ) throws(ArchiveError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(manifest) else {
            throw ArchiveError(.invalidArgument, "the list of updates is not JSON")
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
        self.revocations = revocations.isEmpty ? nil : revocations.map(\.pem)
    }

    /// Returns the encoded file.
    func encoded() throws(ArchiveError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else {
            throw ArchiveError(.invalidArgument, "the list of updates is not JSON")
        }
        return Array(json) + [UInt8(ascii: "\n")]
    }

    /// Reads the file, without verification.
    ///
    /// - Parameter name: the name of the file, for errors.
    /// - Throws: `damaged` for a file that is not a list of updates.
    init(decoding bytes: [UInt8], name: String) throws(ArchiveError) {
        // No other text reaches the decoder, which compares names in quadratic time.
        guard Self.isASCII(bytes), let envelope = try? JSONDecoder().decode(SignedManifest.self, from: Data(bytes)),
            envelope.payloadType == Self.type
        else {
            throw ArchiveError(
                .damaged, "not a list of updates", path: name, recovery: .nameReleaseFolder)
        }
        self = envelope
    }

    /// Returns whether JSON is printable ASCII, and stays ASCII when its escapes are decoded.
    ///
    /// Zeros are refused as well, so that the decoder does not take the bytes for UTF-16 or UTF-32.
    private static func isASCII(_ json: [UInt8]) -> Bool {
        guard json.allSatisfy({ 0x20...0x7E ~= $0 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else { return false }
        var rest = json[...]
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            rest = rest[(backslash + 1)...]
            guard rest.popFirst() == UInt8(ascii: "u") else { continue }
            guard rest.starts(with: "00".utf8), rest.dropFirst(2).first.map({ 0x30...0x37 ~= $0 }) == true else {
                return false
            }
        }
        return true
    }

    /// The revocations with valid signatures.
    var rightRevocations: [ArchiveRevocation] {
        (revocations ?? []).prefix(Self.maximumCount).compactMap { try? ArchiveRevocation(pem: $0) }
    }

    /// The endorsements whose signatures are right.
    var rightEndorsements: [ArchiveEndorsement] {
        (endorsements ?? []).prefix(Self.maximumCount).compactMap { try? ArchiveEndorsement(pem: $0) }
    }

    /// Returns the keys that the file revokes, of those that are trusted or speak for trusted ones.
    func revokedKeys(_ trust: ArchiveTrust) throws(ArchiveError) -> Set<ArchivePublicKey> {
        let revocations = rightRevocations
        return revocations.isEmpty ? [] : try trust.revokedKeys(revocations, endorsements: rightEndorsements)
    }

    /// Returns the list if enough of the keys signed it.
    ///
    /// - Parameter name: the name of the file, for errors.
    /// - Throws: `untrusted`; `damaged` for a list that breaks its rules, `unsupportedVersion`.
    func manifest(trust: ArchiveTrust, name: String) throws(ArchiveError) -> UpdateManifest {
        guard let payload = Data(base64Encoded: payload) else {
            throw ArchiveError(.damaged, "the payload is not Base64", path: name)
        }
        var signatures: [(key: ArchivePublicKey, signature: [UInt8])] = []
        for signature in self.signatures.prefix(Self.maximumCount) {
            guard let key = Data(base64Encoded: signature.keyid), let bytes = Data(base64Encoded: signature.sig),
                let key = ArchivePublicKey(bytes: Array(key))
            else { continue }
            signatures.append((key, Array(bytes)))
        }
        guard try trust.isSigned(Self.message(Array(payload)), signatures, endorsements: rightEndorsements) else {
            throw ArchiveError(.untrusted, unsigned(trust), path: name, recovery: .trustNewKey)
        }
        guard let manifest = try? JSONDecoder().decode(UpdateManifest.self, from: payload) else {
            throw ArchiveError(.damaged, "the payload is not a list of updates", path: name)
        }
        do throws(ArchiveError) { try manifest.check() } catch { throw error.at(path: name) }
        return manifest
    }

    /// Returns the message for a list that too few keys signed, with the trusted keys that were revoked.
    private func unsigned(_ trust: ArchiveTrust) -> String {
        let revoked = trust.keys.intersection(trust.revokedKeys).map(\.description).sorted()
        guard !revoked.isEmpty else {
            return "the list of updates is not signed by the trusted keys"
        }
        let keys = (revoked.count == 1 ? "key " : "keys ") + revoked.joined(separator: ", ")
        return
            "the publisher revoked \(keys), and too few of your other keys signed the list"
    }

    /// The maximum number of signatures, endorsements and revocations.
    static let maximumCount = 16

    /// Returns the signed bytes: DSSE's pre-authentication encoding.
    private static func message(_ payload: [UInt8]) -> [UInt8] {
        Array("DSSEv1 \(type.utf8.count) \(type) \(payload.count) ".utf8) + payload
    }
}
