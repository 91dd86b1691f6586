// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension RecordingArchive {
    /// The maximum number of entries of one URL that are examined.
    static let captureLimit = 10_000

    /// Looks up the newest capture that matches a request; nil without a match. Records the use.
    ///
    /// Pending records are found as well, and removed URLs are not.
    ///
    /// - Throws: `damaged` or `io`.
    package func lookup(_ request: MatchRequest) throws(ArchiveError) -> StoredExchange? {
        if let found = try exactLookup(request) { return found }
        let rules = options.matching.rules
        if request.method == "HEAD", rules.contains(.headFromGet) {
            var get = request
            get.method = "GET"
            if let found = try exactLookup(get) { return found }
        }
        guard !rules.subtracting([.exact, .headFromGet]).isEmpty, let reader,
            let match = try ArchiveMatcher(reader, options: options.matching).match(request)
        else { return nil }
        // A URL that the rules lead to may have been removed or recorded again, which the archive does not show yet.
        var exact = request
        exact.method = try match.entry.method
        do {
            exact.url = try CanonicalURL(utf8: match.entry.keyBytes)
        } catch let error as ArchiveError {
            throw error
        } catch {
            return nil
        }
        if match.rules.contains(.anyVariant) { exact.headers = try match.entry.request.headers }
        return try exactLookup(exact)
    }

    /// Returns the newest exchange of exactly this URL, method and request body, by no other rule; records its use.
    private func exactLookup(_ request: MatchRequest) throws(ArchiveError) -> StoredExchange? {
        let key = RequestKey(url: request.url, method: request.method, bodyDigest: request.bodyDigest)
        guard let found = try newest(key, request.headers, at: request.time) else { return nil }
        if options.removesUnused {
            let now = options.now()
            state.withLock { $0.uses.note(key, at: now) }
            saveUsesLater()
        }
        return found
    }

    /// Returns the newest of pending and committed exchanges.
    private func newest(
        _ key: RequestKey, _ headers: HeaderFields, at time: ArchiveTime?
    ) throws(ArchiveError) -> StoredExchange? {
        let (reader, evicted, pending) = state.withLock { ($0.reader, $0.evicted, $0.pending[key.url]) }
        var waiting: PendingRecord?
        var removal: PendingRecord?
        for record in pending {
            if record.isRemoval {
                if removal.map(record.isNewer) ?? true { removal = record }
            } else if record.key == key, record.fits(headers), time.map({ record.time <= $0 }) ?? true {
                if waiting.map(record.isNewer) ?? true { waiting = record }
            }
        }
        if let removal, let record = waiting, removal.isNewer(than: record) { waiting = nil }
        let stored: ArchiveEntry?
        do throws(ArchiveError) {
            stored =
                try reader.mapTyped { (reader) throws(ArchiveError) in
                    try CaptureSearch(reader, evicted: evicted).newest(key, headers, at: time)
                } ?? nil
        } catch {
            // Unreadable captures are hidden by later records.
            if let exchange = waiting?.exchange { return exchange }
            throw error
        }
        guard let stored else { return waiting?.exchange }
        let storedTime = try stored.time
        if let waiting, storedTime.map({ $0 <= waiting.time }) ?? true { return waiting.exchange }
        if let removal, storedTime.map({ $0 <= removal.time }) ?? true { return nil }
        return try stored.kind == nil ? nil : StoredExchange(stored, url: key.url)
    }
}
