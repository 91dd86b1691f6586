// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import WebArchiveServer

/// A builder that sets up the handlers of a client's connection, on its event loop.
struct ClientPipeline {
    private let forwarder: Forwarder

    init(_ forwarder: Forwarder) { self.forwarder = forwarder }

    /// Configures HTTP/1 in the clear.
    func configure(_ channel: any Channel) throws {
        let pace = ConnectionPace()
        let operations = channel.pipeline.syncOperations
        try operations.addHandler(ConnectionParts.readAhead())
        try operations.addHandler(ConnectionParts.requestDecoder(.forwardBytes))
        try operations.addHandler(pace.handler)
        try operations.addHandler(ClientConnection(forwarder, pace))
    }
}
