// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A handler that holds back bytes that no later handler has requested, the first of a connection.
///
/// Requests after an unsent response wait as objects, many times as long as their bytes, so handlers stop reading there. As soon
/// as a client ends its side or the connection, SwiftNIO reads on regardless to the end: these bytes wait here unparsed, until they are
/// requested. It costs nothing but a comparison if all bytes are requested.
final class ReadAhead: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Whether bytes may continue: a handler has requested some since the last ones came. Initially true.
    private var isWanted = true
    private var held: ByteBuffer?
    /// Whether the client's side has ended after the held bytes.
    private var holdsEnd = false
    private var isDelivering = false

    /// The maximum number of bytes that are held; later ones are dropped, as if the client had ended there.
    static let limit = 64 << 10
    /// The number of bytes that are passed on at once, as many as one read returns.
    static let pieceLength = 4096

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isWanted || held != nil else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        let room = Self.limit - (held?.readableBytes ?? 0)
        guard room > 0, var piece = bytes.readSlice(length: min(room, bytes.readableBytes)) else { return }
        held.setOrWriteBuffer(&piece)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isWanted = false
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        isWanted = true
        guard !isDelivering else { return }
        held == nil ? context.read() : deliver(context)
    }

    /// Passes on held bytes, as long as they are requested.
    private func deliver(_ context: ChannelHandlerContext) {
        isDelivering = true
        while isWanted, let piece = nextPiece() {
            isWanted = false
            context.fireChannelRead(wrapInboundOut(piece))
            context.fireChannelReadComplete()
            // The channel requests bytes after each of its own reads, so a handler that wants no more can hold this one back.
            context.channel.read()
        }
        isDelivering = false
        guard held == nil else { return }
        if holdsEnd {
            holdsEnd = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        } else if isWanted {
            context.read()
        }
    }

    private func nextPiece() -> ByteBuffer? {
        guard var bytes = held else { return nil }
        let piece = bytes.readSlice(length: min(Self.pieceLength, bytes.readableBytes))
        held = bytes.readableBytes > 0 ? bytes : nil
        return piece
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent, held != nil {
            holdsEnd = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        held = nil
        context.fireChannelInactive()
    }
}
