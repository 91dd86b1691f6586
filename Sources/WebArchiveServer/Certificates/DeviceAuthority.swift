// SPDX-License-Identifier: Apache-2.0

import Crypto
public import Foundation
import SwiftASN1
public import SystemPackage
public import WebArchive
import X509

/// A certificate authority of one device, only for the hosts of some archives.
///
/// ```swift
/// let hosts = try ReplaySite([ArchiveReader(path: "docs.webarc")]).hosts()
/// let authority = try DeviceAuthority(hosts: hosts, device: "kiosk-7", now: Date())
/// try authority.write(to: "ca")
/// print(try authority.fingerprint)
/// ```
///
/// A client that trusts the authority's certificate accepts server certificates that its key signs for these hosts, and for no others
/// (RFC 5280 sections 4.2.1.10 and 4.2.1.12). The key never leaves the folder in which it was made.
public struct DeviceAuthority: Sendable {
    /// The name of the file with the certificate, in PEM, in the authority's folder.
    public static let certificateName = "webarc-ca.pem"
    /// The name of the file with the private key, in PEM, beside the certificate.
    public static let keyName = "webarc-ca.key"
    /// The name of the lock of both files, in the same folder. It is created by the first writer, and stays.
    private static let lockName = "webarc-ca.lock"

    /// The certificate, self-signed.
    let certificate: Certificate
    /// The private key, on the curve P-256 if it was made by this version.
    let key: Certificate.PrivateKey

    /// The time from the creation to the end of the validity, in seconds: ten years, without leap days.
    private static let lifetime: TimeInterval = 10 * 365 * 86_400

    /// Creates an authority, in memory: a key on the curve P-256, and a certificate for ten years.
    ///
    /// - Parameters:
    ///   - hosts: the names and addresses that it may certify; a name includes all names below it if one of those is among the
    ///     hosts. Nil for every host: for a browser that trusts it for one run only, and while no one else can have the key.
    ///   - device: the name that distinguishes it from those of other devices, in a browser's list: the certificate is named `webarc on` it.
    ///   - now: the time from which on it is valid, one day earlier for clocks that go wrong.
    /// - Throws: `invalidArgument` for a host that ``CertificateHosts`` refuses, `limitExceeded` for more than 1,000 hosts or more than 40,000
    ///   bytes of them; errors of the certificate's library.
    public init(hosts: [String]?, device: String, now: Date) throws {
        let hosts = try hosts.map { try CertificateHosts($0) }
        if let error = hosts?.refused.first { throw error }
        try self.init(
            named: "webarc on \(device)", constraints: hosts.map { Self.constraints($0.accepted) },
            lifetime: Self.lifetime, now: now)
    }

