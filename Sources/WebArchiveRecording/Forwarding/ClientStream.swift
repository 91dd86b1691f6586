// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import WebArchive
import WebArchiveServer

/// A stream of a client with HTTP/2: one request and its response.
final class ClientStream: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let forwarder: Forwarder
    private let pace: ConnectionPace
    private let tunnel: ClientPipeline.Tunnel
    private var context: ChannelHandlerContext?
    private var exchange: Exchange?
    private var isRequestOpen = true
    private var hasHead = false
    private var isReadHeld = false

    init(_ forwarder: Forwarder, _ pace: ConnectionPace, tunnel: ClientPipeline.Tunnel) {
        (self.forwarder, self.pace, self.tunnel) = (forwarder, pace, tunnel)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head)
        case .body(let content): exchange?.send(content)
        case .end(let trailers):
            isRequestOpen = false
            exchange?.endRequest(HeaderFields(trailers ?? [:]))
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        pace.suspend(true)
        guard let target = ProxyTarget(head.uri, host: head.headers["Host"], tunnel: tunnel) else {
            return sendOwn(400, "The request is for another server than the tunnel.")
        }
        let exchange = Exchange(
            OutgoingRequest(head, target, version: "HTTP/2", isHeld: forwarder.held.hold), forwarder, client: self)
        self.exchange = exchange
        let bound = NIOLoopBound(exchange, eventLoop: forwarder.eventLoop)
        forwarder.store.whenRoom { [eventLoop = forwarder.eventLoop] in
            if eventLoop.inEventLoop { bound.value.start() } else { bound.execute { $0.start() } }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        exchange?.flush()
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if exchange?.takesContent ?? true { context.read() } else { isReadHeld = true }
    }

    func channelInactive(context: ChannelHandlerContext) {
        exchange?.detach()
        exchange = nil
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { exchange?.clientBecameWritable() }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func sendOwn(_ status: Int, _ text: String) {
        guard let context else { return }
        exchange = nil
        var head = HTTPResponseHead(version: .http2, status: HTTPResponseStatus(statusCode: status))
        head.headers = ["content-type": "text/plain; charset=utf-8", "cache-control": "no-store"]
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(
            wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "webarc record: \(text)\n")))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

extension ClientStream: ExchangeClient {
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func takesContent() {
        guard isReadHeld, let context else { return }
        isReadHeld = false
        context.read()
    }

    func send(_ head: ReceivedHead) {
        var fields = ForwardedFields.ofResponse(head.fields)
        if !head.isInformational {
            hasHead = true
            if !ResponseWriter.hasLength(head) { fields.removeAll(named: "Content-Length") }
        }
        let sent = HTTPResponseHead(
            version: .http2, status: HTTPResponseStatus(statusCode: head.status),
            headers: HTTPHeaders(fields.map { ($0.name.asciiLowercased, $0.value) }))
        context?.write(wrapOutboundOut(.head(sent)), promise: nil)
        if head.isInformational { context?.flush() }
    }

    func send(_ content: ByteBuffer) { context?.write(wrapOutboundOut(.body(.byteBuffer(content))), promise: nil) }

    func flush() { context?.flush() }

    func end(_ trailers: HeaderFields) {
        exchange = nil
        var fields = ForwardedFields.ofResponse(trailers)
        fields.removeAll(named: "Content-Length")
        let sent = trailers.isEmpty ? nil : HTTPHeaders(fields.map { ($0.name.asciiLowercased, $0.value) })
        context?.writeAndFlush(wrapOutboundOut(.end(sent)), promise: nil)
        pace.suspend(false)
    }

    func fail(_ failure: UpstreamFailure) {
        exchange = nil
        guard !hasHead else {
            // A reset: half a response must not look like a whole one.
            context?.close(promise: nil)
            return
        }
        sendOwn(failure.status, failure.message)
    }
}
