// SPDX-License-Identifier: Apache-2.0

/// The certificate authority that a browser trusts beside its own: that of the proxy through which it sees everything.
package struct TrustedAuthority: Sendable {
    /// The name of the certificate's file in a profile.
    package static let certificateName = "webarc-ca.pem"

    /// In PEM.
    package let certificate: String
    /// SHA-256 of the public key as Chromium's `--ignore-certificate-errors-spki-list` takes it, in Base64.
    package let publicKeyPin: String

    package init(certificate: String, publicKeyPin: String) {
        self.certificate = certificate
        self.publicKeyPin = publicKeyPin
    }
}
