// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import WebArchive
import WebArchiveServer

/// A connection of a client with HTTP/1: takes one request after another, and sends what their exchanges give.
///
/// Heads are written as the server sent them, byte for byte in names and values; only the fields of the connection are the proxy's own.
final class ClientConnection: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let forwarder: Forwarder
    private let pace: ConnectionPace
    /// The tunnel in which the connection is; nil outside of one.
    private let tunnel: ClientPipeline.Tunnel?
    /// The decoder of the requests, which a tunnel does not need.
    private let decoder: any ChannelHandler & RemovableChannelHandler
    /// The target of a `CONNECT` whose end has not come.
    private var connectTarget: String?
    private var context: ChannelHandlerContext?
    /// The exchange of the present request; nil before the head, and after the end of the response.
    private var exchange: Exchange?
    /// Whether content of the present request is still to come.
    private var isRequestOpen = false
    /// Whether the present request waits for its response.
    private var isResponding = false
    /// Whether the next request waits for room in the store.
    private var isWaiting = false
    private var response: ResponseWriter?
    /// Parts of later requests, of which little is read ahead.
    private var held = CircularBuffer<HTTPServerRequestPart>()
    private var isReadHeld = false
    private var isLast = false
    /// Whether the client has ended its side; some clients wait for a response all the same.
    private var isInputClosed = false

    init(
        _ forwarder: Forwarder, _ pace: ConnectionPace, decoder: any ChannelHandler & RemovableChannelHandler,
        tunnel: ClientPipeline.Tunnel?
    ) {
        (self.forwarder, self.pace, self.decoder, self.tunnel) = (forwarder, pace, decoder, tunnel)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: - Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if held.isEmpty, isTaken(part) { return take(part) }
        held.append(part)
    }

    /// Returns whether a part can be taken now: a head waits for the end of the exchange before it.
    private func isTaken(_ part: HTTPServerRequestPart) -> Bool {
        if case .head = part { return !isResponding && !isRequestOpen && !isWaiting }
        return true
    }

    private func take(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head): begin(head)
        case .body(let content): exchange?.send(content)
        case .end(let trailers):
            isRequestOpen = false
            if let connectTarget { return openTunnel(connectTarget) }
            exchange?.endRequest(HeaderFields(trailers ?? [:]))
            if !isResponding { finishRequest() }
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        (isRequestOpen, isResponding) = (true, true)
        if !head.isKeepAlive { isLast = true }
        response = ResponseWriter(
            isHEAD: head.method == .HEAD, isHTTP10: head.version.major < 1 || head.version == .http1_0)
        if head.method == .CONNECT, tunnel == nil {
            connectTarget = head.uri
            return
        }
        guard let target = ProxyTarget(head.uri, host: head.headers["Host"], tunnel: tunnel) else {
            return refuse(400, "The request needs an absolute http or https URL: this is a proxy.")
        }
        guard OutgoingRequest.hasKnownCoding(head) else {
            return refuse(501, "The request has a transfer coding other than chunked.")
        }
        pace.suspend(true)
        let request = OutgoingRequest(
            head, target, version: "HTTP/\(head.version.major).\(head.version.minor)",
            isHeld: forwarder.held.hold)
        let exchange = Exchange(request, forwarder, client: self)
        self.exchange = exchange
        exchange.start()
    }

    /// Opens a tunnel that ends here (RFC 9110 section 9.3.6).
    private func openTunnel(_ authority: String) {
        guard let context, let parts = ProxyTarget.parts("https://\(authority)"), authority.last != "]",
            authority.contains(":"), parts.path == "/"
        else { return refuse(400, "CONNECT needs a host and a port.") }
        let channel = context.channel
        context.writeAndFlush(
            wrapOutboundOut(ByteBuffer(staticString: "HTTP/1.1 200 OK\r\n\r\n")), promise: nil)
        let operations = context.pipeline.syncOperations
        let removals = [operations.removeHandler(pace.handler), operations.removeHandler(context: context)]
        let start = TunnelStart(ClientPipeline(forwarder), parts.server, authority: authority)
        let bound = NIOLoopBound((decoder, start), eventLoop: context.eventLoop)
        EventLoopFuture.andAllSucceed(removals, on: context.eventLoop).flatMapThrowing {
            try channel.pipeline.syncOperations.addHandler(bound.value.1)
            // The decoder is removed last, and passes on its unread bytes.
            channel.pipeline.syncOperations.removeHandler(bound.value.0, promise: nil)
            channel.read()
        }.whenFailure { _ in channel.close(promise: nil) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        exchange?.flush()
        context.fireChannelReadComplete()
    }

    /// Continues with the next request once the response has been sent and the request has come to its end.
    private func finishRequest() {
        pace.suspend(false)
        guard !isLast else {
            context?.close(promise: nil)
            return
        }
        isWaiting = true
        let bound = NIOLoopBound(self, eventLoop: forwarder.eventLoop)
        forwarder.store.whenRoom { [eventLoop = forwarder.eventLoop] in
            if eventLoop.inEventLoop { bound.value.continueReading() } else { bound.execute { $0.continueReading() } }
        }
    }

    private func continueReading() {
        isWaiting = false
        while let next = held.first, isTaken(next) { take(held.removeFirst()) }
        readMore()
    }

    // MARK: - Reading

    /// Whether bytes of the client are wanted.
    private var wantsMore: Bool {
        if isRequestOpen { return exchange?.takesContent ?? true }
        return !isResponding && !isWaiting
    }

    func read(context: ChannelHandlerContext) {
        if wantsMore { context.read() } else { isReadHeld = true }
    }

    private func readMore() {
        guard isReadHeld, wantsMore, let context else { return }
        isReadHeld = false
        context.read()
    }

    // MARK: - The end

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { isInputClosed = true }
        if isInputClosed || event is ConnectionShouldEnd {
            isLast = true
            if !isResponding || isInputClosed && isRequestOpen || exchange?.isEndless == true {
                context.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        exchange?.detach()
        exchange = nil
        held = []
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { exchange?.clientBecameWritable() }
        context.fireChannelWritabilityChanged()
    }

    /// Refuses a malformed request (RFC 9112 section 2.2), and ends the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, !isResponding else { return context.close(promise: nil) }
        response = ResponseWriter(isHEAD: false, isHTTP10: false)
        isResponding = true
        refuse(400, "The request is malformed.")
    }

    private func refuse(_ status: Int, _ text: String) {
        isLast = true
        sendOwn(status, text)
    }

    private func sendOwn(_ status: Int, _ text: String) {
        guard let context, let response else { return }
        context.write(wrapOutboundOut(response.ownResponse(status, text, isLast: isLast)), promise: nil)
        context.flush()
        endResponse()
    }

    private func endResponse() {
        (exchange, response, isResponding) = (nil, nil, false)
        // A client that still sends content gets no further response.
        if isRequestOpen { isLast = true } else { finishRequest() }
        readMore()
    }
}

