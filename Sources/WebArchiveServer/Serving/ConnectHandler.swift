// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOSSL
import WebArchive

/// A handler that responds to `CONNECT` by ending TLS here: a tunnel that leads to no network. RFC 9110 section 9.3.6.
final class ConnectHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The pipeline, which configures TLS in the tunnel.
    private let pipeline: ReplayPipeline
    /// The certificates for the hosts of tunnels.
    private let tunnels: TunnelCertificates
    /// The connection outside of the tunnel.
    private let connection: ReplayConnection
    /// The handlers before this one: the encoder first, then the decoder.
    private let http: [any ChannelHandler & RemovableChannelHandler]
    /// The target of the `CONNECT` whose content is being received; nil if there is none.
    private var authority: String?
    /// The client to which the work is charged.
    private let client: String

    /// - Parameters:
    ///   - tunnels: the certificates with which TLS ends.
    ///   - http: the handlers that are removed when a tunnel is opened, the encoder first and the decoder second.
    init(
        pipeline: ReplayPipeline, tunnels: TunnelCertificates, _ connection: ReplayConnection,
        http: [any ChannelHandler & RemovableChannelHandler]
    ) {
        self.pipeline = pipeline
        self.tunnels = tunnels
        self.connection = connection
        client = ContentShare.client(connection.address)
        self.http = http
    }

    /// Handles a `CONNECT` with its content; passes all other requests to the next handlers.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head) where head.method == .CONNECT:
            authority = head.uri
        case .body where authority != nil:
            break
        case .end where authority != nil:
            takeTurn(context, authority ?? "")
        default:
            context.fireChannelRead(data)
        }
    }

    /// Forgets a tunnel that waits for its turn.
    func channelInactive(context: ChannelHandlerContext) {
        pipeline.workers.loopTime.remove(self, of: client)
        context.fireChannelInactive()
    }

    /// Opens the tunnel when it is the address's turn: a certificate for a new host takes a signature.
    private func takeTurn(_ context: ChannelHandlerContext, _ authority: String) {
        let loopTime = pipeline.workers.loopTime
        guard loopTime.delay(client) > .zero else { return open(context, authority) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        loopTime.wait(client, of: self, on: context.eventLoop) {
            let (handler, context) = bound.value
            if context.channel.isActive { handler.open(context, authority) }
        }
    }

    /// Confirms the tunnel, and continues with TLS in the place of HTTP. 503 for too many tunnels of an address, 400 for a target that is not
    /// a host and port, and if no certificate can be made.
    private func open(_ context: ChannelHandlerContext, _ authority: String) {
        let start = pipeline.workers.loopTime.now
        defer {
            let duration = pipeline.workers.loopTime.now - start
            connection.accounted.add(duration)
            pipeline.workers.loopTime.note(client, duration, atLeast: .zero)
        }
        guard pipeline.tunnelLimit.open(context.channel, of: client) else {
            return refuse(context, .serviceUnavailable)
        }
        // "host:443"; the port is always present.
        guard RequestTarget.isHost(authority), let colon = authority.lastIndex(of: ":"),
            let port = UInt16(authority[authority.index(after: colon)...]), port > 0,
            let url = try? CanonicalURL("https://\(authority)/"), let host = url.host,
            let tls = try? tunnels.context(for: String(decoding: host, as: UTF8.self))
        else {
            return refuse(context)
        }
        // Past the encoder, which would add a length: RFC 9110 section 9.3.6 permits none here.
        guard let encoder = try? context.pipeline.syncOperations.context(handler: http[0]) else {
            return refuse(context)
        }
        encoder.writeAndFlush(
            NIOAny(context.channel.allocator.buffer(string: "HTTP/1.1 200 OK\r\n\r\n")), promise: nil)
        let name = String(decoding: host, as: UTF8.self)
        var inner = connection
        inner.scheme = "https"
        inner.host = name
        inner.tunnel = port == 443 ? name : "\(name):\(port)"
        startTLS(context, tls, inner)
    }

    /// Removes all handlers of HTTP, installs TLS, and passes the bytes to it that the client has sent meanwhile.
    private func startTLS(_ context: ChannelHandlerContext, _ tls: NIOSSLContext, _ inner: ReplayConnection) {
        let channel = context.channel
        let operations = context.pipeline.syncOperations
        var removals: [EventLoopFuture<Void>] = []
        if let replay = try? operations.context(handlerType: ReplayHandler.self) {
            removals.append(operations.removeHandler(context: replay))
        }
        for (number, handler) in http.enumerated() where number != 1 {
            removals.append(operations.removeHandler(handler))
        }
        removals.append(operations.removeHandler(context: context))
        let decoder = NIOLoopBound(http[1], eventLoop: context.eventLoop)
        EventLoopFuture.andAllSucceed(removals, on: context.eventLoop).flatMapThrowing { [pipeline] in
            try pipeline.configureTLS(channel, tls, inner)
            // The decoder is removed last, and passes on its unread bytes.
            channel.pipeline.syncOperations.removeHandler(decoder.value, promise: nil)
        }.whenFailure { _ in channel.close(promise: nil) }
    }

    /// Responds without content, and closes the connection once the response has been sent.
    private func refuse(_ context: ChannelHandlerContext, _ status: HTTPResponseStatus = .badRequest) {
        let head = HTTPResponseHead(
            version: .http1_1, status: status, headers: ["Content-Length": "0", "Connection": "close"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
