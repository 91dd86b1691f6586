// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Decides what of the network's answers is kept, and keeps it.
struct ExchangeRecorder {
    let rules: RecordingRules
    let archive: RecordingArchive?

    /// Records an exchange, if rules and policy allow that; what an unsafe request made untrue is removed.
    func record(_ exchange: StoredExchange, for fetch: NetworkFetch) {
        guard let archive else { return }
        if case .http(var caching) = fetch.policy.rule {
            let urls = caching.invalidated(method: fetch.asked.method, url: fetch.url, answer: exchange.answer)
            for url in urls { archive.remove(url) }
            caching.honoursNoStore = caching.honoursNoStore && rules.honoursNoStore
            guard caching.mayStore(fetch.asked, exchange.answer) else { return }
        } else if rules.honoursNoStore, isNoStore(exchange) {
            return
        }
        guard isWhole(exchange), (exchange.body?.length ?? 0) <= rules.maximumBodyLength, !isWorse(exchange, fetch),
            let draft = draft(exchange, fetch)
        else { return }
        var requestBody: SpooledBody?
        if let data = fetch.body.data {
            let spool = SpooledBody()
            guard (try? data.withUnsafeBytes { try spool.append($0) }) != nil else { return }
            spool.finish()
            requestBody = spool
        }
        var body: SpooledBody?
        if case .spooled(let spool) = exchange.body { body = spool }
        guard let time = exchange.time else { return }
        archive.record(
            RecordedExchange(
                request: draft.request, requestBody: requestBody, answer: draft.answer, body: body, time: time))
    }

    /// Renews what is stored by the word that it still holds; nil if the word is about something else.
    func refresh(_ stored: StoredExchange, by came: NetworkAnswer, for fetch: NetworkFetch) -> StoredExchange? {
        let caching = fetch.policy.caching
        guard caching.isChosen(stored.answer, by: came.answer.headers) else { return nil }
        let answer = caching.freshened(stored.answer, by: came.answer.headers)
        if let archive {
            var (asked, kept) = (stored.request, answer)
            rules.strip(&asked, &kept, of: fetch.request)
            archive.refresh(stored, with: kept, time: came.time)
        }
        return StoredExchange(
            url: stored.url, request: stored.request, answer: answer, body: stored.body, time: came.time,
            requestBody: stored.requestBody)
    }

    // MARK: -

    /// A part of an answer, or a word about another one, is no answer to the next request (RFC 9111 section 3.3).
    private func isWhole(_ exchange: StoredExchange) -> Bool {
        exchange.answer.status >= 200 && ![206, 304, 412, 416].contains(exchange.answer.status)
    }

    private func isNoStore(_ exchange: StoredExchange) -> Bool {
        CacheDirectives(exchange.answer.headers).isNoStore
            || CacheDirectives(request: exchange.request.headers).isNoStore
    }

    /// A server's failure does not take the place of an answer.
    private func isWorse(_ exchange: StoredExchange, _ fetch: NetworkFetch) -> Bool {
        guard let replaced = fetch.replaced else { return false }
        return exchange.answer.status >= 500 && replaced.answer.status < 500
    }

    private func draft(_ exchange: StoredExchange, _ fetch: NetworkFetch) -> RecordingRules.Draft? {
        var draft = RecordingRules.Draft(
            request: exchange.request, answer: exchange.answer, bodyLength: exchange.body?.length ?? 0)
        rules.strip(&draft.request, &draft.answer, of: fetch.request)
        // Stored without the field that it depends on, an answer to one person would be given to another.
        if let vary = exchange.answer.headers["Vary"],
            VaryDifference(vary: vary, stored: draft.request.headers, asked: exchange.request.headers) != nil
        {
            return nil
        }
        guard let willRecord = rules.willRecord else { return draft }
        return willRecord(draft)
    }
}

extension ArchivePolicy {
    /// The rules of RFC 9111 by which this policy validates.
    fileprivate var caching: HTTPCaching {
        if case .http(let caching) = rule { caching } else { HTTPCaching() }
    }
}
