// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive

/// A sender of one request to an origin server, on its event loop.
protocol UpstreamStream: AnyObject {
    /// Whether the connection served an earlier request, so that the server may just be closing it.
    var wasUsed: Bool { get }
    /// The address of the server.
    var address: String? { get }
    /// Whether content of the request can be sent without waiting in memory.
    var isWritable: Bool { get }

    func send(_ request: OutgoingRequest, to receiver: any UpstreamReceiver)
    func send(_ content: ByteBuffer)
    /// Ends the content of the request.
    func endRequest(_ trailers: HeaderFields)
    func flush()
    /// Starts or stops requesting bytes of the response.
    func setReading(_ isReading: Bool)
    /// Ends the exchange, and forgets its receiver.
    func cancel()
}

/// A receiver of the response to one request, on its event loop.
protocol UpstreamReceiver: AnyObject {
    func received(_ head: ReceivedHead)
    func received(_ content: ByteBuffer)
    /// Takes bytes of the content with its chunk framing.
    func receivedFramed(_ bytes: ByteBuffer)
    /// Ends what one read of the connection gave.
    func readCompleted()
    func ended(_ trailers: HeaderFields)
    func failed(_ failure: UpstreamFailure)
    /// Handles a change of ``UpstreamStream/isWritable``.
    func writabilityChanged()
}

/// A reason why there is no whole response.
enum UpstreamFailure: Error {
    /// The connection ended before any byte of a response.
    case closed
    /// The connection ended within the response.
    case truncated
    /// The bytes are not a response.
    case malformed(String)
    /// The server did not send anything for too long.
    case silent
    /// The target is not permitted.
    case refused(CheckedResolver.Refusal)
    /// No connection could be made.
    case unreachable(String)
    /// The server's certificate is not trusted.
    case untrusted(String)

    /// The reason for people.
    var message: String {
        switch self {
        case .closed: "the server ended the connection without a response"
        case .truncated: "the server ended the connection within its response"
        case .malformed(let reason): "the server's response is malformed: \(reason)"
        case .silent: "the server sent nothing for too long"
        case .refused(.privateAddress): "the host has a private address; --allow-private permits those"
        case .refused(.ownAddress): "the target is this proxy itself"
        case .refused(.unknownHost(let reason)): "the host is unknown: \(reason)"
        case .unreachable(let reason): "the server cannot be reached: \(reason)"
        case .untrusted(let reason): "the server's certificate is not trusted: \(reason)"
        }
    }

    /// The status of the response to the client (RFC 9110 section 15.6).
    var status: Int {
        switch self {
        case .refused(.privateAddress): 403
        case .refused(.ownAddress): 508
        case .silent: 504
        default: 502
        }
    }
}
