// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import NIOTLS
import WebArchiveReplay

/// A builder that sets up the handlers of a connection.
///
/// It is shared by all connections, and must be used on the event loop of the channel that it configures.
struct ReplayPipeline: Sendable {
    /// The service with the options, the budget and the counters.
    let service: ReplayService
    /// The workers that make slow responses.
    let workers: FairScheduler
    /// The certificates that end TLS for the hosts of a proxy; nil without a proxy.
    let tunnels: TunnelCertificates?
    /// The names of the server, by which requests are routed.
    var names = ServerNames()
    /// The limit on the tunnels of each client, for all connections together.
    let tunnelLimit = ClientChannelLimit(Self.maximumTunnelCount)

    /// The maximum number of tunnels of one client. Each takes some 50 KB for TLS alone; browsers open a few dozen.
    private static let maximumTunnelCount = 1024
    /// The maximum total length of the fields of a request, in bytes; nginx accepts 32 KiB.
    private static let maximumFieldsLength = 64 << 10
    /// The maximum length of the fields of a request on a stream, in bytes, with 32 more for each field: the field compression lets a client
    /// repeat the longest field of its table with one byte each.
    private static let maximumStreamFieldsLength = 16 << 10
    /// The maximum number of header fields of a request, of any length.
    static let maximumFieldCount = 200

    /// Configures HTTP/1.1 in the clear or over TLS.
    ///
    /// The order of handlers is that of the bytes: `ReadTurn` first, `ReadAhead` before the decoder, the deadline and the handler of
    /// `CONNECT` after it.
    ///
    /// - Parameters:
    ///   - channel: a channel without handlers of HTTP, on its event loop.
    ///   - connection: the properties of the connection; one with a tunnel gets no handler of `CONNECT`.
    /// - Throws: errors of a channel that is closed meanwhile.
    func configureHTTP1(_ channel: any Channel, _ connection: ReplayConnection) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = Self.requestDecoder(tunnels == nil || connection.tunnel != nil ? .dropBytes : .forwardBytes)
        if connection.tunnel == nil {
            let client = ContentShare.client(connection.address)
            try pipeline.addHandler(ReadTurn(workers.loopTime, address: client, connection.accounted))
        }
        // In a tunnel a second one, since the one below TLS finds no requests.
        try pipeline.addHandler(ReadAhead())
        // No validator of sent fields: all have come through HTTPFields, which permits no end of a line.
        var handlers: [any ChannelHandler & RemovableChannelHandler] = [
            HTTPResponseEncoder(), decoder, HTTPServerPipelineHandler(), ConnectionDeadline(.requests),
        ]
        if let tunnels, connection.tunnel == nil {
            handlers.append(ConnectHandler(pipeline: self, tunnels: tunnels, connection, http: handlers))
        }
        handlers.append(ReplayHandler(service, workers, connection, names, share(connection, channel)))
        for handler in handlers { try pipeline.addHandler(handler) }
    }

    /// Creates a decoder of requests with the limits of the server.
    static func requestDecoder(_ strategy: RemoveAfterUpgradeStrategy) -> ByteToMessageHandler<HTTPRequestDecoder> {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = maximumFieldsLength / 2
        limits.maxHeaderListSize = maximumFieldsLength
        limits.maxHeaderFieldCount = maximumFieldCount
        return ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: strategy, limitConfiguration: limits))
    }

    /// Creates the share of a connection in the budget of the service.
    private func share(_ connection: ReplayConnection, _ channel: any Channel) -> ContentShare {
        ContentShare(service.budget, address: connection.address, on: channel.eventLoop)
    }

    /// Configures the protocol that TLS has negotiated: HTTP/2, or HTTP/1.1.
    ///
    /// A client that negotiates no protocol (RFC 7301) gets HTTP/1.1.
    ///
    /// - Parameters:
    ///   - channel: the channel of a tunnel, whose handlers of HTTP have been removed.
    ///   - context: the context with the certificate for the host.
    ///   - connection: the properties of the connection inside of the tunnel.
    /// - Throws: errors of a channel that is closed meanwhile.
    func configureTLS(
        _ channel: any Channel, _ context: NIOSSLContext, _ connection: ReplayConnection
    ) throws {
        let deadline = ConnectionDeadline(.told)
        let tunnel = TunnelHandler(deadline) {
            service.noteFailedTunnel(connection, isMissing: tunnels?.speaks(for: connection.host) == false)
        }
        let turn = ReadTurn(
            workers.loopTime, address: ContentShare.client(connection.address), connection.accounted)
        turn.isHandshake = true
        let bound = NIOLoopBound(tunnel, eventLoop: channel.eventLoop)
        let boundTurn = NIOLoopBound(turn, eventLoop: channel.eventLoop)
        let negotiation = ApplicationProtocolNegotiationHandler { result, channel in
            channel.eventLoop.makeCompletedFuture {
                boundTurn.value.isHandshake = false
                switch result {
                case .negotiated("h2"):
                    bound.value.begin(.streams(0))
                    try configureHTTP2(channel, connection, bound)
                case .negotiated("http/1.1"), .fallback:
                    bound.value.begin(.requests)
                    try configureHTTP1(channel, connection)
                case .negotiated: throw NIOHTTP2Errors.invalidALPNToken()
                }
            }
        }
        // A client that sends nothing ends as well, before there is anything that could count its requests.
        try channel.pipeline.syncOperations.addHandlers([
            deadline, turn, NIOSSLServerHandler(context: context), tunnel, negotiation,
        ])
    }

    /// Configures HTTP/2, after the handlers of `tunnel`.
    ///
    /// Up to 100 streams are open at once. All streams share one ``ContentShare``.
    ///
    /// - Parameter tunnel: the handler that counts the streams.
    /// - Throws: errors of a channel that is closed meanwhile.
    func configureHTTP2(
        _ channel: any Channel, _ connection: ReplayConnection, _ tunnel: NIOLoopBound<TunnelHandler>
    ) throws {
        var stream = connection
        stream.isStream = true
        try Self.configureHTTP2(channel) {
            [service, workers, stream, names, share = share(connection, channel)] channel in
            tunnel.value.count(channel)
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers(
                    Self.streamHandlers + [
                        ConnectionDeadline(.requests), ReplayHandler(service, workers, stream, names, share),
                    ])
            }
        }
    }

    /// Configures HTTP/2 with the limits of the server.
    ///
    /// - Parameter initialiser: a function that sets up the channel of a stream.
    static func configureHTTP2(
        _ channel: any Channel, _ initialiser: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) throws {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        // WellFormedRequests checks both, in linear time.
        (configuration.headerBlockValidation, configuration.contentLengthValidation) = (.disabled, .disabled)
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 100),
            HTTP2Setting(parameter: .maxHeaderListSize, value: Self.maximumStreamFieldsLength),
        ]
        try channel.pipeline.syncOperations.addHandlers([ConnectionErrorHandler(), FrameAllowance()])
        _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: configuration, streamConfiguration: .init(),
            inboundStreamInitializer: initialiser)
    }

    /// The handlers of a stream up to the codec of HTTP/1, in their order.
    static var streamHandlers: [any ChannelHandler] {
        [PlainFields(), EndOfStream(), WellFormedRequests(), HTTP2FramePayloadToHTTP1ServerCodec()]
    }
}
