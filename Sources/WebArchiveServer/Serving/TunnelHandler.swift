// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A handler that ends a connection over TLS when no other does: before a protocol has been negotiated, and with HTTP/2, which has its requests in
/// channels of their own.
final class TunnelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The stages of a connection over TLS.
    enum State {
        /// TLS is being negotiated.
        case handshake
        /// HTTP/1.1, whose request handler has its own deadline.
        case requests
        /// HTTP/2, with a number of open streams.
        case streams(Int)
    }

    private(set) var state = State.handshake
    /// The deadline if there is no request. A handshake must end within it as a whole; with HTTP/2 it is time without a stream.
    private let deadline: ConnectionDeadline
    /// Whether the connection ends when no stream is left.
    private var isLast = false
    /// The context while the handler is in a pipeline.
    private var context: ChannelHandlerContext?
    /// A function that is called once if the handshake fails.
    private let onFailure: () -> Void
    private var hasFailed = false

    /// - Parameters:
    ///   - deadline: the deadline of the connection, which this handler controls.
    ///   - onFailure: a function that is called when TLS fails.
    init(_ deadline: ConnectionDeadline, onFailure: @escaping () -> Void) {
        self.deadline = deadline
        self.onFailure = onFailure
        deadline.countsTaking = false
    }

    /// Continues with a protocol, after the handshake.
    ///
    /// - Parameter state: the stage after the handshake: requests, or streams whose number is 0.
    func begin(_ state: State) {
        self.state = state
        if case .requests = state { deadline.isSuspended = true } else { deadline.noteProgress() }
    }

    /// Keeps the context, by which the end of the last stream closes the connection.
    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Counts a stream until it is closed.
    ///
    /// On the event loop of the connection only.
    func count(_ stream: any Channel) {
        change(1)
        stream.closeFuture.assumeIsolated().whenComplete { _ in self.change(-1) }
    }

    /// Counts streams. The connection's own deadline runs while there is none.
    private func change(_ amount: Int) {
        guard case .streams(let count) = state else { return }
        state = .streams(count + amount)
        // Pings and the like are not requests; and streams have deadlines of their own.
        deadline.isSuspended = count + amount > 0
        // The rest of a response may leave after its stream is closed.
        deadline.countsTaking = true
        if isLast, count + amount == 0 { context?.close(promise: nil) }
    }

    /// Ends the counting of taken bytes as soon as those of the last stream have left.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // The rest is short, and data without a stream is not a response.
        if context.channel.isWritable, case .streams(0) = state { deadline.countsTaking = false }
        context.fireChannelWritabilityChanged()
    }

    /// Ends the connection if the server stops, after its streams, and at once if the client has ended its side;
    /// HTTP/1.1 is left to its handler.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        let isEndOfInput = event as? ChannelEvent == .inputClosed
        if isEndOfInput || event is ConnectionShouldEnd {
            isLast = true
            switch state {
            case .requests: break
            // No client uses HTTP/2 in one direction only.
            case .streams(let count) where count > 0 && !isEndOfInput: break
            case .handshake, .streams: return context.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Handles an error of the handshake, once; later ones are for other handlers.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case .handshake = state else { return context.fireErrorCaught(error) }
        // The end of a connection is one more error.
        guard !hasFailed else { return }
        hasFailed = true
        onFailure()
        context.close(promise: nil)
    }
}
