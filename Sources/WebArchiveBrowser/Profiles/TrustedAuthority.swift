// SPDX-License-Identifier: Apache-2.0

/// The certificate authority that a browser trusts in addition to its own: that of the proxy.
package struct TrustedAuthority: Sendable {
    /// The name of the certificate's file in a profile.
    package static let certificateName = "webarc-ca.pem"

    /// The certificate, in PEM.
    package let certificate: String
    /// The SHA-256 of the public key in the form of Chromium's `--ignore-certificate-errors-spki-list`, in Base64.
    package let publicKeyPin: String

    package init(certificate: String, publicKeyPin: String) {
        self.certificate = certificate
        self.publicKeyPin = publicKeyPin
    }
}
