// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHTTP2

/// The frame that carries the head of a response over HTTP/2 (RFC 9113 section 6.2).
///
/// SwiftNIO writes no CONTINUATION frames: a head that does not fit one frame is lost, and with it the state of the connection's field
/// compression. Such a response is left to HTTP/1.1.
enum HeadersFrame {
    /// The length of a frame that every client accepts, in bytes (RFC 9113 section 4.2).
    ///
    /// A client may accept longer ones, but the server does not use that.
    static let maximumLength = 1 << 14

    /// Returns whether a response's head fits a frame, with any result of the compression.
    ///
    /// It costs a look at each byte, until the limit is exceeded. 64 bytes are reserved for the status and for the
    /// fields that are added when it is sent.
    static func fits(_ fields: HTTPFields) -> Bool {
        var length = 64
        for field in fields {
            // RFC 7541 section 6.2.2: a type, and a length of up to four bytes for each of the two.
            length += 9 + bound(field.name.rawName) + bound(field.value)
            if length > maximumLength { return false }
        }
        return true
    }

    /// Returns the maximum length of a text in the code of RFC 7541 appendix B, in bytes.
    ///
    /// It is rounded up for each character: one byte for letters, digits and the commonest marks, three for other
    /// visible ones, and four for all other bytes.
    private static func bound(_ text: String) -> Int {
        text.utf8.reduce(0) { length, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): length + 1
            case UInt8(ascii: "%")...UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: ","): length + 1
            case UInt8(ascii: "-")...UInt8(ascii: ";"), 0x20, UInt8(ascii: "="), UInt8(ascii: "_"): length + 1
            case 0x21...0x7E: length + 3
            default: length + 4
            }
        }
    }

    /// Ends a stream with an error that makes the client repeat the request over HTTP/1.1 (RFC 9113 section 7).
    ///
    /// SwiftNIO's codec is passed over, which has no such part of a response. Without the codec the channel is closed.
    static func requireHTTP1(_ context: ChannelHandlerContext) {
        let codec = try? context.pipeline.syncOperations.context(handlerType: HTTP2FramePayloadToHTTP1ServerCodec.self)
        guard let codec else { return context.close(promise: nil) }
        codec.writeAndFlush(NIOAny(HTTP2Frame.FramePayload.rstStream(.http11Required)), promise: nil)
    }
}
