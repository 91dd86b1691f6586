// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import NIOCore
import NIOSSL
import SwiftASN1
import Synchronization
import WebArchive
import X509

/// The certificates with which a proxy ends TLS, one for each host, issued at the first request for it.
final class TunnelCertificates: Sendable {
    private let authority: DeviceAuthority
    /// The hosts that the authority certifies; nil for all.
    private let hosts: Set<String>?
    /// The key for other hosts, where no client trusts it: a browser with the authority's pin shows the page that explains it.
    private let stranger = Certificate.PrivateKey(P256.Signing.PrivateKey())
    /// The key of all certificates, for the lifetime of the server.
    private let key: Certificate.PrivateKey
    private let nioKey: NIOSSLPrivateKey
    private let chainEnd: NIOSSLCertificate
    private let contexts = Mutex(RecentValues<String, (context: NIOSSLContext, renewal: Date)>(capacity: 128))

    /// Browsers refuse certificates for much longer than a year.
    private static let lifetime: TimeInterval = 90 * 86_400

    init(_ authority: DeviceAuthority) throws {
        self.authority = authority
        hosts = authority.speaksForAll ? nil : Set(authority.hosts)
        let signing = P256.Signing.PrivateKey()
        key = Certificate.PrivateKey(signing)
        nioKey = try NIOSSLPrivateKey(bytes: Array(signing.derRepresentation), format: .der)
        chainEnd = try NIOSSLCertificate(bytes: authority.certificate.serializeAsPEM().derBytes, format: .der)
    }

    /// Returns whether a client that trusts the authority trusts the certificate for a host.
    func speaks(for host: String) -> Bool { hosts?.contains(CertificateHost.withoutRoot(host)) ?? true }

    /// Returns the TLS context for a host.
    func context(for host: String, now: Date = Date()) throws -> NIOSSLContext {
        if let known = contexts.withLock({ $0[host] }), now < known.renewal { return known.context }
        let certificate = try issue(host, now: now)
        let leaf = try NIOSSLCertificate(bytes: certificate.serializeAsPEM().derBytes, format: .der)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(leaf), .certificate(chainEnd)], privateKey: .privateKey(nioKey))
        configuration.applicationProtocols = ["h2", "http/1.1"]
        configuration.minimumTLSVersion = .tlsv12
        // For a client that does not respond to the end of TLS with its own.
        configuration.shutdownTimeout = .seconds(1)
        let context = try NIOSSLContext(configuration: configuration)
        contexts.withLock { $0[host] = (context, now + Self.lifetime / 2) }
        return context
    }

    /// Issues a certificate for one host, valid for 90 days, and not longer than the authority's. One for a host that the authority
    /// does not certify is signed by an untrusted key.
    func issue(_ host: String, now: Date) throws -> Certificate {
        let isOurs = speaks(for: host)
        let name: GeneralName =
            IPAddressBytes(host).map { .ipAddress($0.octets) } ?? .dnsName(CertificateHost.withoutRoot(host))
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: now - 86_400, notValidAfter: min(now + Self.lifetime, authority.notValidAfter),
            issuer: isOurs
                ? authority.certificate.subject
                : DistinguishedName { CommonName("webarc, for hosts that no archive has") },
            // A common name holds 64 characters at most, and clients ignore it.
            subject: DistinguishedName { CommonName("webarc") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([name])
                if isOurs {
                    AuthorityKeyIdentifier(
                        keyIdentifier: try authority.certificate.extensions.subjectKeyIdentifier?.keyIdentifier)
                }
            },
            issuerPrivateKey: isOurs ? authority.key : stranger)
    }
}
