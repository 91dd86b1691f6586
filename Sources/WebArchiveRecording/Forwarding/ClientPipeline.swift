// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS
import WebArchiveServer

/// A builder that sets up the handlers of a client's connection, on its event loop.
struct ClientPipeline {
    /// The origin server of a tunnel, and its authority as the client gave it.
    typealias Tunnel = (server: OriginServer, authority: String)

    private let forwarder: Forwarder

    init(_ forwarder: Forwarder) { self.forwarder = forwarder }

    /// Configures HTTP/1, in the clear or inside of TLS.
    func configure(_ channel: any Channel, tunnel: Tunnel? = nil) throws {
        let pace = ConnectionPace()
        let decoder = ConnectionParts.requestDecoder(.forwardBytes)
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(ConnectionParts.readAhead())
        try operations.addHandler(decoder)
        try operations.addHandler(pace.handler)
        try operations.addHandler(ClientConnection(forwarder, pace, decoder: decoder, tunnel: tunnel))
    }

    /// Configures the inside of a tunnel, once its first bytes have shown whether it begins with TLS.
    ///
    /// - Parameter server: the host and port of the `CONNECT`.
    func configureTunnel(_ channel: any Channel, isTLS: Bool, _ server: OriginServer, authority: String) throws {
        let server = OriginServer(isSecure: isTLS, host: server.host, port: server.port)
        guard isTLS else { return try configure(channel, tunnel: (server, authority)) }
        let context = try forwarder.certificates.context(
            for: server.host.contains(":") ? "[\(server.host)]" : server.host)
        let pace = TunnelPace { [logger = forwarder.logger] in
            logger.warning(
                "\(server): the client refused the certificate; it does not trust the authority, or accepts only certain certificates of this host"
            )
        }
        let bound = NIOLoopBound((self, pace), eventLoop: channel.eventLoop)
        let negotiation = ApplicationProtocolNegotiationHandler { result, channel in
            channel.eventLoop.makeCompletedFuture {
                let (pipeline, pace) = bound.value
                let isHTTP2 = if case .negotiated("h2") = result { true } else { false }
                pace.begin(isHTTP2: isHTTP2)
                guard isHTTP2 else { return try pipeline.configure(channel, tunnel: (server, authority)) }
                try pace.configureHTTP2(channel) { channel, pace in
                    let stream = ClientStream(bound.value.0.forwarder, pace, tunnel: (server, authority))
                    try channel.pipeline.syncOperations.addHandler(stream)
                }
            }
        }
        try channel.pipeline.syncOperations.addHandlers([
            pace.first, NIOSSLServerHandler(context: context), pace.second, negotiation,
        ])
    }
}
