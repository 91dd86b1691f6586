// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A handler that charges the work of reading to the client's address, whose further bytes wait for their turn. It is the first one of a connection,
/// and another one is before TLS: the bytes of a handshake may come from the decoder of the request for the tunnel.
///
/// Content in chunks or frames of a byte each takes a hundred times as long as other content, and a client pays some hundred bytes for a signature of
/// the server's during a handshake. The work of requests is not charged here, since ``ReplayHandler`` does.
final class ReadTurn: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Whether the bytes are those of a handshake, of which all time counts, however short it is: a signature is never negligible.
    ///
    /// The owner sets it while TLS negotiates a protocol.
    var isHandshake = false
    /// The account of the work on event loops.
    private let loopTime: EventLoopQuota
    /// The client to which the work is charged.
    private let address: String
    /// The time that is not charged here.
    private let accounted: AccountedTime
    /// The bytes of the client that later handlers have not got yet, one buffer for each read.
    private var waiting = CircularBuffer<ByteBuffer>()
    /// The length of these, in bytes.
    private var waitingLength = 0
    /// Whether the handler waits for the turn of the address.
    private var isWaiting = false
    /// Whether the client's side has ended after the bytes that wait.
    private var holdsEnd = false

    /// The length from which on no more bytes wait, in bytes.
    private static let limit = 64 << 10

    /// Creates a handler for one connection.
    ///
    /// - Parameter address: the client, as ``ContentShare/client(_:)`` names it.
    init(_ loopTime: EventLoopQuota, address: String, _ accounted: AccountedTime = AccountedTime()) {
        (self.loopTime, self.address, self.accounted) = (loopTime, address, accounted)
    }

    /// Passes bytes on, or keeps them until it is the address's turn.
    ///
    /// SwiftNIO reads nothing meanwhile, except that it reads to the end when the client ends the connection or its side: bytes beyond ``limit``
    /// are dropped, as if the client had ended there.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard waitingLength < Self.limit else { return }
        waiting.append(bytes)
        waitingLength += bytes.readableBytes
        guard !isWaiting else { return }
        loopTime.delay(address) > .zero ? wait(context) : handOn(context)
    }

    private func wait(_ context: ChannelHandlerContext) {
        isWaiting = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        loopTime.wait(address, of: self, on: context.eventLoop) {
            let (handler, context) = bound.value
            handler.isWaiting = false
            handler.handOn(context)
        }
    }

    /// Passes the received bytes on, one read after another, as long as it is the address's turn.
    private func handOn(_ context: ChannelHandlerContext) {
        while let bytes = waiting.popFirst() {
            waitingLength -= bytes.readableBytes
            handOn(context, bytes)
            if !waiting.isEmpty, loopTime.delay(address) > .zero { return wait(context) }
        }
    }

    /// Passes the bytes of a read on, and charges the address for the time of this.
    private func handOn(_ context: ChannelHandlerContext, _ bytes: ByteBuffer) {
        let (start, before, countsAll) = (loopTime.now, accounted.total, isHandshake)
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
        if holdsEnd, waiting.isEmpty {
            holdsEnd = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        // From the end of the pipeline, as the channel does after each of its own reads: later handlers may hold the rest of these bytes, and
        // handling them takes time as well.
        context.channel.read()
        let duration = loopTime.now - start - (accounted.total - before)
        accounted.add(duration)
        if countsAll {
            loopTime.note(address, duration, atLeast: .zero)
        } else {
            loopTime.note(address, duration)
        }
    }

    /// Holds the event back: bytes continue with an event of their own.
    func channelReadComplete(context: ChannelHandlerContext) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isWaiting, case .inputClosed? = event as? ChannelEvent {
            holdsEnd = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Reads nothing meanwhile, so that little waits in memory.
    ///
    /// The read is made up for when the turn has come.
    func read(context: ChannelHandlerContext) {
        if waiting.isEmpty { context.read() }
    }

    /// Leaves the queue, so that a closed connection gets no turn.
    func channelInactive(context: ChannelHandlerContext) {
        loopTime.remove(self, of: address)
        context.fireChannelInactive()
    }
}