extension ClientConnection {
    /// Leaves the connection to another protocol.
    private func switchProtocols(_ context: ChannelHandlerContext) {
        guard let exchange else { return }
        let channel = context.channel
        let operations = context.pipeline.syncOperations
        let switched = SwitchedConnection(exchange)
        exchange.replaceClient(switched)
        self.exchange = nil
        let removals = [operations.removeHandler(pace.handler), operations.removeHandler(context: context)]
        let bound = NIOLoopBound(decoder, eventLoop: context.eventLoop)
        do { try operations.addHandler(switched) } catch { return context.close(promise: nil) }
        EventLoopFuture.andAllSucceed(removals, on: context.eventLoop).whenComplete { _ in
            // It passes on the bytes that the client sent after its request.
            channel.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
            channel.read()
        }
    }
}

extension ClientConnection: ExchangeClient {
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func takesContent() { readMore() }

    func send(_ head: ReceivedHead) {
        guard let context, response != nil else { return }
        let bytes = response?.head(head, isLast: &isLast, context.channel.allocator)
        if let bytes { context.write(wrapOutboundOut(bytes), promise: nil) }
        if head.isInformational { context.flush() }
        if head.status == 101 { switchProtocols(context) }
        if isInputClosed, exchange?.isEndless == true { context.close(promise: nil) }
    }

    func send(_ content: ByteBuffer) {
        guard let context, let pieces = response?.content(content, context.channel.allocator) else { return }
        for piece in pieces { context.write(wrapOutboundOut(piece), promise: nil) }
    }

    func flush() { context?.flush() }

    func end(_ trailers: HeaderFields) {
        guard let context else { return }
        if let bytes = response?.end(trailers, context.channel.allocator) {
            context.write(wrapOutboundOut(bytes), promise: nil)
        }
        context.flush()
        endResponse()
    }

    func fail(_ failure: UpstreamFailure) {
        // Half a response must not look like a whole one.
        guard response?.hasHead == false else {
            (exchange, response) = (nil, nil)
            context?.close(promise: nil)
            return
        }
        sendOwn(failure.status, failure.message)
    }
}
