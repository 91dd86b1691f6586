// SPDX-License-Identifier: Apache-2.0

import NIOCore
public import SystemPackage
public import WebArchiveServer

extension RecordingProxy {
    /// The options of a recording proxy.
    public struct Options: Sendable {
        /// The address to listen on: `127.0.0.1` by default. Every client that reaches it can use the proxy.
        public var host = "127.0.0.1"
        /// The port to listen on, 8080 by default; 0 for any free one, which ``RecordingProxy/port`` returns.
        public var port = 8080
        /// The authority whose certificates end TLS; nil, as by default, for a new one in memory.
        public var authority: DeviceAuthority?
        /// The PEM files of certificates that are trusted beside those of the system.
        public var trustRoots: [FilePath] = []
        /// Whether targets at private, loopback, link-local and other special addresses are permitted.
        public var allowsPrivateTargets = false
        /// Whether `Authorization`, `Cookie`, `Set-Cookie` and their relatives are stored.
        public var keepsCredentials = false
        /// The names of further fields of requests that are not stored, such as that of a token of an API; none by default.
        public var withheldFields: [String] = []
        /// Whether content is kept as it was received as well, with its codings and chunks.
        public var keepsOriginals = false
        /// Whether a response is not stored again if the archive has the same one as its newest, but for times; false by default.
        public var leavesOutUnchanged = false
        /// The number of bytes at which the recorded body of a response or a request ends; 4 GiB by default. The client gets all of it.
        public var maximumBodyLength: UInt64 = 4 << 30
        /// The length of the archive, in bytes, beyond which nothing more is recorded; none by default.
        public var maximumArchiveLength = UInt64.max
        /// The maximum number of connections of clients, 1,000 by default; more are closed at once.
        public var maximumConnections = 1_000
        /// The time from an exchange to its commit: five seconds by default, and more after some minutes.
        public var commitInterval = Duration.seconds(5)
        /// The time for which a response is loaded to its end after its client went away: ten minutes by default.
        public var maximumDetachedTime = Duration.seconds(600)
        /// The number of threads that forward; one for each processor by default.
        public var threads = System.coreCount
        /// A function that is called for each exchange, in the order of their ends, before its commit. It must not block.
        public var onExchange: (@Sendable (ProxiedExchange) -> Void)?

        /// Creates options with the defaults of `webarc record`.
        public init() {}
    }
}
