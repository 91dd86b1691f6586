// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
public import WebArchive

extension RecordingArchive {
    /// The longest time between two attempts to commit.
    private static let longestDelay = Duration.seconds(60)

    /// Writes what waits to the archive, and returns when it is on disk. Does nothing if nothing waits.
    ///
    /// Call it when the app goes to the background, and ``close()`` before the process ends. It blocks, also while another commit or a
    /// compaction of this archive runs; lookups and recording continue meanwhile.
    ///
    /// - Throws: `locked` if another writer is at work, `io`, `limitExceeded`; `damaged`, `notAnArchive` and others where the file has
    ///   become unreadable. What waits continues waiting then, and is tried again.
    public func commit() throws(ArchiveError) {
        do throws(ArchiveError) {
            let failures = try writing.withLock { maintenance throws(ArchiveError) in try writePending(&maintenance) }
            guard let failures else { return }
            // Whoever is told may commit, so the lock is free by now.
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

    /// Writes what waits to the archive, and returns when it is on disk; no thread of Swift's tasks is kept waiting.
    ///
    /// - Throws: as the function of this name that is not `async`.
    public func commit() async throws(ArchiveError) {
        try await onQueue { (archive) throws(ArchiveError) in try archive.commit() }
    }

    /// Does work that blocks on the archive's own queue.
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

    /// Sees to another attempt, later each time, up to a minute.
    private func retryCommit(_ failureCount: Int) {
        let isFree = state.withLock { state in
            guard !state.isCommitDelayed, !state.isClosed else { return false }
            state.isCommitDelayed = true
            return true
        }
        guard isFree else { return }
        let factor = 1 << min(failureCount, 8)
        commitLater(after: max(options.commitInterval, min(options.commitInterval * factor, Self.longestDelay)))
    }

    /// - Returns: why exchanges could not be stored, each of them; nil if there was nothing to write.
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

    /// Writes records in one commit, and opens the archive as it is then.
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
    /// Takes a newer state of the archive.
    mutating func adopt(_ newer: ArchiveReader?) {
        // In another file the entries have other positions.
        if newer?.fileNumber != reader?.fileNumber { evicted = [] }
        reader = newer
    }
}
