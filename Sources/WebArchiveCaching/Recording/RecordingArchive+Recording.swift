// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemPackage

extension RecordingArchive {
    /// The limits of pending exchanges: commits are due at the first, and beyond the second exchanges are dropped.
    private static let pendingCounts = (due: 1_000, most: 10_000)
    /// The limits of files without a name that may be open for pending exchanges.
    private static let pendingFiles = (due: 32, most: 128)

    /// Records an exchange, which lookups find from now on, and which replaces older captures of the same request.
    ///
    /// Exchanges that cannot be stored are counted in ``droppedCount``.
    ///
    /// - Returns: false if the exchange cannot be stored, or the archive is closed.
    @discardableResult
    func record(_ exchange: RecordedExchange) -> Bool {
        do throws(ArchiveError) {
            let url = try CanonicalURL(parsing: exchange.request.url)
            let key = RequestKey(
                url: url, method: exchange.request.method,
                bodyDigest: try exchange.requestBody.mapTyped { (body) throws(ArchiveError) in try body.digest })
            guard (100...999).contains(exchange.response.status) else {
                throw ArchiveError(.invalidArgument, "cannot record status \(exchange.response.status) for \(url)")
            }
            // The time that the writer will set, so that a pending exchange equals the one from the archive.
            var response = exchange.response
            response.redirectTarget = response.redirectTarget(from: url)
            let stored = StoredExchange(
                url: url, request: exchange.request, response: response,
                body: exchange.body, time: successor(of: exchange.time, to: url), requestBody: exchange.requestBody)
            return add(key, stored)
        } catch {
            state.withLock { $0.pending.droppedCount += 1 }
            report(error)
            return false
        }
    }

    /// Records that a stored exchange was validated (RFC 9111 section 4.3.4): other header fields and a new time for the same body, which is
    /// not stored again.
    ///
    /// - Returns: the result, as for ``record(_:)``.
    @discardableResult
    func refresh(_ stored: StoredExchange, with response: ArchiveResponse, time: ArchiveTime) -> Bool {
        record(
            RecordedExchange(
                request: stored.request, requestBody: stored.requestBody, response: response, body: stored.body,
                time: time)
        )
    }

    /// Removes all records of a URL, for any request: it satisfies no request any more.
    package func remove(_ url: CanonicalURL) {
        let time = successor(of: options.now(), to: url)
        let key = RequestKey(url: url, method: "GET", bodyDigest: nil)
        change(exchangeCount: 0) { [keepsHistory = options.keepsHistory] state in
            state.pending.add(
                key, .removal(time), time: time, length: 0, fileCount: 0, keepsHistory: keepsHistory)
        }
    }

    /// Adds an exchange to the pending ones; returns false if the archive was closed.
    private func add(_ key: RequestKey, _ exchange: StoredExchange) -> Bool {
        var (length, fileCount) = (UInt64(0), 0)
        for case .spooled(let body)? in [exchange.body, exchange.requestBody] {
            length += body.length
            if body.isInFile { fileCount += 1 }
        }
        let now = options.now()
        let isTracked = options.removesUnused
        return change(exchangeCount: 1) { [keepsHistory = options.keepsHistory] state in
            state.pending.add(
                key, .exchange(exchange), time: exchange.time ?? now, length: length, fileCount: fileCount,
                keepsHistory: keepsHistory)
            if isTracked { state.uses.note(key, at: now) }
        }
    }

    /// Changes the pending records, and schedules a commit.
    ///
    /// - Parameter exchangeCount: the number of exchanges that are lost if the archive is closed.
    /// - Returns: false if it is.
    @discardableResult
    private func change(exchangeCount: Int, _ work: (inout State) -> Void) -> Bool {
        enum Due {
            case now, later, no
            case refused(isTold: Bool)
        }
        let due: Due = state.withLock { state in
            guard !state.isClosed else {
                state.pending.droppedCount += exchangeCount
                defer { state.isRefusalTold = true }
                return .refused(isTold: state.isRefusalTold)
            }
            work(&state)
            dropExcess(&state)
            let limit = PendingRecords.Limit(
                length: options.maximumPendingLength, count: Self.pendingCounts.due, fileCount: Self.pendingFiles.due)
            // While commits fail, only the timer tries again.
            if state.pending.exceeds(limit), state.failureCount == 0 {
                if state.isCommitQueued { return .no }
                state.isCommitQueued = true
                return .now
            }
            if state.isCommitDelayed { return .no }
            state.isCommitDelayed = true
            return .later
        }
        switch due {
        case .now: queue.async { [weak self] in self?.commitInBackground() }
        case .later: commitLater(after: options.commitInterval)
        case .no: break
        case .refused(let isTold):
            if !isTold { report(ArchiveError(.invalidArgument, "the archive is closed", path: path.string)) }
            return false
        }
        return true
    }

    /// Drops the oldest exchanges beyond the limit. As long as commits succeed their length has no limit: one long body must not
    /// displace all others that wait with it for the next commit.
    func dropExcess(_ state: inout State) {
        state.pending.drop(
            beyond: PendingRecords.Limit(
                length: state.failureCount > 0 ? options.maximumPendingLength.multipliedHeld(by: 4) : .max,
                count: Self.pendingCounts.most, fileCount: Self.pendingFiles.most))
    }

    /// Returns the time for hiding all records of a URL: `time`, unless a wrong clock has left a later one there.
    private func successor(of time: ArchiveTime, to url: CanonicalURL) -> ArchiveTime {
        let now = options.now()
        let (reader, pending) = state.withLock { ($0.reader, $0.pending[url]) }
        var latest = pending.map(\.time).max()
        if let reader, let stored = try? CaptureSearch(reader).newestTime(of: url) {
            latest = max(stored, latest ?? stored)
        }
        guard let latest, latest > now, latest > time else { return time }
        return latest
    }
}

extension UInt64 {
    /// Returns the product, or the largest number if that is too large.
    fileprivate func multipliedHeld(by factor: UInt64) -> UInt64 {
        let (product, overflows) = multipliedReportingOverflow(by: factor)
        return overflows ? .max : product
    }
}
