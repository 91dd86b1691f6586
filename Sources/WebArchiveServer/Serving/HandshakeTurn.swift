// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A handler before TLS that charges the work of handshakes to the client's address, whose further ones wait for their turn.
///
/// A client pays some hundred bytes for a signature of the server's.
final class HandshakeTurn: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Whether the handshake is over, and nothing waits any more.
    ///
    /// The owner sets it when TLS has negotiated a protocol.
    var isDone = false
    /// The account of the work on event loops.
    private let loopTime: EventLoopQuota
    /// The client to which the work is charged.
    private let address: String
    /// The bytes of the client that TLS has not got yet.
    private var waiting = CircularBuffer<ByteBuffer>()
    /// Whether the handler waits for the turn of the address.
    private var isWaiting = false
    /// Whether a read was requested while the handler waited.
    private var isReadWanted = false
    /// Whether the client's side has ended after the bytes that wait.
    private var holdsEnd = false

    /// Creates a handler for one connection.
    ///
    /// - Parameter address: the client, as ``ContentShare/client(_:)`` names it.
    init(_ loopTime: EventLoopQuota, address: String) { (self.loopTime, self.address) = (loopTime, address) }

    /// Passes bytes to TLS, or keeps them until it is the address's turn; after the handshake it passes them on at once.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDone || isWaiting else { return context.fireChannelRead(data) }
        waiting.append(unwrapInboundIn(data))
        guard !isWaiting else { return }
        guard loopTime.delay(address) > .zero else { return handOn(context) }
        isWaiting = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        loopTime.wait(address, of: self, on: context.eventLoop) {
            let (handler, context) = bound.value
            handler.isWaiting = false
            handler.handOn(context)
        }
    }

    /// Passes the received bytes to TLS, and charges the address for the time of this.
    ///
    /// All of the time counts, however short it is, since a signature is never negligible.
    private func handOn(_ context: ChannelHandlerContext) {
        let start = loopTime.now
        while let bytes = waiting.popFirst() { context.fireChannelRead(wrapInboundOut(bytes)) }
        context.fireChannelReadComplete()
        loopTime.note(address, loopTime.now - start, atLeast: .zero)
        if holdsEnd {
            holdsEnd = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if isReadWanted {
            isReadWanted = false
            // From the end of the pipeline, as the channel does after each of its own reads: later handlers may hold the rest of these bytes.
            context.channel.read()
        }
    }

    /// Holds the event back during the handshake: bytes come to TLS later than they were read, with an event of their
    /// own.
    func channelReadComplete(context: ChannelHandlerContext) {
        if isDone { context.fireChannelReadComplete() }
    }

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
        if isWaiting { isReadWanted = true } else { context.read() }
    }

    /// Leaves the queue, so that a closed connection gets no turn.
    func channelInactive(context: ChannelHandlerContext) {
        loopTime.remove(self, of: address)
        context.fireChannelInactive()
    }
}
