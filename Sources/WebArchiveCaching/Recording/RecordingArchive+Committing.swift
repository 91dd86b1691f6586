// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
public import WebArchive

extension RecordingArchive {
    /// The maximum time between two attempts to commit.
    private static let maximumDelay = Duration.seconds(60)

    /// Writes pending records to the archive, and returns when they are on disk. It does nothing without pending records.
    ///
    /// Call it when the app goes to the background, and ``close()`` before the process ends. It blocks, even while another commit or a
    /// compaction of this archive runs; lookups and recording continue meanwhile.
    ///
    /// - Throws: `locked` if another writer has locked the archive, `io`, `limitExceeded`; `damaged`, `notAnArchive` and others if the file has
    ///   become unreadable. The records then stay pending, and are written again later.
    public func commit() throws(ArchiveError) {
        do throws(ArchiveError) {
            let failures = try writing.withLock { maintenance throws(ArchiveError) in try writePending(&maintenance) }
            guard let failures else { return }
            // The called function may commit, so the lock is free by now.
            for failure in failures { report(failure) }
        } catch {
            let failureCount = state.withLock { state in
                state.failureCount += 1
                dropExcess(&state)
                return state.failureCount
            }
            retryCommit(failureCount)
            throw error
        }
        maintainInBackground()
    }

    /// Writes pending records to the archive, and returns when they are on disk. Does not block the cooperative pool.
    ///
    /// - Throws: as the function of this name that is not `async`.
    public func commit() async throws(ArchiveError) {
        try await onQueue { (archive) throws(ArchiveError) in try archive.commit() }
    }

    /// Performs blocking work on the archive's own queue.
    func onQueue(
        _ work: @escaping @Sendable (RecordingArchive) throws(ArchiveError) -> Void
    ) async throws(ArchiveError) {
        let failure: ArchiveError? = await withCheckedContinuation { continuation in
            queue.async {
                do throws(ArchiveError) {
                    try work(self)
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        if let failure { throw failure }
    }

    func commitInBackground() {
        state.withLock { $0.isCommitQueued = false }
        do throws(ArchiveError) {
            try commit()
        } catch {
            report(error)
        }
    }

    /// Commits after a time; the caller has set `isCommitDelayed`.
    func commitLater(after delay: Duration) {
        options.delay.run(delay, queue) { [weak self] in
            self?.state.withLock { $0.isCommitDelayed = false }
            self?.commitInBackground()
        }
    }

    /// Schedules another attempt, with growing delays, up to a minute.
    private func retryCommit(_ failureCount: Int) {
        let isFree = state.withLock { state in
            guard !state.isCommitDelayed, !state.isClosed else { return false }
            state.isCommitDelayed = true
            return true
        }
        guard isFree else { return }
        let factor = 1 << min(failureCount, 8)
        commitLater(after: max(options.commitInterval, min(options.commitInterval * factor, Self.maximumDelay)))
    }

    /// Writes the pending records.
    ///
    /// - Returns: the errors of exchanges that could not be stored; nil if there was nothing to write.
    private func writePending(_ maintenance: inout Maintenance) throws(ArchiveError) -> [ArchiveError]? {
        let batch = state.withLock { $0.pending.isEmpty ? [] : $0.pending.beginCommit() }
        guard !batch.isEmpty else { return nil }
        do throws(ArchiveError) {
            do throws(ArchiveError) {
                return try write(batch)
            } catch {
                // Other processes may have brought the file to the most commits that it can have.
                guard error.code == .limitExceeded else { throw error }
                try compactFile(&maintenance)
                return try write(batch)
            }
        } catch {
            state.withLock { $0.pending.endCommit(succeeded: false) }
            throw error
        }
    }

    /// Writes records in one commit, and reopens the archive.
    ///
    /// - Returns: why single exchanges could not be stored.
    private func write(_ batch: [PendingRecord]) throws(ArchiveError) -> [ArchiveError] {
        var writer = try BatchWriter(path, options: options.writing)
        try writer.write(batch)
        let reader = try Self.open(path, options.access)
        state.withLock { state in
            state.adopt(reader)
            state.pending.endCommit(succeeded: true)
            state.pending.droppedCount += writer.failures.count
            state.failureCount = 0
        }
        return writer.failures
    }
}

extension RecordingArchive.State {
    /// Adopts a newer state of the archive.
    mutating func adopt(_ newer: ArchiveReader?) {
        // In a different file the entries have other positions.
        if newer?.fileNumber != reader?.fileNumber { evicted = [] }
        reader = newer
    }
}
