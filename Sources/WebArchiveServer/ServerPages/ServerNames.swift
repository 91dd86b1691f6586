// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WebArchive

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The names and addresses of a server as the origin. A page of a different name that resolves here (DNS rebinding) must
/// not read the archives.
///
/// The port is not compared: it may be forwarded.
struct ServerNames: Sendable {
    /// The names and addresses in canonical form.
    private let names: Set<String>
    /// The domain below which every name is the server's; nil for none.
    private let domain: String?
    /// Whether the server listens on every address of this machine.
    private let listensOnAll: Bool

    /// Creates the names of a server.
    ///
    /// - Parameters:
    ///   - host: the name or address that the server listens on.
    ///   - added: the additional names and addresses, in any case.
    ///   - domain: a domain whose names, and those below it, are the server's.
    init(listeningOn host: String = "127.0.0.1", added: Set<String> = [], domain: String? = nil) {
        self.domain = domain.flatMap(Self.host)
        listensOnAll = ["0.0.0.0", "::", ""].contains(host)
        var names = Set(added.compactMap(Self.host))
        if listensOnAll {
            let machine = Self.machineName.prefix { $0 != "." }
            let known = [Self.machineName, String(machine), "\(machine).local"]
            names.formUnion(known.compactMap(Self.host))
        } else if let name = Self.host(host) {
            names.insert(name)
        }
        self.names = names
    }

    /// Returns whether the server's own pages may be read under the host of an authority, such as the names of loopback addresses, which
    /// no one else can make resolve here.
    ///
    /// Browsers resolve `localhost` and all names below it to loopback addresses themselves (RFC 6761 section 6.3).
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || host.hasPrefix("127.") && isAddress(host)
    }

    /// Returns whether a host is an IP address, in the form of a URL.
    static func isAddress(_ host: String) -> Bool { IPAddressBytes(host) != nil }

    /// The part of the server that an authority represents.
    enum Place {
        /// The archives, under a name of the server.
        case sites
        /// The pages of the explorer, under the name of their own.
        case explorer
        /// No part of this server.
        case elsewhere
    }

    /// Finds the part that an authority represents. Only clients of HTTP/1.0 leave it out.
    ///
    /// - Parameter authority: the `Host` of the request, or the authority of its target; nil for none, which is the sites'.
    func place(of authority: String?) -> Place {
        guard let authority else { return .sites }
        guard let authority = ServerAuthority(authority), contains(authority.host) else { return .elsewhere }
        return authority.isOfExplorer ? .explorer : .sites
    }

    /// Returns whether the server responds for a host.
    ///
    /// A host that is an address may cost a list of the interfaces, if the server listens on all.
    ///
    /// - Parameter host: a host in canonical form.
    func contains(_ host: String) -> Bool {
        Self.isLoopback(host) || names.contains(host) || isOfDomain(host)
            || listensOnAll && Self.isOfInterface(host)
    }

    /// Returns whether a host is the domain or below it.
    private func isOfDomain(_ host: String) -> Bool {
        domain.map { host == $0 || host.hasSuffix("." + $0) } ?? false
    }

    /// Returns whether a host is the address of an interface of this machine.
    ///
    /// Interfaces come and go, so they are read each time.
    private static func isOfInterface(_ host: String) -> Bool {
        guard let address = IPAddressBytes(host), let devices = try? System.enumerateDevices() else { return false }
        return devices.contains { device in
            guard let text = device.address?.ipAddress else { return false }
            // A link-local address has its interface after a percent sign.
            return IPAddressBytes(Self.authority(String(text.prefix { $0 != "%" }))) == address
        }
    }

    /// Returns the host of a name or address from an operator: in any case, with or without a port; an IPv6 address may lack its brackets.
    ///
    /// It is nil for a text that cannot be the host of a URL.
    static func host(_ name: String) -> String? { ServerAuthority(authority(name))?.host }

    /// Returns the authority of a host, with brackets around an IPv6 address.
    private static func authority(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") && IPAddressBytes("[\(host)]") != nil ? "[\(host)]" : host
    }

    /// The name of this machine, by the system; empty if it has none.
    private static var machineName: String {
        var text = [CChar](repeating: 0, count: 256)
        guard gethostname(&text, text.count - 1) == 0 else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The names of a server for one connection, whose requests nearly always have one authority.
struct ConnectionNames {
    private let names: ServerNames
    /// The last authority and its part, which most requests of a connection share.
    private var last: (authority: String?, place: ServerNames.Place)?

    /// Creates the names for a connection, which one thread may use.
    init(_ names: ServerNames) { self.names = names }

    /// Finds the part of the server that an authority represents, at the cost of a comparison if it equals that of the previous request.
    mutating func place(of authority: String?) -> ServerNames.Place {
        if let last, last.authority == authority { return last.place }
        let place = names.place(of: authority)
        last = (authority, place)
        return place
    }
}
