// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// A writer of the parts of responses that counts their bytes, until they have been sent, in the share of the connection.
final class CountedWriter {
    /// The share in which bytes are counted.
    let share: ContentShare
    /// Whether there can be many of them on a connection.
    let isStream: Bool
    /// The number of bytes of the present response that are counted only if they wait.
    private var uncountedLength = 0

    /// Creates a writer for a connection, or for one stream of it.
    ///
    /// - Parameters:
    ///   - share: the share of the whole connection.
    ///   - isStream: whether the head of each response is counted at once, since there may be many streams.
    init(share: ContentShare, isStream: Bool) {
        self.share = share
        self.isStream = isStream
    }

    /// Writes the head of a response.
    ///
    /// Short fields of HTTP/1.1 are counted only if they wait: see ``end(_:whenSent:)``. The head is not flushed.
    ///
    /// - Parameter length: the number of bytes of its fields.
    func write(_ context: ChannelHandlerContext, _ head: HTTPResponseHead, fields length: Int) {
        guard isStream else {
            let isShort = length <= ContentShare.shortFieldsLength
            if isShort { uncountedLength += length }
            return write(context, .head(head), counting: isShort ? 0 : length)
        }
        share.take(length)
        let connection = context.channel.parent
        context.write(NIOAny(HTTPServerResponsePart.head(head))).whenComplete { [share] result in
            share.giveBack(length)
            // A head that was coded and not sent leaves the client without the state of the compression (RFC 7541 section 2.2).
            if case .failure(let error) = result, !(error is ChannelError) { connection?.close(promise: nil) }
        }
    }

    /// Writes content.
    ///
    /// Content is not flushed. It is counted at once unless it is the whole content, short, and not that of a stream.
    ///
    /// - Parameter isWhole: whether it is all content of its response: then it may be too short to count at once.
    func write(_ context: ChannelHandlerContext, _ content: ByteBuffer, isWhole: Bool = false) {
        let length = content.readableBytes
        if isWhole, !isStream, length <= ContentShare.smallLength {
            uncountedLength += length
            write(context, .body(.byteBuffer(content)), counting: 0)
        } else {
            write(context, .body(.byteBuffer(content)), counting: length)
        }
    }

    /// Writes a part, and counts it until it was sent or its sending failed.
    ///
    /// - Parameter count: the number of bytes; 0 for a part that is not counted.
    private func write(_ context: ChannelHandlerContext, _ part: HTTPServerResponsePart, counting count: Int) {
        guard count > 0 else { return context.write(NIOAny(part), promise: nil) }
        share.take(count)
        context.write(NIOAny(part)).whenComplete { [share] _ in share.giveBack(count) }
    }

    /// Writes the end of a response, and sends the response. Its short parts are counted if the system does not take them at once.
    ///
    /// Nearly all short responses are taken by the system in the same call, and so are never counted: the budget's lock
    /// is not touched.
    ///
    /// - Parameter whenSent: a function that is called once all of the response was sent, or the connection has ended.
    func end(_ context: ChannelHandlerContext, whenSent: @escaping () -> Void) {
        let count = uncountedLength
        uncountedLength = 0
        var (isSent, isCounted) = (false, false)
        context.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil))).assumeIsolated().whenComplete { [share] _ in
            isSent = true
            if isCounted { share.giveBack(count) }
            whenSent()
        }
        guard !isSent, count > 0 else { return }
        isCounted = true
        share.take(count)
    }
}
