// SPDX-License-Identifier: Apache-2.0

public import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP/1.1 server on this machine whose responses a test determines.
///
/// Errors inside of it are kept in ``failures``, answered with 500 where that is possible, and thrown by
/// ``waitForRequests(_:)``.
public final class HTTPTestServer: Sendable {
    /// Makes the response to a request. It is called on the server's own thread, and must not wait there: gates are for that.
    public typealias Responder = @Sendable (HTTPTestRequest) throws -> HTTPTestResponse

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel
    private let isStopped = Mutex(false)
    let service = HTTPTestService()

    public let port: Int

    /// Starts to listen on 127.0.0.1.
    ///
    /// - Parameter port: 0 for any that is free.
    public init(port: Int = 0) throws {
        let service = service
        do {
            channel = try ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let number = service.countConnection()
                        channel.closeFuture.whenComplete { _ in service.endConnection() }
                        try channel.pipeline.syncOperations.addHandlers([
                            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                            HTTPTestConnection(service, number: number),
                        ])
                    }
                }
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .bind(host: "127.0.0.1", port: port).wait()
            self.port = channel.localAddress?.port ?? port
        } catch {
            try? group.syncShutdownGracefully()
            throw error
        }
    }

    deinit { stop() }

    /// Closes the port and all connections at once; only the first call does anything.
    public func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        // A responder that held the last reference ends the server on its own thread, which cannot wait for itself.
        if channel.eventLoop.inEventLoop {
            group.shutdownGracefully { _ in }
        } else {
            try? group.syncShutdownGracefully()
        }
    }

    /// The URL of a path, which may have a query.
    public func url(_ path: String = "/") -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    /// The response to all requests for a path, or for a target with its query, which goes first; nil for 404.
    public subscript(path: String) -> HTTPTestResponse? {
        get { service.response(path) }
        set { service.setRoute(path, newValue.map { .response($0) }) }
    }

    /// Answers requests for a path, or for a target with its query, which goes first.
    public func on(_ path: String, _ responder: @escaping Responder) { service.setRoute(path, .responder(responder)) }

    /// Answers with one response after the other, and then always with the last.
    public func on(_ path: String, inTurn responses: HTTPTestResponse...) {
        let left = Mutex(responses[...])
        on(path) { _ in
            left.withLock { left in
                left.count > 1 ? left.removeFirst() : left.first ?? .status(500, "There is no response.")
            }
        }
    }

    /// Answers what has no route of its own.
    public func onOther(_ responder: @escaping Responder) { service.setOther(responder) }

    /// Responds with the request, as an ``HTTPTestRequest/Echo``.
    public func echo(_ path: String) {
        on(path) { request in
            .bytes(try JSONEncoder().encode(HTTPTestRequest.Echo(request)), type: "application/json")
        }
    }

    /// Redirects `PREFIX/1` to `PREFIX/2` and so on, and `PREFIX/COUNT` to a location.
    public func chain(_ prefix: String, count: Int, status: Int = 302, to location: String) {
        for number in 1...count {
            self["\(prefix)/\(number)"] = .redirect(status, to: number < count ? "\(prefix)/\(number + 1)" : location)
        }
    }
}

extension HTTPTestServer {
    /// All requests that have come whole, in order.
    public var requests: [HTTPTestRequest] { service.state.value.requests }

    /// Methods and targets of all requests, in order.
    public var requestLines: [String] { requests.map { "\($0.method) \($0.target)" } }

    /// Forgets the requests that have come.
    public func clearRequests() { service.state.change { $0.requests = [] } }

    /// Waits until so many requests have come; at most a minute.
    @discardableResult
    public func waitForRequests(_ count: Int = 1) throws -> [HTTPTestRequest] {
        let isThere = service.state.wait { $0.requests.count >= count || !$0.failures.isEmpty }
        let state = service.state.value
        if let failure = state.failures.first { throw HTTPTestResponse.Failure(description: failure) }
        guard isThere else {
            throw HTTPTestResponse.Failure(
                description: "\(state.requests.count) requests instead of \(count): \(requestLines)")
        }
        return state.requests
    }

    public var openConnections: Int { service.state.value.openConnections }

    /// Waits until no more than so many connections are open; false if a minute has gone by without that.
    public func waitForConnections(atMost count: Int = 0) -> Bool {
        service.state.wait { $0.openConnections <= count }
    }

    /// The errors inside of the server, and those that its clients caused.
    public var failures: [String] { service.state.value.failures }
}
