// SPDX-License-Identifier: Apache-2.0

import Crypto
package import Foundation
import NIOCore
package import NIOSSL
import SwiftASN1
import Synchronization
import WebArchive
import X509

/// The certificates with which a proxy ends TLS, one for each host, issued at the first request for it.
package final class TunnelCertificates: Sendable {
    /// The authority, whose key signs the certificates of its hosts.
    private let authority: DeviceAuthority
    /// The hosts that the authority certifies; nil for all.
    private let hosts: Set<String>?
    /// The key for other hosts, where no client trusts it: a browser with the authority's pin shows the page that explains it.
    private let stranger = Certificate.PrivateKey(P256.Signing.PrivateKey())
    /// The key of all certificates, for the lifetime of the server.
    private let key: Certificate.PrivateKey
    /// The same key for TLS.
    private let nioKey: NIOSSLPrivateKey
    /// The certificate of the authority, which each chain ends with.
    private let chainEnd: NIOSSLCertificate
    /// The recent contexts by host, 128 to 256, and the time from which a new one is issued: half of the lifetime
    /// after the issue.
    private let contexts = Mutex(RecentValues<String, (context: NIOSSLContext, renewal: Date)>(capacity: 128))

    /// Browsers refuse certificates for much longer than a year.
    private static let lifetime: TimeInterval = 90 * 86_400

    /// Creates the key of the server certificates, which is only in memory.
    ///
    /// - Throws: errors of the libraries of certificates and TLS.
    package init(_ authority: DeviceAuthority) throws {
        self.authority = authority
        hosts = authority.speaksForAll ? nil : Set(authority.hosts)
        let signing = P256.Signing.PrivateKey()
        key = Certificate.PrivateKey(signing)
        nioKey = try NIOSSLPrivateKey(bytes: Array(signing.derRepresentation), format: .der)
        chainEnd = try NIOSSLCertificate(bytes: authority.certificate.serializeAsPEM().derBytes, format: .der)
    }

    /// Returns whether a client that trusts the authority trusts the certificate for a host.
    ///
    /// - Parameter host: the host in the form of a canonical URL, with or without the dot of the root.
    func speaks(for host: String) -> Bool { hosts?.contains(CertificateHost.withoutRoot(host)) ?? true }

    /// Returns the TLS context for a host.
    ///
    /// The first use of a host costs a signature; later ones are found in memory. The context offers HTTP/2 before
    /// HTTP/1.1 (RFC 7301), and requires at least TLS 1.2.
    ///
    /// - Parameters:
    ///   - host: the host of the tunnel, without its port.
    ///   - now: the time of the request, by which a certificate is renewed.
    /// - Throws: errors of the libraries of certificates and TLS.
    package func context(for host: String, now: Date = Date()) throws -> NIOSSLContext {
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
    ///
    /// The validity begins a day before now, for clients whose clocks are slow.
    ///
    /// - Parameters:
    ///   - host: the host, which becomes the only alternative name (RFC 5280 section 4.2.1.6).
    ///   - now: the time of issue.
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