    /// Creates an authority, in memory, for all hosts or with constraints.
    init(named text: String, constraints: NameConstraints?, lifetime: TimeInterval, now: Date) throws {
        let signing = P256.Signing.PrivateKey()
        let key = Certificate.PrivateKey(signing)
        self.key = key
        let name = try DistinguishedName {
            CommonName(text)
            OrganizationName("webarc")
        }
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: now - 86_400, notValidAfter: now + lifetime, issuer: name, subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                // RFC 5280 section 4.2.1.12 in a CA's certificate, as clients read it: for servers only.
                try ExtendedKeyUsage([.serverAuth])
                if let constraints { Critical(constraints) }
                SubjectKeyIdentifier(hash: key.publicKey)
            },
            issuerPrivateKey: key)
    }

    /// Returns the constraints for exactly these hosts.
    ///
    /// A permitted name represents those below it as well, which is why these are excluded: OpenSSL, Chromium, Firefox and Go read
    /// a name with a leading dot as all names below it. A kind of names is constrained only if one of it is permitted, so that the other
    /// kinds must be excluded.
    private static func constraints(_ hosts: [CertificateHost]) -> NameConstraints {
        let addresses = hosts.compactMap(\.address)
        let names = hosts.filter { $0.address == nil }
        let aboveOthers = CertificateHosts.hostsAboveOthers(names)
        let leaves = names.filter { !aboveOthers.contains($0) }
        let everyAddress = [8, 32].map { length in
            GeneralName.ipAddress(ASN1OctetString(contentBytes: Array(repeating: 0, count: length)[...]))
        }
        return NameConstraints(
            permittedSubtrees: names.map { .dnsName($0.text) } + addresses.map { .ipAddress($0.exactRange) },
            excludedSubtrees: (names.isEmpty ? [.dnsName("")] : leaves.map { .dnsName("." + $0.text) })
                + (addresses.isEmpty ? everyAddress : []))
    }

    /// Reads the authority from the files of ``write(to:replacing:)``.
    ///
    /// One that may certify all hosts, or has constraints other than those of this version, is refused.
    ///
    /// - Parameter folder: the folder with ``certificateName`` and ``keyName``.
    /// - Throws: `notFound` if there is none, `io`, `invalidArgument` if the files are malformed, if one of them is missing, if
    ///   they or the folder belong to another user, or if others may read the key.
    public init(reading folder: FilePath) throws(ArchiveError) {
        try self.init(reading: folder) { $0.isConstrained }
    }

    /// Reads an authority that fulfils a condition. As ``init(reading:)``.
    init(reading folder: FilePath, _ isPermitted: (DeviceAuthority) -> Bool) throws(ArchiveError) {
        let keyPath = folder.appending(Self.keyName)
        let certificatePath = folder.appending(Self.certificateName)
        try PrivateFile.checkFolder(folder)
        let texts = try FolderLock.reading(folder.appending(Self.lockName)) { () throws(ArchiveError) in
            (
                try Self.text(of: certificatePath, beside: keyPath, isSecret: false),
                try Self.text(of: keyPath, beside: certificatePath, isSecret: true)
            )
        }
        do {
            certificate = try Certificate(pemEncoded: texts.0)
            key = try Certificate.PrivateKey(pemEncoded: texts.1)
        } catch {
            throw ArchiveError(
                .invalidArgument, "not a certificate authority", path: folder.string, recovery: .makeAuthority)
        }
        guard key.publicKey == certificate.publicKey else {
            throw ArchiveError(
                .invalidArgument,
                "the key does not match the certificate", path: keyPath.string, recovery: .makeAuthority)
        }
        guard isPermitted(self) else {
            throw ArchiveError(
                .invalidArgument,
                "the authority can certify more than individual hosts", path: certificatePath.string,
                recovery: .makeAuthority)
        }
    }

    /// Returns the text of one of the two files. One without the other is not an authority.
    ///
    /// - Parameters:
    ///   - path: the file to read.
    ///   - other: the other one of the two.
    ///   - isSecret: whether others must not be able to read the file, as the key.
    /// - Throws: `notFound` if both are missing, `invalidArgument` if only this one is, and errors of reading.
    private static func text(of path: FilePath, beside other: FilePath, isSecret: Bool) throws(ArchiveError) -> String {
        do throws(ArchiveError) {
            return try PrivateFile.ownText(of: path, isSecret: isSecret)
        } catch {
            guard error.code == .notFound, FileStatus(of: other) != nil else { throw error }
            let (lost, left) = isSecret ? ("key", "certificate") : ("certificate", "key")
            throw ArchiveError(
                .invalidArgument, "the authority's \(lost) is missing, but its \(left) exists", path: path.string,
                recovery: .makeAuthority)
        }
    }

    /// Throws `alreadyExists` if there is a key, with or without its certificate.
    ///
    /// A link of that name counts as a key, wherever it leads.
    private static func checkIsFree(_ folder: FilePath) throws(ArchiveError) {
        guard FileStatus(of: folder.appending(keyName), followsLinks: false) != nil else { return }
        let isWhole = FileStatus(of: folder.appending(certificateName), followsLinks: false) != nil
        throw ArchiveError(
            .alreadyExists,
            isWhole
                ? "a certificate authority already exists"
                : "the key of an authority already exists, but its certificate \(certificateName) is missing",
            path: folder.string, recovery: .replaceAuthority)
    }

    /// Whether the certificate has the constraints of this version for its hosts.
    ///
    /// The extension must be critical (RFC 5280 section 4.2.1.10), so that a client that does not know it refuses the
    /// certificate.
    private var isConstrained: Bool {
        guard let found = try? certificate.extensions.nameConstraints,
            certificate.extensions[oid: .X509ExtensionID.nameConstraints]?.critical == true
        else { return false }
        guard let hosts = try? CertificateHosts(hosts) else { return false }
        return hosts.refused.isEmpty && found == Self.constraints(hosts.accepted)
    }

    /// Writes certificate and key to a folder, which is created if it is missing; only its owner can read the key.
    ///
    /// A lock file keeps readers away while both are replaced.
    ///
    /// - Parameters:
    ///   - folder: a folder that belongs to this user, and that no others may write to.
    ///   - replacing: whether an authority that exists is replaced; clients that trust the old one do not trust the new one. False by
    ///     default.
    /// - Throws: `io`; `alreadyExists` unless `replacing`; `invalidArgument` for a folder of another user.
    public func write(to folder: FilePath, replacing: Bool = false) throws(ArchiveError) {
        let texts: (certificate: String, key: String)
        do {
            texts = (try certificate.serializeAsPEM().pemString, try key.serializeAsPEM().pemString)
        } catch {
            throw ArchiveError(.invalidArgument, "cannot write the authority", path: folder.string, cause: error)
        }
        try PrivateFile.makeFolder(folder)
        try PrivateFile.checkFolder(folder)
        // Two who replace it at once must not leave the key of one and the certificate of the other.
        try FolderLock.writing(folder.appending(Self.lockName)) { () throws(ArchiveError) in
            if !replacing { try Self.checkIsFree(folder) }
            try PrivateFile.write(
                texts.key + "\n", to: folder.appending(Self.keyName), permissions: .ownerReadWrite, replacing: replacing
            )
            try PrivateFile.write(
                texts.certificate + "\n", to: folder.appending(Self.certificateName),
                permissions: [.ownerReadWrite, .groupRead, .otherRead], replacing: true)
        }
    }

    /// The hosts that it may certify, names before addresses; empty if it may certify all.
    ///
    /// An address is in the form of a URL, an IPv6 address in brackets.
    public var hosts: [String] {
        guard let constraints = try? certificate.extensions.nameConstraints else { return [] }
        return constraints.permittedDNSDomains + constraints.permittedIPRanges.compactMap(IPAddressBytes.text(ofRange:))
    }

    /// Whether it is unconstrained.
    ///
    /// Only an authority in memory is: reading one from files refuses it.
    var speaksForAll: Bool { certificate.extensions[oid: .X509ExtensionID.nameConstraints] == nil }

    /// Returns the certificate in PEM.
    ///
    /// The text ends with a line feed.
    ///
    /// - Throws: `invalidArgument` if it cannot be written.
    package func certificateText() throws(ArchiveError) -> String {
        do {
            return try certificate.serializeAsPEM().pemString + "\n"
        } catch {
            throw ArchiveError(.invalidArgument, "cannot encode the authority's certificate", cause: error)
        }
    }

    /// The end of the certificate's validity, after which clients no longer trust it.
    public var notValidAfter: Date { certificate.notValidAfter }

    /// The SHA-256 of the public key (as a SubjectPublicKeyInfo of RFC 5280 section 4.1) as Chromium's
    /// `--ignore-certificate-errors-spki-list` takes it, in Base64.
    ///
    /// - Throws: errors of encoding the key.
    public var publicKeyPin: String {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate.publicKey)
            return Data(SHA256.hash(data: serializer.serializedBytes)).base64EncodedString()
        }
    }

    /// The SHA-256 of the certificate, as browsers show it: 32 pairs of upper-case hexadecimal digits, separated by colons.
    ///
    /// - Throws: errors of encoding the certificate.
    public var fingerprint: String {
        get throws {
            let bytes = try certificate.serializeAsPEM().derBytes
            return SHA256.hash(data: bytes).map { byte in
                String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
            }.joined(separator: ":")
        }
    }
}
