// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHPACK
import NIOHTTP2
import WebArchive

/// A stream of HTTP/2 to an origin server, for one request.
final class HTTP2Upstream: ChannelInboundHandler, UpstreamStream {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private var context: ChannelHandlerContext?
    private var receiver: (any UpstreamReceiver)?
    private var isReading = true
    private var isReadPending = false
    private var isRequestEnded = false
    private var hasBegun = false
    private var hasHead = false
    let wasUsed: Bool
    private(set) var address: String?

    /// - Parameter wasUsed: whether the connection had streams before.
    init(wasUsed: Bool) { self.wasUsed = wasUsed }

    var isWritable: Bool { context?.channel.isWritable == true }

    // MARK: - The request

    func send(_ request: OutgoingRequest, to receiver: any UpstreamReceiver) {
        self.receiver = receiver
        guard let context, context.channel.isActive else {
            self.receiver = nil
            return receiver.failed(.closed)
        }
        var fields = HPACKHeaders([
            (":method", request.method), (":scheme", request.target.server.isSecure ? "https" : "http"),
            (":authority", request.target.authority), (":path", request.target.path),
        ])
        for field in request.fields where !field.isNamed("Host") {
            fields.add(name: field.name.asciiLowercased, value: field.value)
        }
        isRequestEnded = request.framing == .none
        context.write(
            wrapOutboundOut(.headers(.init(headers: fields, endStream: isRequestEnded))), promise: nil)
        readMore(context)
    }

    func send(_ content: ByteBuffer) {
        guard content.readableBytes > 0 else { return }
        context?.write(wrapOutboundOut(.data(.init(data: .byteBuffer(content)))), promise: nil)
    }

    func endRequest(_ trailers: HeaderFields) {
        guard !isRequestEnded else { return }
        isRequestEnded = true
        guard trailers.isEmpty else {
            let fields = HPACKHeaders(trailers.map { ($0.name.asciiLowercased, $0.value) })
            context?.write(wrapOutboundOut(.headers(.init(headers: fields, endStream: true))), promise: nil)
            return
        }
        context?.write(
            wrapOutboundOut(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true))), promise: nil)
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
        address = context.channel.parent?.remoteAddress?.ipAddress
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReadPending = false
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            hasBegun = true
            receive(frame)
        case .data(let frame):
            if case .byteBuffer(let content) = frame.data, content.readableBytes > 0 { receiver?.received(content) }
            if frame.endStream { end([]) }
        case .rstStream: fail(hasBegun ? .truncated : .closed)
        default: break
        }
    }

    private func receive(_ frame: HTTP2Frame.FramePayload.Headers) {
        var fields: [HeaderField] = []
        fields.reserveCapacity(frame.headers.count)
        for (name, value, _) in frame.headers where !name.hasPrefix(":") {
            fields.append(HeaderField(name: name, value: value))
        }
        guard !hasHead else { return end(HeaderFields(fields)) }
        guard let status = frame.headers.first(name: ":status").flatMap(Int.init), (100...999).contains(status),
            status != 101
        else { return fail(.malformed("no status")) }
        let head = ReceivedHead(
            version: "HTTP/2", status: status, reason: [], fields: HeaderFields(fields), bytes: nil)
        hasHead = !head.isInformational
        receiver?.received(head)
        if frame.endStream { end([]) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReadPending = false
        receiver?.readCompleted()
        readMore(context)
    }

    private func readMore(_ context: ChannelHandlerContext) {
        guard !isReadPending, isReading else { return }
        isReadPending = true
        context.read()
    }

    private func end(_ trailers: HeaderFields) {
        let receiver = receiver
        self.receiver = nil
        // The server needs no more of the request.
        if !isRequestEnded { context?.close(promise: nil) }
        receiver?.ended(trailers)
    }

    private func fail(_ failure: UpstreamFailure) {
        let receiver = receiver
        self.receiver = nil
        context?.close(promise: nil)
        receiver?.failed(failure)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(hasBegun ? .truncated : .closed)
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        receiver?.writabilityChanged()
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(hasBegun ? .truncated : .closed)
    }
}
