// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import SystemPackage
import WebArchive

/// A store that commits exchanges to an archive in the background, in batches.
///
/// Exchanges are pending in memory and in nameless files until their commit is on disk. A failed commit keeps them pending, and is tried again.
/// Work is done on one queue, in the order of the exchanges; the counts are behind a lock, so that event loops never wait for the disk.
final class ExchangeStore: Sendable {
    struct State {
        var pending: [StoredForm] = []
        /// The bytes and files of ``pending`` alone.
        var (pendingLength, pendingFileCount) = (UInt64(0), 0)
        /// The number of bytes and files of all exchanges that are not on disk, also of those that have no stored form yet.
        var length: UInt64 = 0
        var fileCount = 0
        var isCommitScheduled = false
        /// The number of failed commits since the last one that succeeded.
        var failureCount = 0
        var isClosed = false
        var counts = RecordingCounts()
        /// Functions that wait for room, in the order of their coming.
        var waiting: [@Sendable () -> Void] = []
        var archiveLength: UInt64 = 0
        var isFullTold = false
        /// The responses that are not stored again; nil if all are stored.
        var former: FormerResponses?
    }

    let options: StoringOptions
    let state = Mutex(State())
    private let queue = DispatchQueue(label: "webarc.record", qos: .userInitiated)
    /// The time of the start, from which the distance of commits grows.
    private let start = ContinuousClock.now

    /// The number of pending exchanges, and of those with a body in a file, that cause a commit at once.
    private static let maximumCount = 2_000
    private static let maximumFileCount = 32

    /// Opens the archive, if there is one.
    ///
    /// - Throws: errors of opening an archive.
    init(_ options: StoringOptions) throws(ArchiveError) {
        self.options = options
        if FileStatus(of: options.path) != nil {
            let archive = try ArchiveReader(path: options.path)
            state.withLock { state in
                state.archiveLength = archive.fileLength
                if options.leavesOutUnchanged { state.former = FormerResponses(archive) }
            }
        }
    }

    // MARK: - Recording

    /// Takes an exchange, from any thread. It does not block.
    func record(_ exchange: CapturedExchange) {
        let (length, files) = (exchange.length, exchange.fileCount)
        state.withLock { state in
            state.length += length
            state.fileCount += files
        }
        queue.async { [self] in add(exchange, length, files) }
    }

    /// Reports a request that got no response.
    func recordFailure(_ request: ArchiveRequest, _ time: ArchiveTime, _ reason: String) {
        state.withLock { $0.counts.failures += 1 }
        queue.async { [options] in
            options.onExchange?(
                ProxiedExchange(
                    method: request.method, url: request.url, status: nil, bodyDigest: nil, requestBodyDigest: nil,
                    bodyLength: 0, time: time, truncation: nil, failure: reason))
        }
    }

