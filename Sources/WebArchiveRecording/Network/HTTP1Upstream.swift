// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive

/// A connection of HTTP/1.1 to an origin server, for one request after another.
final class HTTP1Upstream: ChannelInboundHandler, UpstreamStream {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The pool to which the connection returns.
    private let pool: UpstreamPool
    let server: OriginServer
    private var context: ChannelHandlerContext?
    private var parser = ResponseParser()
    private var unread: ByteBuffer?
    /// The receiver of the present response; nil between two requests.
    private var receiver: (any UpstreamReceiver)?
    private var isReading = true
    private var isReadPending = false
    private var isProcessing = false
    private var framing = OutgoingRequest.Framing.none
    private var isRequestEnded = true
    /// Whether a byte of the present response has come.
    private var hasBegun = false
    private var isSwitched = false
    private(set) var wasUsed = false
    /// The time at which the connection became idle.
    private(set) var idleSince = NIODeadline.distantFuture
    private(set) var address: String?

    init(_ server: OriginServer, _ pool: UpstreamPool) { (self.server, self.pool) = (server, pool) }

    var isActive: Bool { context?.channel.isActive == true }
    var isWritable: Bool { context?.channel.isWritable == true }

    // MARK: - The request

    func send(_ request: OutgoingRequest, to receiver: any UpstreamReceiver) {
        self.receiver = receiver
        (isReading, hasBegun, isSwitched) = (true, false, false)
        (framing, isRequestEnded) = (request.framing, false)
        parser.begin(isHEAD: request.isHEAD)
        guard let context else { return }
        var bytes = context.channel.allocator.buffer(capacity: 512)
        bytes.writeString(request.method)
        bytes.writeInteger(UInt8(ascii: " "))
        bytes.writeString(request.target.path)
        bytes.writeStaticString(" HTTP/1.1\r\n")
        bytes.write(request.fields)
        if framing == .chunked { bytes.writeStaticString("Transfer-Encoding: chunked\r\n") }
        bytes.writeStaticString("\r\n")
        context.write(wrapOutboundOut(bytes), promise: nil)
    }

    func send(_ content: ByteBuffer) {
        guard let context, content.readableBytes > 0 else { return }
        guard framing == .chunked else { return context.write(wrapOutboundOut(content), promise: nil) }
        context.write(wrapOutboundOut(.chunkStart(content.readableBytes, context.channel.allocator)), promise: nil)
        context.write(wrapOutboundOut(content), promise: nil)
        context.write(wrapOutboundOut(ByteBuffer(staticString: "\r\n")), promise: nil)
    }

    func endRequest(_ trailers: HeaderFields) {
        isRequestEnded = true
        guard let context, framing == .chunked else { return }
        var bytes = context.channel.allocator.buffer(capacity: 64)
        bytes.writeStaticString("0\r\n")
        bytes.write(trailers)
        bytes.writeStaticString("\r\n")
        context.write(wrapOutboundOut(bytes), promise: nil)
    }

    func flush() { context?.flush() }

    func setReading(_ isReading: Bool) {
        self.isReading = isReading
        if isReading, let context { readMore(context) }
    }

    func cancel() {
        receiver = nil
        context?.close(promise: nil)
    }

    // MARK: - The response

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        address = context.remoteAddress?.ipAddress
        readMore(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReadPending = false
        var bytes = unwrapInboundIn(data)
        // Bytes without a request: nothing that follows could be assigned to one.
        guard receiver != nil else { return context.close(promise: nil) }
        hasBegun = true
        unread.setOrWriteBuffer(&bytes)
        process(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReadPending = false
        receiver?.readCompleted()
        readMore(context)
    }

    /// Requests more bytes; between two requests as well, to see the end of the connection.
    private func readMore(_ context: ChannelHandlerContext) {
        guard !isReadPending, isReading || receiver == nil else { return }
        isReadPending = true
        context.read()
    }

    /// Passes on the parts of the response that have arrived.
    private func process(_ context: ChannelHandlerContext) {
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while let receiver, var bytes = unread {
            let before = bytes
            unread = nil
            let event: ResponseParser.Event?
            do throws(ArchiveError) {
                event = try parser.next(&bytes)
            } catch {
                return fail(context, .malformed(error.message))
            }
            if parser.framing == .chunked {
                let count = before.readableBytes - bytes.readableBytes
                if case .head? = event {
                } else if count > 0, let framed = before.getSlice(at: before.readerIndex, length: count) {
                    receiver.receivedFramed(framed)
                }
            }
            if bytes.readableBytes > 0 { unread = bytes }
            switch event {
            case .head(let head):
                isSwitched = head.status == 101
                receiver.received(head)
            case .content(let content): receiver.received(content)
            case .end(let trailers): end(context, trailers)
            case nil: return
            }
            // The parser has an end to emit even without more bytes.
            if unread == nil { unread = ByteBuffer() }
        }
    }

    private func end(_ context: ChannelHandlerContext, _ trailers: HeaderFields) {
        let receiver = receiver
        self.receiver = nil
        let isReusable = parser.isReusable && isRequestEnded && (unread?.readableBytes ?? 0) == 0
        unread = nil
        wasUsed = true
        if isReusable {
            idleSince = context.eventLoop.now
            pool.giveBack(self)
        } else {
            context.close(promise: nil)
        }
        receiver?.ended(trailers)
    }

    private func fail(_ context: ChannelHandlerContext, _ failure: UpstreamFailure) {
        let receiver = receiver
        self.receiver = nil
        unread = nil
        context.close(promise: nil)
        receiver?.failed(failure)
    }

    func channelInactive(context: ChannelHandlerContext) {
        pool.forget(self)
        if receiver != nil {
            process(context)
            if parser.endConnection(), receiver != nil {
                end(context, [])
            } else if receiver != nil {
                // The beginning of a line of the framing was received as well.
                if parser.framing == .chunked, let rest = unread { receiver?.receivedFramed(rest) }
                fail(context, hasBegun ? .truncated : .closed)
            }
        }
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        receiver?.writabilityChanged()
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The end of a connection without the end of TLS, or a reset: the bytes before it count.
        context.close(promise: nil)
    }

    /// Closes a connection that is idle.
    func close() { context?.close(promise: nil) }
}
