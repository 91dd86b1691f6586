// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A certificate that a thief of an authority's key signs by OpenSSL, for any host.
public enum ForgedCertificate {
    /// Writes `HOST.key` and `HOST.pem`.
    ///
    /// - Parameters:
    ///   - authority: the folder of `webarc ca`.
    ///   - folder: the place of the files.
    public static func make(for host: String, by authority: String, in folder: URL) throws {
        let request = try ExternalTool.run(
            [
                "openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                "\(host).key", "-subj", "/CN=thief", "-addext", "subjectAltName=DNS:\(host)", "-addext",
                "extendedKeyUsage=serverAuth", "-out", "\(host).csr",
            ], in: folder)
        guard request.status == 0 else { throw Failure(description: request.errorText) }
        let signing = try ExternalTool.run(
            [
                "openssl", "x509", "-req", "-in", "\(host).csr", "-CA", "\(authority)/webarc-ca.pem", "-CAkey",
                "\(authority)/webarc-ca.key", "-copy_extensions", "copy", "-days", "30", "-out", "\(host).pem",
            ], in: folder)
        guard signing.status == 0 else { throw Failure(description: signing.errorText) }
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }
}
