// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SystemPackage

/// A description of a host that could not be reached, in place of those of the libraries, which have their types and their lines of source.
enum HostFailure {
    /// Describes an error of a request as a phrase.
    static func message(_ error: any Error) -> String {
        if error is HTTPParserError { return text(error) }
        return "\(isOfConnecting(error) ? "cannot connect" : "the host does not respond"): \(text(error))"
    }

    /// Returns whether no connection was made: the name has no usable address, or the host refused or could not be reached.
    private static func isOfConnecting(_ error: any Error) -> Bool {
        guard let error = error as? IOError else { return error is NIOConnectionError }
        return [.connectionRefused, .noRouteToHost, .networkUnreachable].contains(Errno(rawValue: error.errnoCode))
    }

    /// Describes the reason of an error.
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError: text(error)
        case let error as HTTPClientError: text(error)
        case let error as IOError: Errno(rawValue: error.errnoCode).description
        case is HTTPParserError: "the response is malformed"
        case is NIOSSLError, is BoringSSLError: tls("\(error)")
        case let error as NIOSSLExtraError:
            error == .failedToValidateHostname ? "the certificate does not match the host name" : tls("\(error)")
        default: "\(error)"
        }
    }

    /// Describes the last of the attempts to connect to the addresses of a name.
    private static func text(_ error: NIOConnectionError) -> String {
        // The errors of connections come after those of names, of which one version of IP may have none.
        guard let failure = error.connectionErrors.last?.error else { return "no address found for \(error.host)" }
        if case ChannelError.connectTimeout = failure { return text(HTTPClientError.connectTimeout) }
        return text(failure)
    }

    /// Describes the errors of the client that users meet; others by its own text.
    private static func text(_ error: HTTPClientError) -> String {
        switch error {
        case .connectTimeout: "the connection timed out"
        case .readTimeout: "no data arrived in time"
        case .remoteConnectionClosed: "the host closed the connection"
        case .tlsHandshakeTimeout: "the TLS handshake timed out"
        default: error.shortDescription
        }
    }

    /// Returns the reason of BoringSSL, without the path of its source.
    private static func tls(_ text: String) -> String {
        guard let reason = text.firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/)?.output.1 else {
            return "the TLS handshake failed"
        }
        return reason == "CERTIFICATE_VERIFY_FAILED"
            ? "the certificate is not trusted on this machine"
            : "the TLS handshake failed (\(reason.lowercased()))"
    }
}
