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
    private let tunnel: (server: OriginServer, authority: String)?
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

    init(_ forwarder: Forwarder, _ pace: ConnectionPace, tunnel: (server: OriginServer, authority: String)? = nil) {
        (self.forwarder, self.pace, self.tunnel) = (forwarder, pace, tunnel)
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
            exchange?.endRequest(HeaderFields(trailers ?? [:]))
            if !isResponding { finishRequest() }
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        (isRequestOpen, isResponding) = (true, true)
        if !head.isKeepAlive { isLast = true }
        response = ResponseWriter(
            isHEAD: head.method == .HEAD, isHTTP10: head.version.major < 1 || head.version == .http1_0)
        guard let target = ProxyTarget(head.uri, host: head.headers["Host"], tunnel: tunnel) else {
            return refuse(400, "The request needs an absolute http or https URL: this is a proxy.")
        }
        pace.suspend(true)
        let fields = HeaderFields(head.headers)
        let framing: OutgoingRequest.Framing =
            head.headers.contains(name: "Transfer-Encoding")
            ? .chunked : head.headers.contains(name: "Content-Length") ? .length : .none
        let request = OutgoingRequest(
            method: head.method.rawValue, target: target,
            fields: ForwardedFields.ofRequest(fields, authority: target.authority), framing: framing,
            version: "HTTP/\(head.version.major).\(head.version.minor)")
        let exchange = Exchange(request, forwarder, client: self)
        self.exchange = exchange
        exchange.start()
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
        if event as? ChannelEvent == .inputClosed || event is ConnectionShouldEnd {
            isLast = true
            if !isResponding || isRequestOpen && event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
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

extension ClientConnection: ExchangeClient {
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func takesContent() { readMore() }

    func send(_ head: ReceivedHead) {
        guard let context, response != nil else { return }
        let bytes = response?.head(head, isLast: &isLast, context.channel.allocator)
        if let bytes { context.write(wrapOutboundOut(bytes), promise: nil) }
        if head.isInformational { context.flush() }
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

extension HeaderFields {
    /// Takes the fields of SwiftNIO.
    init(_ headers: HTTPHeaders) { self.init(headers.map { HeaderField(name: $0.name, value: $0.value) }) }
}
