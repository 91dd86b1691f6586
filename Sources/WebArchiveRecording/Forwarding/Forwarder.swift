// SPDX-License-Identifier: Apache-2.0

import Logging
import NIOCore
import WebArchiveServer

/// The common parts of the exchanges on one event loop.
final class Forwarder {
    let eventLoop: any EventLoop
    let pool: UpstreamPool
    let store: ExchangeStore
    let partials: PartialResponses
    let held: HeldResponses
    let capturing: CapturingOptions
    /// The certificates with which TLS ends.
    let certificates: TunnelCertificates
    let maximumDetachedTime: TimeAmount
    let logger: Logger

    init(
        _ pool: UpstreamPool, _ store: ExchangeStore, _ partials: PartialResponses, _ held: HeldResponses,
        _ capturing: CapturingOptions,
        _ certificates: TunnelCertificates, maximumDetachedTime: TimeAmount,
        _ logger: Logger
    ) {
        (eventLoop, self.pool, self.store, self.capturing) = (pool.eventLoop, pool, store, capturing)
        (self.partials, self.held, self.certificates) = (partials, held, certificates)
        (self.maximumDetachedTime, self.logger) = (maximumDetachedTime, logger)
    }

    /// The exchanges that have not ended.
    private var active: [ObjectIdentifier: Exchange] = [:]

    /// Keeps an exchange until it ends.
    func add(_ exchange: Exchange) { active[ObjectIdentifier(exchange)] = exchange }
    func remove(_ exchange: Exchange) { active[ObjectIdentifier(exchange)] = nil }

    /// Ends all exchanges, and closes idle connections.
    func close() {
        for exchange in active.values { exchange.abandon("unspecified") }
        active = [:]
        pool.close()
    }
}
