// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A recorder that selects and stores responses from the network.
package struct ExchangeRecorder {
    private let rules: RecordingRules
    private let archive: RecordingArchive?

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - rules: the rules for storing.
    ///   - archive: the archive to record into; nil if nothing is recorded.
    package init(rules: RecordingRules, archive: RecordingArchive?) {
        self.rules = rules
        self.archive = archive
    }

    /// Records an exchange, if rules and policy allow it; removes responses that an unsafe request invalidated (RFC 9111 section 4.4).
    ///
    /// - Parameters:
    ///   - exchange: an original response, whose body is spooled: one in an archive would not be recorded.
    ///   - forwarded: the request that it is the response to, with the policies.
    /// - Returns: whether it was recorded, and why not; nil without an archive, and for an exchange without a time.
    package func record(_ exchange: StoredExchange, for forwarded: ForwardedRequest) -> RecordingOutcome? {
        guard let archive, let time = exchange.time else { return nil }
        if case .http(let caching) = forwarded.sessionPolicy.rule {
            let urls = caching.invalidated(
                method: forwarded.request.method, url: forwarded.url, response: exchange.response)
            for url in urls { archive.remove(url) }
        }
        if case .http(var caching) = forwarded.policy.rule {
            caching.honoursNoStore = caching.honoursNoStore && rules.honoursNoStore
            if let reason = caching.storingObstacle(forwarded.request, exchange.response) { return .notStored(reason) }
        } else if rules.honoursNoStore, isNoStore(exchange) {
            return .notStored(.noStore)
        }
        guard isWhole(exchange) else { return .notStored(.conditional) }
        guard (exchange.body?.length ?? 0) <= rules.maximumBodyLength else { return .notStored(.tooLong) }
        guard !isWorse(exchange, forwarded) else { return .notStored(.serverError) }
        let draft: RecordingRules.Draft
        switch edit(exchange, for: forwarded) {
        case .refused(let reason): return .notStored(reason)
        case .kept(let kept): draft = kept
        }
        var requestBody: SpooledBody?
        if let data = forwarded.body {
            let spool = SpooledBody()
            guard (try? data.withUnsafeBytes { try spool.append($0) }) != nil else {
                return .notStored(.unwritable)
            }
            spool.finish()
            requestBody = spool
        }
        var body: SpooledBody?
        if case .spooled(let spool) = exchange.body { body = spool }
        let isTaken = archive.record(
            RecordedExchange(
                request: draft.request, requestBody: requestBody, response: draft.response, body: body, time: time))
        return isTaken ? .stored : .notStored(.unwritable)
    }

    /// Updates a stored response from a 304 (RFC 9111 section 4.3.4), and stores the result if it may be.
    ///
    /// The body is not stored again.
    ///
    /// - Returns: the updated exchange, which satisfies the request whether it was stored or not; nil if the 304 is for a different response,
    ///   so that the request must be repeated without conditions.
    package func refresh(
        _ stored: StoredExchange, by came: ReceivedResponse, for forwarded: ForwardedRequest
    ) -> (StoredExchange, RecordingOutcome?)? {
        let caching = forwarded.policy.caching
        guard caching.isChosen(stored.response, by: came.response.headers) else { return nil }
        let fresh = StoredExchange(
            url: stored.url, request: stored.request,
            response: caching.freshened(stored.response, by: came.response.headers), body: stored.body, time: came.time,
            requestBody: stored.requestBody)
        guard let archive else { return (fresh, nil) }
        let received = StoredExchange(
            url: fresh.url, request: forwarded.request, response: fresh.response, body: fresh.body, time: fresh.time)
        if rules.honoursNoStore, isNoStore(received) { return (fresh, .notStored(.noStore)) }
        switch edit(received, for: forwarded) {
        case .refused(let reason):
            return (fresh, .notStored(reason))
        case .kept(let draft):
            let isTaken = archive.refresh(stored, with: draft.response, time: came.time)
            return (fresh, isTaken ? .stored : .notStored(.unwritable))
        }
    }

    // MARK: -

    private func isWhole(_ exchange: StoredExchange) -> Bool {
        exchange.response.status >= 200 && !HTTPCaching.partialStatuses.contains(exchange.response.status)
    }

    private func isNoStore(_ exchange: StoredExchange) -> Bool {
        CacheDirectives(exchange.response.headers).isNoStore
            || CacheDirectives(request: exchange.request.headers).isNoStore
    }

    /// Returns whether the exchange is a server's failure, which does not replace a response.
    private func isWorse(_ exchange: StoredExchange, _ forwarded: ForwardedRequest) -> Bool {
        guard let replaced = forwarded.replaced else { return false }
        return exchange.response.status >= 500 && replaced.response.status < 500
    }

    private enum Edited {
        case kept(RecordingRules.Draft)
        case refused(RecordingOutcome.Reason)
    }

    /// Edits an exchange by the rules and by the app.
    private func edit(_ exchange: StoredExchange, for forwarded: ForwardedRequest) -> Edited {
        var draft = RecordingRules.Draft(
            request: exchange.request, response: exchange.response, bodyLength: exchange.body?.length ?? 0)
        rules.strip(&draft.request, &draft.response)
        forwarded.stripFields(&draft.request, &draft.response)
        guard !isVarying(exchange, storedAs: draft) else { return .refused(.varying) }
        guard let willRecord = rules.willRecord else { return .kept(draft) }
        return willRecord(draft).map(Edited.kept) ?? .refused(.vetoed)
    }

    /// Returns whether the response varies on a stripped field: stored without it, it could be served to a different person.
    private func isVarying(_ exchange: StoredExchange, storedAs draft: RecordingRules.Draft) -> Bool {
        guard let vary = exchange.response.headers["Vary"] else { return false }
        return VaryDifference(
            vary: vary, stored: VaryingFields(draft.request.headers), requested: VaryingFields(exchange.request.headers)
        )
            != nil
    }
}

extension ArchivePolicy {
    /// The rules of RFC 9111 for validation by this policy.
    fileprivate var caching: HTTPCaching {
        if case .http(let caching) = rule { caching } else { HTTPCaching() }
    }
}
