// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive

/// A receiver of the response of an exchange, on its event loop.
protocol ExchangeClient: AnyObject {
    /// Whether content can be sent without waiting in memory.
    var isWritable: Bool { get }

    /// Takes the content of the request from now on.
    func takesContent()
    func send(_ head: ReceivedHead)
    func send(_ content: ByteBuffer)
    func flush()
    func end(_ trailers: HeaderFields)
    /// Responds that there is no response, or ends one that will not be whole.
    func fail(_ failure: UpstreamFailure)
}
