// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL
import NIOTLS
import SystemPackage
import WebArchive

/// The TLS of connections to origin servers, whose certificates are verified against the roots of the system and added ones.
struct UpstreamTLS: Sendable {
    private let context: NIOSSLContext
    /// The context without HTTP/2.
    private let contextOfHTTP1: NIOSSLContext

    /// - Throws: `invalidArgument` for a file that is not certificates in PEM; errors of the library of TLS.
    init(trustRoots: [FilePath]) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        configuration.additionalTrustRoots = try trustRoots.map { path in
            do {
                return .certificates(try NIOSSLCertificate.fromPEMFile(path.string))
            } catch {
                throw ArchiveError(
                    .invalidArgument, "not a file of certificates in PEM", path: path.string, cause: error)
            }
        }
        context = try NIOSSLContext(configuration: configuration)
        configuration.applicationProtocols = ["http/1.1"]
        contextOfHTTP1 = try NIOSSLContext(configuration: configuration)
    }

    /// Begins TLS on a connected channel, which it closes if that fails.
    ///
    /// - Parameters:
    ///   - host: the host whose certificate is required: the name, or the address.
    ///   - requiresHTTP1: whether HTTP/2 is not offered.
    /// - Returns: the negotiated protocol; nil for none.
    func start(on channel: any Channel, host: String, requiresHTTP1: Bool) -> EventLoopFuture<String?> {
        let isAddress = host.contains(":") || (try? SocketAddress(ipAddress: host, port: 0)) != nil
        let negotiated = channel.eventLoop.makePromise(of: String?.self)
        do {
            let operations = channel.pipeline.syncOperations
            let tls = try NIOSSLClientHandler(
                context: requiresHTTP1 ? contextOfHTTP1 : context, serverHostname: isAddress ? nil : host)
            try operations.addHandler(UpstreamHandshake(negotiated))
            // Before the other one, which then sees how it begins.
            try operations.addHandler(tls, position: .first)
        } catch {
            negotiated.fail(error)
            channel.close(promise: nil)
        }
        return negotiated.futureResult
    }
}

/// A handler that reports the end of a handshake, and removes itself then.
private final class UpstreamHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private var promise: EventLoopPromise<String?>?

    init(_ promise: EventLoopPromise<String?>) { self.promise = promise }

    /// Requests bytes, which a channel without automatic reading does not do by itself.
    func handlerAdded(context: ChannelHandlerContext) { context.read() }

    func channelReadComplete(context: ChannelHandlerContext) {
        if promise != nil { context.read() }
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let name)? = event as? TLSUserEvent {
            end(.success(name))
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failure(error))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(ChannelError.eof))
        context.fireChannelInactive()
    }

    private func end(_ result: Result<String?, any Error>) {
        promise?.completeWith(result)
        promise = nil
    }
}
