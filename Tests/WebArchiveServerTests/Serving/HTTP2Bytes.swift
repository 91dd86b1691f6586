// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded

@testable import WebArchiveServer

/// The bytes that a client of HTTP/2 sends, made by hand.
enum HTTP2Bytes {
    /// A frame (RFC 9113 section 4.1).
    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF)]
            + [type, flags, 0, 0, 0, stream] + payload
    }

    /// A `GET` of a path, without Huffman's code (RFC 7541), with more fields behind its own.
    static func request(_ path: String, stream: UInt8, fields: [UInt8] = []) -> [UInt8] {
        frame(
            1, flags: 5, stream: stream, [0x82, 0x87, 0x04] + text(path) + [0x01] + text("site.example") + fields)
    }

    /// A text of at most 16,510 bytes.
    static func text(_ text: String) -> [UInt8] {
        let rest = text.utf8.count - 127
        let length =
            rest < 0
            ? [UInt8(text.utf8.count)]
            : rest < 128 ? [127, UInt8(rest)] : [127, UInt8(rest & 127 | 128), UInt8(rest >> 7)]
        return length + Array(text.utf8)
    }

    /// A field that enters the table of the connection's field compression, as its first entry, number 62.
    static func keptField(_ name: String, _ value: String) -> [UInt8] { [0x40] + text(name) + text(value) }
}

extension ReplayPipeline {
    /// Sets up a connection of HTTP/2 as a client of a tunnel begins it, behind TLS.
    func beginHTTP2(_ channel: EmbeddedChannel) throws {
        let deadline = ConnectionDeadline(.told)
        let tunnel = TunnelHandler(deadline) {}
        try channel.pipeline.syncOperations.addHandlers([deadline, tunnel])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        tunnel.begin(.streams(0))
        var connection = ReplayConnection()
        connection.scheme = "https"
        connection.tunnel = "site.example"
        connection.host = "site.example"
        try configureHTTP2(channel, connection, NIOLoopBound(tunnel, eventLoop: channel.eventLoop))
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + HTTP2Bytes.frame(4)
        try channel.writeInbound(ByteBuffer(bytes: preface))
    }
}
