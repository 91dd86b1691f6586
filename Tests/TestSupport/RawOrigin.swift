// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// An origin server that sends exactly the given bytes, and keeps them with the requests that they answered.
///
/// Each connection has a thread, and one request after another until the server closes it.
public final class RawOrigin: Sendable {
    /// A request as it arrived.
    public struct Request: Sendable {
        /// The request line and the fields, with the empty line.
        public var head: String
        /// The bytes behind the head, with chunk framing if there was any.
        public var body: [UInt8]
        /// The number of the connection, from 0.
        public var connection: Int

        /// The target of the request line.
        public var target: String { String(head.split(separator: " ").dropFirst().first ?? "") }
    }

    /// The bytes that are sent for a request.
    public struct Response: Sendable {
        var pieces: [[UInt8]]
        var closes: Bool
        var gate: HTTPTestGate?

        /// - Parameters:
        ///   - gate: waited for before the last piece.
        public init(_ pieces: [[UInt8]], closes: Bool = false, gate: HTTPTestGate? = nil) {
            (self.pieces, self.closes, self.gate) = (pieces, closes, gate)
        }

        public init(_ text: String, closes: Bool = false) { self.init([Array(text.utf8)], closes: closes) }
    }

    private let descriptor: CInt
    public let port: Int
    private let respond: @Sendable (Request) -> Response
    private let log = Mutex<[(request: Request, sent: [UInt8])]>([])
    private let open = Mutex<Set<CInt>>([])

    public init(_ respond: @escaping @Sendable (Request) -> Response) throws {
        self.respond = respond
        let listener = socket(AF_INET, Self.stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) + listen(listener, 64) + getsockname(listener, pointer, &length)
            }
        }
        guard result == 0 else { throw RawClient.Failure(what: "bind", code: errno) }
        descriptor = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [weak self] in
            var number = 0
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                self.open.withLock { _ = $0.insert(connection) }
                let own = number
                Thread { self.serve(connection, own) }.start()
                number += 1
            }
        }.start()
    }

    deinit { stop() }

    /// Ends all connections.
    public func stop() {
        shutdown(descriptor, CInt(SHUT_RDWR))
        open.withLock { for connection in $0 { shutdown(connection, CInt(SHUT_RDWR)) } }
    }

    #if canImport(Darwin)
        private static let stream = SOCK_STREAM
    #else
        private static let stream = CInt(SOCK_STREAM.rawValue)
    #endif

    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The requests so far.
    public var requests: [Request] { log.withLock { $0.map(\.request) } }

    /// The bytes that were sent for the requests with a target, one after another.
    public func sent(for target: String) -> [[UInt8]] {
        log.withLock { $0.filter { $0.request.target == target }.map(\.sent) }
    }

    private func serve(_ connection: CInt, _ number: Int) {
        var unread: [UInt8] = []
        while let request = read(connection, number, &unread) {
            let response = respond(request)
            let place = log.withLock { log in
                log.append((request, []))
                return log.count - 1
            }
            for (count, piece) in response.pieces.enumerated() {
                if count == response.pieces.count - 1 { response.gate?.wait() }
                guard send(piece, connection) else { break }
                log.withLock { $0[place].sent += piece }
            }
            if response.closes { break }
        }
        open.withLock { _ = $0.remove(connection) }
        close(connection)
    }

    private func send(_ bytes: [UInt8], _ connection: CInt) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes {
                #if canImport(Darwin)
                    Darwin.send(connection, $0.baseAddress, $0.count, 0)
                #else
                    Glibc.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                #endif
            }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    private func read(_ connection: CInt, _ number: Int, _ unread: inout [UInt8]) -> Request? {
        func more() -> Bool {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(connection, &buffer, buffer.count, 0)
            if count > 0 { unread += buffer[..<count] }
            return count > 0
        }
        while unread.firstRange(of: "\r\n\r\n".utf8) == nil { guard more() else { return nil } }
        guard let end = unread.firstRange(of: "\r\n\r\n".utf8)?.upperBound else { return nil }
        let head = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(..<end)
        var length = 0
        if let field = head.firstMatch(of: /(?i)\r\ncontent-length: *([0-9]+)/) { length = Int(field.1) ?? 0 }
        if head.contains(/(?i)\r\ntransfer-encoding: *chunked/) {
            while unread.firstRange(of: "0\r\n\r\n".utf8) == nil { guard more() else { return nil } }
            length = unread.firstRange(of: "0\r\n\r\n".utf8)?.upperBound ?? 0
        }
        while unread.count < length { guard more() else { return nil } }
        let body = Array(unread[..<length])
        unread.removeSubrange(..<length)
        return Request(head: head, body: body, connection: number)
    }
}

extension HTTPTestGate {
    /// Holds up the thread until the gate lets it pass.
    fileprivate func wait() {
        let passed = DispatchSemaphore(value: 0)
        _ = pass { passed.signal() }
        passed.wait()
    }
}