    /// Calls a function when not too many exchanges are pending: at once, or after a commit. While commits fail, there is always room, and the oldest exchanges are dropped.
    func whenRoom(_ work: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            if state.failureCount > 0 || state.length < 2 * options.maximumPendingLength { return true }
            state.waiting.append(work)
            return false
        }
        if isFree { work() }
    }

    private func add(_ exchange: CapturedExchange, _ length: UInt64, _ files: Int) {
        var form: StoredForm?
        var failure: String?
        do throws(ArchiveError) {
            form = try StoredForm(exchange, options)
            if let fault = state.withLock({ $0.refusal(options) }) {
                failure = fault.message
                if state.withLock({ $0.tellsFull() }) { options.onFailure?(fault) }
            }
        } catch {
            failure = error.message
            options.onFailure?(error)
        }
        exchange.whenStored?(
            form.map { LoadedResponse(response: $0.response, body: $0.body, time: $0.time) })
        options.onExchange?(
            ProxiedExchange(
                method: exchange.request.method, url: exchange.request.url, status: exchange.head.status,
                bodyDigest: form?.digest, requestBodyDigest: form?.requestDigest, bodyLength: form?.body?.length ?? 0,
                time: exchange.time, truncation: exchange.truncation, failure: failure))
        let isUnchanged = failure == nil && form.map(isUnchanged) == true
        let isDue = state.withLock { state in
            state.length -= length
            state.fileCount -= files
            guard failure == nil, let form else {
                state.counts.dropped += 1
                return false
            }
            guard !isUnchanged else {
                state.counts.unchanged += 1
                return false
            }
            state.take(form, exchange.truncation != nil)
            // While commits fail, nothing else keeps the number of pending exchanges down.
            if state.failureCount > 0 { dropExcess(&state) }
            // Those that the queue has not come to do not count: each of them would be a commit then.
            return state.pendingLength >= options.maximumPendingLength || state.pending.count >= Self.maximumCount
                || state.pendingFileCount >= Self.maximumFileCount
        }
        if isDue, state.withLock({ $0.failureCount }) == 0 { commitNow() } else { commitLater() }
    }

    /// Returns whether the archive has the response already; on the queue only.
    private func isUnchanged(_ form: StoredForm) -> Bool {
        // Lookups take longer than the lock may be held.
        guard var former = state.withLock({ $0.takeFormer() }) else { return false }
        let isUnchanged = former.hasSame(form)
        state.withLock { [former] in $0.former = former }
        return isUnchanged
    }

    // MARK: - Committing

    /// Commits pending exchanges, and what `adding` adds to the same commit. It returns when that is on disk.
    ///
    /// - Throws: errors of the writer and of `adding`. The exchanges stay pending.
    func commit(
        adding: (@Sendable (CommitBuilder, GroupedBodies) throws(ArchiveError) -> Void)? = nil
    ) async throws(ArchiveError) {
        let failure: ArchiveError? = await withCheckedContinuation { continuation in
            queue.async { [self] in
                do throws(ArchiveError) {
                    try write(adding)
                    continuation.resume(returning: nil)
                } catch {
                    commitLater()
                    continuation.resume(returning: error)
                }
            }
        }
        if let failure { throw failure }
    }

    /// Commits on the queue; a failure is reported, and the commit is tried again later.
    private func commitNow() {
        do throws(ArchiveError) {
            try write(nil)
        } catch {
            options.onFailure?(error)
            commitLater()
        }
    }

    private func commitLater() {
        let delay: Duration? = state.withLock { state in
            guard !state.isCommitScheduled, !state.isClosed, !state.pending.isEmpty else { return nil }
            state.isCommitScheduled = true
            return interval * (1 << min(state.failureCount, 5))
        }
        guard let delay else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay.nanoseconds))) { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.isCommitScheduled = false }
            self.commitNow()
        }
    }

    /// The time from the first pending exchange to its commit: it grows with the running time, up to a minute, since each commit costs lookups time and an archive
    /// has 1,024 at most.
    private var interval: Duration {
        max(options.commitInterval, min((ContinuousClock.now - start) / 100, .seconds(60)))
    }

    /// Writes the pending exchanges; on the queue only.
    private func write(_ adding: ((CommitBuilder, GroupedBodies) throws(ArchiveError) -> Void)?) throws(ArchiveError) {
        let batch = state.withLock { $0.pending }
        guard !batch.isEmpty || adding != nil else { return }
        do throws(ArchiveError) {
            let writer = try openWriter()
            let refused = try writer.write(batch, adding: adding)
            let archive = try ArchiveReader(path: options.path)
            let waiting = state.withLock { $0.finish(batch, refused: refused.count, archive.fileLength) }
            for error in refused { options.onFailure?(error) }
            for work in waiting { work() }
            if try CommitWriter.isCompactionDue(archive) { try compact() }
        } catch {
            let waiting = state.withLock { state in
                state.failureCount += 1
                dropExcess(&state)
                defer { state.waiting = [] }
                return state.waiting
            }
            for work in waiting { work() }
            throw error
        }
    }

    private func dropExcess(_ state: inout State) {
        state.drop(beyond: 4 * options.maximumPendingLength, files: 4 * Self.maximumFileCount)
    }

    private func openWriter() throws(ArchiveError) -> CommitWriter {
        do throws(ArchiveError) {
            return try CommitWriter(options.path)
        } catch {
            // Other processes may have brought the file to the most commits that it can have.
            guard error.code == .limitExceeded else { throw error }
            try compact()
            return try CommitWriter(options.path)
        }
    }

    /// Merges the commits of the archive.
    private func compact() throws(ArchiveError) {
        try ArchiveCompactor(options.path).run()
        let length = try ArchiveReader(path: options.path).fileLength
        state.withLock { $0.archiveLength = length }
    }

    /// Commits the pending exchanges, and schedules no more commits.
    ///
    /// - Throws: errors of the writer.
    func close() async throws(ArchiveError) {
        state.withLock { $0.isClosed = true }
        try await commit()
    }
}
