// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A handler that holds back bytes for which no handler after it asked, the first of a connection.
///
/// Requests that come after an unsent response wait as objects, many times as long as their bytes, so handlers stop reading there. As soon
/// as a client ends its side or the connection, SwiftNIO reads on regardless to the end: these bytes wait here as they are, until they are
/// asked for. Costs nothing but a comparison where all bytes are wanted.
final class ReadAhead: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Whether bytes may continue: a handler has asked since the last ones came. At the start it has.
    private var isWanted = true
    private var held: ByteBuffer?
    /// Whether the client's side has ended after the held bytes.
    private var holdsEnd = false
    private var isDelivering = false

    /// The most bytes that are held; those after them are dropped, as if the client had ended there.
    static let limit = 64 << 10
    /// The bytes that are handed on at once, as many as one read gives.
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

    /// Hands on what is held, as long as it is asked for.
    private func deliver(_ context: ChannelHandlerContext) {
        isDelivering = true
        while isWanted, let piece = nextPiece() {
            isWanted = false
            context.fireChannelRead(wrapInboundOut(piece))
            context.fireChannelReadComplete()
            // As the channel asks after each of its own reads, so that a handler which wants no more can hold this one back.
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
