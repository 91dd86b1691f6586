// SPDX-License-Identifier: Apache-2.0

import NIOCore
import SystemPackage
import WebArchive

extension ReplayServer {
    /// Returns the error of a server that cannot listen, with a suggested recovery if there is one.
    ///
    /// - Parameters:
    ///   - host: the address or the name that the options have.
    ///   - port: the port of the options; 0 for any.
    ///   - error: the error of SwiftNIO.
    /// - Returns: an error with the code `io`.
    static func listeningError(host: String, port: Int, _ error: any Error) -> ArchiveError {
        if error is SocketAddressError.UnknownHost {
            return ArchiveError(.io, "no address found for the host \(host)", recovery: .ownAddress)
        }
        let errno = (error as? IOError).map { Errno(rawValue: $0.errnoCode) }
        let cause: any Error = errno ?? error
        return ArchiveError(
            .io, "cannot listen on \(host), port \(port)", cause: cause, recovery: recovery(errno, port: port))
    }

    /// Returns the error of a server whose certificate authority the TLS library rejects.
    ///
    /// - Returns: an error with the code `invalidArgument`.
    static func authorityError(_ error: any Error) -> ArchiveError {
        ArchiveError(
            .invalidArgument, "cannot use the certificate authority for TLS", cause: error,
            recovery: .makeAuthority)
    }

    /// Returns the advice for an error of the system; nil if there is none.
    ///
    /// Ports below 1,024 are for privileged programs on most systems.
    private static func recovery(_ error: Errno?, port: Int) -> ArchiveError.Recovery? {
        switch error {
        case .addressInUse: .otherPort
        case .addressNotAvailable: .ownAddress
        // IPPORT_RESERVED of netinet/in.h.
        case .permissionDenied: port < 1024 ? .unprivilegedPort : .otherPort
        default: nil
        }
    }
}
