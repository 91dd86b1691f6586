// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Foundation
import SwiftASN1
public import SystemPackage
public import WebArchive
import X509

/// A certificate authority of one device, for the hosts of some archives only.
///
/// Whoever trusts its certificate trusts its key for those hosts (RFC 5280 section 4.2.1.10, name constraints) and for no others. The
/// key never leaves the folder in which it was made.
public struct DeviceAuthority: Sendable {
    /// The names of the two files in its folder.
    public static let certificateName = "webarc-ca.pem"
    public static let keyName = "webarc-ca.key"

    let certificate: Certificate
    let key: Certificate.PrivateKey

    private static let lifetime: TimeInterval = 10 * 365 * 86_400

    /// Makes an authority, in memory.
    ///
    /// - Parameters:
    ///   - hosts: names and addresses for which it may speak; a name stands for all names below it as well. Nil for every host:
    ///     for a browser that trusts it for one run only, and while nobody else can have the key.
    ///   - device: tells it from those of other devices, in a browser's list.
    public init(hosts: [String]?, device: String, now: Date) throws {
        let signing = P256.Signing.PrivateKey()
        let key = Certificate.PrivateKey(signing)
        self.key = key
        let name = try DistinguishedName {
            CommonName("webarc on \(device)")
            OrganizationName("webarc")
        }
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: now - 86_400, notValidAfter: now + Self.lifetime, issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                if let hosts { Critical(Self.constraints(hosts)) }
                SubjectKeyIdentifier(hash: key.publicKey)
            },
            issuerPrivateKey: key)
    }

    /// What is permitted is constrained only where there is a name of its kind, so that the other kinds have to be excluded.
    private static func constraints(_ hosts: [String]) -> NameConstraints {
        let addresses = hosts.compactMap { IPAddressBytes($0) }
        let names = hosts.filter { IPAddressBytes($0) == nil }
        let everyAddress = [8, 32].map { length in
            GeneralName.ipAddress(ASN1OctetString(contentBytes: Array(repeating: 0, count: length)[...]))
        }
        return NameConstraints(
            permittedSubtrees: names.map { .dnsName($0) } + addresses.map { .ipAddress($0.exactRange) },
            excludedSubtrees: (names.isEmpty ? [.dnsName("")] : []) + (addresses.isEmpty ? everyAddress : []))
    }

    /// Reads the authority that ``write(to:)`` has written.
    ///
    /// - Throws: `notFound` if there is none, `io`, `invalidArgument` if the files are not what they should be, or if others may read
    ///   the key.
    public init(reading folder: FilePath) throws(ArchiveError) {
        let keyPath = folder.appending(Self.keyName)
        let certificatePath = folder.appending(Self.certificateName)
        try PrivateFile.checkPermissions(of: keyPath)
        let texts = (try PrivateFile.text(of: certificatePath), try PrivateFile.text(of: keyPath))
        do {
            certificate = try Certificate(pemEncoded: texts.0)
            key = try Certificate.PrivateKey(pemEncoded: texts.1)
        } catch {
            throw ArchiveError(
                .invalidArgument, "no certificate authority; make a new one with webarc ca create --force",
                path: folder.string, cause: error)
        }
        guard key.publicKey == certificate.publicKey else {
            throw ArchiveError(
                .invalidArgument,
                "the key does not belong to the certificate; make a new one with webarc ca create --force",
                path: keyPath.string)
        }
    }

    /// Writes certificate and key into a folder, which is made if it is not there; the key can be read by its owner alone.
    ///
    /// - Throws: `io`; `alreadyExists` unless `replacing`.
    public func write(to folder: FilePath, replacing: Bool = false) throws(ArchiveError) {
        let texts: (certificate: String, key: String)
        do {
            texts = (try certificate.serializeAsPEM().pemString, try key.serializeAsPEM().pemString)
        } catch {
            throw ArchiveError(.invalidArgument, "the authority cannot be written", path: folder.string, cause: error)
        }
        try PrivateFile.makeFolder(folder)
        try PrivateFile.write(
            texts.key + "\n", to: folder.appending(Self.keyName), permissions: .ownerReadWrite, replacing: replacing)
        try PrivateFile.write(
            texts.certificate + "\n", to: folder.appending(Self.certificateName),
            permissions: [.ownerReadWrite, .groupRead, .otherRead], replacing: true)
    }

    /// For which hosts it may speak.
    public var hosts: [String] {
        guard let constraints = try? certificate.extensions.nameConstraints else { return [] }
        return constraints.permittedDNSDomains + constraints.permittedIPRanges.compactMap(IPAddressBytes.text(ofRange:))
    }

    /// The certificate in PEM.
    ///
    /// - Throws: `invalidArgument` if it cannot be written.
    func certificateText() throws(ArchiveError) -> String {
        do {
            return try certificate.serializeAsPEM().pemString + "\n"
        } catch {
            throw ArchiveError(.invalidArgument, "the authority's certificate cannot be written", cause: error)
        }
    }

    public var notValidAfter: Date { certificate.notValidAfter }

    /// SHA-256 of the public key as Chromium's `--ignore-certificate-errors-spki-list` takes it, in Base64.
    public var publicKeyPin: String {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate.publicKey)
            return Data(SHA256.hash(data: serializer.serializedBytes)).base64EncodedString()
        }
    }

    /// SHA-256 of the certificate, as browsers show it.
    public var fingerprint: String {
        get throws {
            let bytes = try certificate.serializeAsPEM().derBytes
            return SHA256.hash(data: bytes).map { byte in
                String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
            }.joined(separator: ":")
        }
    }
}
