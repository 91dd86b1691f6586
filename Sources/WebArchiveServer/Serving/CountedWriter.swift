// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// A writer of the parts of responses that counts their bytes, until they have been sent, in the share of the connection.
struct CountedWriter {
    let share: ContentShare
    /// Whether there can be many of them on a connection.
    let isStream: Bool

    /// Writes the head of a response.
    ///
    /// - Parameter count: the number of bytes of its fields.
    func write(_ context: ChannelHandlerContext, _ head: HTTPResponseHead, counting count: Int) {
        guard isStream else { return write(context, .head(head), counting: count) }
        share.take(count)
        let connection = context.channel.parent
        context.write(NIOAny(HTTPServerResponsePart.head(head))).whenComplete { [share] result in
            share.giveBack(count)
            // A head that was coded and not sent leaves the client without the state of the compression (RFC 7541 section 2.2).
            if case .failure(let error) = result, !(error is ChannelError) { connection?.close(promise: nil) }
        }
    }

    /// Writes content.
    func write(_ context: ChannelHandlerContext, _ content: ByteBuffer) {
        let count = content.readableBytes
        write(context, .body(.byteBuffer(content)), counting: !isUncounted(count) || share.isShort ? count : 0)
    }

    private func write(_ context: ChannelHandlerContext, _ part: HTTPServerResponsePart, counting count: Int) {
        guard count > 0 else { return context.write(NIOAny(part), promise: nil) }
        share.take(count)
        context.write(NIOAny(part)).whenComplete { [share] _ in share.giveBack(count) }
    }

    /// Returns whether content is too short to count, unless there can be many streams of it.
    func isUncounted(_ length: some BinaryInteger) -> Bool {
        length == 0 || length <= ContentShare.smallLength && !isStream
    }
}
