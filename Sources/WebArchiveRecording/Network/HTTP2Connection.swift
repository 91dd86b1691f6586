// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP2
import WebArchiveServer

/// A connection of HTTP/2 to an origin server, for many requests at once.
final class HTTP2Connection {
    let channel: any Channel
    private let streams: NIOHTTP2Handler.StreamMultiplexer
    private var count = 0
    private var openCount = 0
    /// The time of the end of the last stream.
    private var idleSince: NIODeadline

    /// The maximum length of the fields of a response, in bytes.
    private static let maximumFieldsLength = 64 << 10
    /// The number of bytes of a response that a server may send before they are read.
    private static let windowLength = 1 << 20

    /// Sets up a channel that has negotiated HTTP/2, on its event loop.
    init(_ channel: any Channel) throws {
        self.channel = channel
        idleSince = channel.eventLoop.now
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .maxHeaderListSize, value: Self.maximumFieldsLength),
            HTTP2Setting(parameter: .initialWindowSize, value: Self.windowLength),
        ]
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.targetWindowSize = Self.windowLength
        streams = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
            mode: .client, connectionConfiguration: connection, streamConfiguration: stream
        ) { channel in channel.close() }
        try channel.syncOptions?.setOption(.autoRead, value: true)
        channel.read()
    }

    var isActive: Bool { channel.isActive }

    /// Returns whether the connection has had no stream since a time.
    func isIdle(since limit: NIODeadline) -> Bool { openCount == 0 && idleSince < limit }

    /// Opens a stream, and calls `work` with it, or with nil if the connection takes none.
    func open(_ work: @escaping (HTTP2Upstream?) -> Void) {
        let upstream = HTTP2Upstream(wasUsed: count > 0)
        let bound = NIOLoopBound(upstream, eventLoop: channel.eventLoop)
        count += 1
        openCount += 1
        let promise = channel.eventLoop.makePromise(of: (any Channel).self)
        streams.createStreamChannel(promise: promise) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.syncOptions?.setOption(.autoRead, value: false)
                try channel.pipeline.syncOperations.addHandlers([ConnectionParts.endOfStream(), bound.value])
            }
        }
        promise.futureResult.assumeIsolated().whenComplete { [self] result in
            guard case .success(let stream) = result else {
                noteEnd()
                return work(nil)
            }
            stream.closeFuture.assumeIsolated().whenComplete { _ in self.noteEnd() }
            work(upstream)
        }
    }

    private func noteEnd() {
        openCount -= 1
        idleSince = channel.eventLoop.now
    }

    func close() { channel.close(promise: nil) }
}
