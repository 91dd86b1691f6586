// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A handler that passes on one request at a time, and no bytes that no later handler has requested; directly before the decoder.
///
/// Requests after an unsent response wait as objects, many times as long as their bytes, so handlers stop reading there. They can only stop between
/// two pieces, so a piece has no more than one head of a request. As soon as a client ends its side or the connection, SwiftNIO reads on regardless to
/// the end: these bytes wait here unparsed as well. It costs a search for the end of the head if all bytes are requested.
final class ReadAhead: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Whether bytes may continue: a handler has requested some since the last ones came. Initially true.
    private var isWanted = true
    /// The bytes that no handler has requested; nil if there are none.
    private var held: ByteBuffer?
    /// Whether the client's side has ended after the held bytes.
    private var holdsEnd = false
    /// Whether held bytes are being passed on, so that a request within that does not start another loop.
    private var isDelivering = false

    /// The maximum number of bytes that are held; later ones are dropped, as if the client had ended there.
    static let limit = 64 << 10
    /// The number of bytes that are passed on at once, as many as one read returns.
    static let pieceLength = 4096

    /// Passes on bytes up to the end of the first head, and holds the others.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if isWanted, held == nil {
            let length = Self.lengthToEmptyLine(in: bytes)
            // Of a channel that reads more than once before it pauses.
            isWanted = length == nil
            guard let length, length < bytes.readableBytes, let piece = bytes.readSlice(length: length) else {
                return context.fireChannelRead(data)
            }
            context.fireChannelRead(wrapInboundOut(piece))
        }
        let room = Self.limit - (held?.readableBytes ?? 0)
        guard room > 0, var rest = bytes.readSlice(length: min(room, bytes.readableBytes)) else { return }
        held.setOrWriteBuffer(&rest)
    }

    /// Ends a read: the next bytes need a new request.
    func channelReadComplete(context: ChannelHandlerContext) {
        isWanted = false
        context.fireChannelReadComplete()
    }

    /// Notes a request for bytes, and passes on held ones before any are read.
    func read(context: ChannelHandlerContext) {
        isWanted = true
        guard !isDelivering else { return }
        held == nil ? context.read() : deliver(context)
    }

    /// Passes on held bytes, as long as they are requested.
    ///
    /// A loop takes the place of recursion, since a client may send thousands of short requests at once.
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

    /// Takes the next piece of the held bytes: up to the end of a head, or ``pieceLength``; nil if none are held.
    private func nextPiece() -> ByteBuffer? {
        guard var bytes = held else { return nil }
        let piece = bytes.readSlice(
            length: Self.lengthToEmptyLine(in: bytes) ?? min(Self.pieceLength, bytes.readableBytes))
        held = bytes.readableBytes > 0 ? bytes : nil
        return piece
    }

    /// The length of the shortest request, `GET / HTTP/1.0` with two ends of a line, in bytes. No piece that ends with an empty line is shorter, so that
    /// content of many empty lines does not come in as many pieces.
    private static let shortestRequestLength = 16

    /// Returns the number of bytes up to the end of a head, an empty line (RFC 9112 section 2.1; a client may leave out CR, section 2.2); nil without
    /// one in the first ``pieceLength`` bytes.
    private static func lengthToEmptyLine(in bytes: ByteBuffer) -> Int? {
        let (bytes, newLine, carriageReturn) = (bytes.readableBytesUInt8Span, UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        let end = min(bytes.count, pieceLength)
        guard end >= shortestRequestLength else { return nil }
        for place in shortestRequestLength - 1..<end where bytes[place] == newLine {
            let before = bytes[place - 1]
            if before == newLine || before == carriageReturn && bytes[place - 2] == newLine { return place + 1 }
        }
        return nil
    }

    /// Holds back the end of the client's side until the held bytes before it have been passed on.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent, held != nil {
            holdsEnd = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Drops held bytes: their requests cannot get a response.
    func channelInactive(context: ChannelHandlerContext) {
        held = nil
        context.fireChannelInactive()
    }
}
