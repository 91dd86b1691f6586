// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Sends one response, in its pieces and as fast as it may be. All of it happens on the event loop of the connection.
final class HTTPTestSending {
    private let response: HTTPTestResponse
    private let isHead: Bool
    private let context: ChannelHandlerContext
    private var position = 0
    private var wait: (gate: HTTPTestGate, key: Int)?
    private var timer: Scheduled<Void>?
    private var isEnded = false
    /// Told whether the connection can take another response.
    private var finish: (Bool) -> Void = { _ in }

    init(_ response: HTTPTestResponse, isHead: Bool, _ context: ChannelHandlerContext) {
        self.response = response
        self.isHead = isHead
        self.context = context
    }

    func start(_ finish: @escaping (Bool) -> Void) {
        self.finish = finish
        pass(response.headGate) { [self] in
            if let cut = response.cut, cut.bodyBytes == nil { return end(cut) }
            if let bytes = response.rawBytes { return write(ByteBuffer(bytes: bytes)) { [self] in end(false) } }
            write(head) { [self] in hasBody ? sendNext() : end(true) }
        }
    }

    /// Gives up: the connection is gone.
    func cancel() {
        isEnded = true
        if let wait { wait.gate.cancel(wait.key) }
        timer?.cancel()
        finish = { _ in }
    }

    private func end(_ goesOn: Bool) {
        guard !isEnded else { return }
        isEnded = true
        finish(goesOn)
    }

    private func end(_ cut: HTTPTestResponse.Cut) {
        guard cut.isReset, let socket = context.channel as? any SocketOptionProvider else { return end(false) }
        // A connection that is closed without lingering is reset.
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated().whenComplete { [self] _ in end(false) }
    }

    // MARK: Head

    private var isWithoutBody: Bool { (100..<200).contains(response.status) || [204, 304].contains(response.status) }

    private var hasBody: Bool { !isHead && !isWithoutBody }

    private var isChunked: Bool { response.framing == .chunked }

    private var head: ByteBuffer {
        let reason = response.reason ?? HTTPResponseStatus(statusCode: response.status).reasonPhrase
        var buffer = ByteBuffer(string: "HTTP/1.1 \(response.status) \(reason)\r\n")
        func write(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) {
            buffer.writeBytes(name)
            buffer.writeString(": ")
            buffer.writeBytes(value)
            buffer.writeString("\r\n")
        }
        for field in response.fields { write(field.nameBytes, field.valueBytes) }
        let isFramed = response.fields.contains { $0.isNamed("Content-Length") || $0.isNamed("Transfer-Encoding") }
        if !isFramed && !isWithoutBody {
            switch response.framing {
            case .contentLength: write("Content-Length".utf8, "\(response.declaredLength ?? response.body.count)".utf8)
            case .chunked: write("Transfer-Encoding".utf8, "chunked".utf8)
            case .untilClose: write("Connection".utf8, "close".utf8)
            }
        }
        buffer.writeString("\r\n")
        return buffer
    }

    // MARK: Body

    private func sendNext() {
        var limit = max(1, response.pieceLength)
        // Ten pieces a second, so that a slow body flows.
        if let pace = response.pace { limit = min(limit, max(1, pace / 10)) }
        if let cut = response.cut, let bytes = cut.bodyBytes {
            if position >= bytes { return pass(response.gate) { [self] in end(cut) } }
            limit = min(limit, bytes - position)
        }
        let piece = response.body.piece(at: position, limit: limit)
        pass(response.gate) { [self] in
            guard piece.readableBytes > 0 else { return sendEnd() }
            position += piece.readableBytes
            write(isChunked ? chunk(piece) : piece) { [self] in
                guard let pace = response.pace else { return sendNext() }
                let delay = TimeAmount.nanoseconds(Int64(piece.readableBytes) * 1_000_000_000 / Int64(max(1, pace)))
                timer = loop.scheduleTask(in: delay) { [self] in sendNext() }
            }
        }
    }

    private func chunk(_ piece: ByteBuffer) -> ByteBuffer {
        var buffer = ByteBuffer(string: String(piece.readableBytes, radix: 16) + "\r\n")
        buffer.writeImmutableBuffer(piece)
        buffer.writeString("\r\n")
        return buffer
    }

    private func sendEnd() {
        if isChunked { return write(ByteBuffer(string: "0\r\n\r\n")) { [self] in end(true) } }
        end(response.framing == .contentLength && response.declaredLength == nil)
    }

    // MARK: Steps

    private var loop: NIOIsolatedEventLoop { context.eventLoop.assumeIsolated() }

    /// Goes on once the gate lets it.
    private func pass(_ gate: HTTPTestGate?, _ next: @escaping () -> Void) {
        guard let gate else { return next() }
        let eventLoop = context.eventLoop
        let step = NIOLoopBound({ [self] in if !isEnded { next() } }, eventLoop: eventLoop)
        let key = gate.pass { eventLoop.execute { step.value() } }
        wait = key.map { (gate, $0) }
    }

    /// Goes on once the system has taken the bytes; never, if the connection is gone.
    private func write(_ buffer: ByteBuffer, _ next: @escaping () -> Void) {
        let loop = loop
        context.writeAndFlush(NIOAny(buffer)).assumeIsolated().whenSuccess {
            // Not from here, or a long body would be a deep recursion.
            loop.execute { if !self.isEnded { next() } }
        }
    }
}
