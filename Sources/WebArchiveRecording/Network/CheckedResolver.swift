// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A resolver of host names that gives only permitted addresses, for one connection.
///
/// The connection is made to one of exactly these addresses: the name is not resolved a second time, so that it cannot change its address after the check.
final class CheckedResolver: Resolver, Sendable {
    /// The permitted targets of connections.
    struct Rules: Sendable {
        var allowsPrivate = false
        /// The addresses and the port on which the proxy listens.
        var own: @Sendable (SocketAddress) -> Bool = { _ in false }
    }

    /// An error of a host whose addresses are not permitted.
    enum Refusal: Error {
        case privateAddress
        /// The target is the proxy itself, which would forward to itself without end.
        case ownAddress
        case unknownHost(String)
    }

    private let addresses: [SocketAddress]
    private let eventLoop: any EventLoop

    private init(_ addresses: [SocketAddress], on eventLoop: any EventLoop) {
        (self.addresses, self.eventLoop) = (addresses, eventLoop)
    }

    /// Resolves a name on a thread for blocking work.
    ///
    /// - Returns: a resolver with at least one address; it fails with a ``Refusal``.
    static func make(
        _ host: String, port: Int, _ rules: Rules, on eventLoop: any EventLoop, threads: NIOThreadPool
    ) -> EventLoopFuture<CheckedResolver> {
        threads.runIfActive(eventLoop: eventLoop) {
            let found = try resolve(host, port: port)
            let others = found.filter { !rules.own($0) }
            guard !others.isEmpty else { throw Refusal.ownAddress }
            let permitted = rules.allowsPrivate ? others : others.filter { !PrivateAddress.contains($0) }
            guard !permitted.isEmpty else { throw Refusal.privateAddress }
            return CheckedResolver(permitted, on: eventLoop)
        }
    }

    private static func resolve(_ host: String, port: Int) throws -> [SocketAddress] {
        if let address = try? SocketAddress(ipAddress: host, port: port) { return [address] }
        var hints = addrinfo()
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else { throw Refusal.unknownHost(String(cString: gai_strerror(result))) }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        // The list ends with nil, and its addresses have the length of their family.
        while let info = next?.pointee {
            defer { next = info.ai_next }
            guard let address = info.ai_addr else { continue }
            switch info.ai_family {
            case AF_INET:
                found.append(SocketAddress(address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee }))
            case AF_INET6:
                found.append(
                    SocketAddress(address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee }))
            default: break
            }
        }
        guard !found.isEmpty else { throw Refusal.unknownHost("no address") }
        return found
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {}
}
