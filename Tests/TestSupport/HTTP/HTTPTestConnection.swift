// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import WebArchive

/// Takes the requests of one connection, and answers one after the other.
final class HTTPTestConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    /// The maximum length of a request's body, which no test exceeds.
    private static let maximumBodyLength = 256 << 20

    private let service: HTTPTestService
    private let number: Int
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var waiting: [(HTTPTestRequest, isLast: Bool)] = []
    private var sending: HTTPTestSending?

    init(_ service: HTTPTestService, number: Int) {
        self.service = service
        self.number = number
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = ByteBuffer()
            // Answered at once, for the client waits for it (RFC 9110 section 10.1.1).
            if head.headers.first(name: "Expect")?.lowercased() == "100-continue", sending == nil {
                let line = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
                context.writeAndFlush(wrapOutboundOut(line), promise: nil)
            }
        case .body(var part):
            guard body.readableBytes + part.readableBytes <= Self.maximumBodyLength else {
                service.note("the body of a request is longer than \(Self.maximumBodyLength) bytes")
                return context.close(promise: nil)
            }
            body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            let fields = head.headers.map { HeaderField(name: $0.name, value: $0.value) }
            let request = HTTPTestRequest(
                method: head.method.rawValue, target: head.uri, fields: HeaderFields(fields),
                body: Array(body.readableBytesView), connection: number)
            waiting.append((request, isLast: !head.isKeepAlive))
            (self.head, body) = (nil, ByteBuffer())
            answerNext(context)
        }
    }

    private func answerNext(_ context: ChannelHandlerContext) {
        guard sending == nil, !waiting.isEmpty else { return }
        let (request, isLast) = waiting.removeFirst()
        let sending = HTTPTestSending(service.response(to: request), isHead: request.method == "HEAD", context)
        self.sending = sending
        sending.start { [self] goesOn in
            self.sending = nil
            if goesOn && !isLast { answerNext(context) } else { context.close(promise: nil) }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        sending?.cancel()
        sending = nil
        waiting = []
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A client that goes away is no failure; one that sends what is no HTTP is.
        if error is HTTPParserError { service.note("a client's request: \(error)") }
        context.close(promise: nil)
    }
}
