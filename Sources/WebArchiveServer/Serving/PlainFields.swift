// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHPACK
import NIOHTTP2

/// A handler that keeps the fields of responses out of the table of a connection's field compression (RFC 7541 section 6.2.2).
///
/// The client determines the length of that table, and SwiftNIO searches it from end to end for each field: a client and an archive of its
/// making could make the server remember every field and search for seconds.
final class PlainFields: ChannelOutboundHandler {
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// Marks each field of a head as not to be indexed; passes all else on.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .headers(var content) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        var fields = HPACKHeaders()
        fields.reserveCapacity(content.headers.count)
        for (name, value, _) in content.headers { fields.add(name: name, value: value, indexing: .nonIndexable) }
        content.headers = fields
        context.write(wrapOutboundOut(.headers(content)), promise: promise)
    }
}
