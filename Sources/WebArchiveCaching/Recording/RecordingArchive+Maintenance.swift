// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
public import WebArchive

/// The findings of the last survey of the whole archive.
struct Maintenance {
    /// The length of the file at its last survey.
    var surveyedLength: UInt64 = 0
}

extension RecordingArchive {
    /// The minimum waste for a compaction, in bytes.
    private static let minimumWaste: UInt64 = 64 << 10
    /// The number of commits at which a file is compacted even if little of it is new: this leaves room for those of other processes.
    private static let maximumCommitCount = 512
    /// Returns the target level of eviction: an eighth below a capacity, so that not every commit exceeds it again.
    private static func lowWater(_ capacity: UInt64) -> UInt64 { capacity - capacity / 8 }

    // MARK: - In the background

    /// Checks on the archive's own queue for captures to remove or compact, and writes the times of uses.
    func maintainInBackground(isSweep: Bool = false) {
        guard !state.withLock({ $0.isClosed }) else { return }
        queue.async { [weak self] in
            guard let self else { return }
            do throws(ArchiveError) {
                try maintain(isSweep: isSweep)
            } catch {
                report(error)
            }
            saveUsesAfterCommit()
        }
    }

    /// Schedules repeated checks for captures without a request within the expiry.
    func sweepLater() {
        guard let expiry = options.expiry else { return }
        let pace = min(max(expiry / 8, .seconds(1)), .seconds(3600))
        options.delay.run(pace, queue) { [weak self] in
            self?.maintainInBackground(isSweep: true)
            self?.sweepLater()
        }
    }

    /// Removes captures beyond the capacity and the expiry, and compacts the file if that is worthwhile.
    func maintain(isSweep: Bool) throws(ArchiveError) {
        try writing.withLock { maintenance throws(ArchiveError) in
            guard let reader, needsSurvey(reader, maintenance) || isSweep else { return }
            var target = options.capacity.bytes.map(Self.lowWater)
            // The length of entries is an estimate, so the first compaction may free too little.
            for _ in 0..<4 {
                let keptLength = try evict(toLength: target)
                guard let reader = self.reader else { return }
                maintenance.surveyedLength = reader.fileLength
                guard isCompactionDue(reader, keptLength) else { return }
                try compactFile(&maintenance)
                guard let limit = options.capacity.bytes, let length = self.reader?.fileLength, length > limit else {
                    return
                }
                target = target.map { $0 / 2 }
            }
        }
    }

    private func needsSurvey(_ reader: ArchiveReader, _ maintenance: Maintenance) -> Bool {
        let evictedCount = state.withLock { $0.evicted.count }
        if options.capacity.bytes.map({ reader.fileLength > $0 }) ?? false { return true }
        if options.capacity.entries.map({ reader.entryCount - evictedCount > $0 }) ?? false { return true }
        if hasManyCommits(reader) { return true }
        // A file of one commit was compacted, or packed.
        let length = maintenance.surveyedLength
        return reader.commitCount > 1 && reader.fileLength > length + max(length / 4, Self.minimumWaste)
    }

    /// Returns whether there are more commits than lookups should search, and merging them does not copy much more than was added.
    private func hasManyCommits(_ reader: ArchiveReader) -> Bool {
        guard reader.commitCount >= max(2, options.maximumCommitCount) else { return false }
        let first = StoredArchive(reader).commits.first?.length ?? 0
        return reader.commitCount >= Self.maximumCommitCount || first < 8 << 20 || reader.fileLength - first > first / 8
    }

    /// Returns whether compacting the file is worthwhile: for the number of its commits, or for its part of waste.
    private func isCompactionDue(_ reader: ArchiveReader, _ keptLength: UInt64) -> Bool {
        if hasManyCommits(reader) { return true }
        let waste = reader.fileLength - min(keptLength, reader.fileLength)
        if let limit = options.capacity.bytes, reader.fileLength > limit { return waste > reader.fileLength / 16 }
        return waste > Self.minimumWaste && Double(waste) > options.wasteLimit * Double(reader.fileLength)
    }

    /// Hides captures that were not used for long. Returns the approximate length of the file without them.
    private func evict(toLength target: UInt64?) throws(ArchiveError) -> UInt64 {
        let (reader, uses) = state.withLock { ($0.reader, $0.uses) }
        guard let reader else { return 0 }
        let now = options.now()
        var survey = try ArchiveSurvey(reader, retention(), uses: options.removesUnused ? uses : nil, now: now)
        guard options.removesUnused else { return survey.keptLength }
        let isTooLong = options.capacity.bytes.map { survey.keptLength > $0 } ?? false
        let evicted = survey.evict(
            ArchiveSurvey.Limit(
                count: options.capacity.entries, length: isTooLong ? target : nil,
                oldest: options.expiry.map { now.advanced(by: -$0.nanoseconds) }))
        let keys = survey.keptKeys
        state.withLock { state in
            if !evicted.isEmpty { state.evicted.formUnion(evicted) }
            let waiting = Set(state.pending.records.values.map(\.key))
            state.uses.keep { keys.contains($0) || waiting.contains($0) }
        }
        return survey.keptLength
    }

    // MARK: - Compacting

    /// Commits pending records, and compacts the archive without captures that no request can find. Lookups and recording continue meanwhile.
    ///
    /// Blocks until the new file has taken the place of the old one; for that time both are on disk. Entries that cannot be read go as
    /// well.
    ///
    /// - Throws: as `commit()`.
    public func compact() throws(ArchiveError) {
        try commit()
        try writing.withLock { maintenance throws(ArchiveError) in
            guard reader != nil else { return }
            try compactFile(&maintenance)
        }
    }

    /// Commits pending records and compacts the archive. Does not block the cooperative pool.
    ///
    /// - Throws: as `commit()`.
    public func compact() async throws(ArchiveError) {
        try await onQueue { (archive) throws(ArchiveError) in try archive.compact() }
    }

    /// Compacts the file to the captures of ``retention()``; called while `writing` is held.
    ///
    /// If something in it is damaged, a second run reads every entry as a whole, and leaves out unreadable ones.
    ///
    /// - Throws: `locked`, `io`, or errors of opening an archive.
    func compactFile(_ maintenance: inout Maintenance) throws(ArchiveError) {
        let retention = retention()
        do throws(ArchiveError) {
            try ArchiveCompactor(path).run(keeping: retention.filter())
        } catch {
            guard error.code == .damaged else { throw error }
            // An unreadable capture is a miss anyway, and must not keep the file from shrinking.
            let isKept = retention.filter()
            try ArchiveCompactor(path).run { entry throws(ArchiveError) in
                guard try isKept(entry) else { return false }
                return try entry.isReadable
            }
        }
        let reader = try Self.open(path, options.access)
        state.withLock { $0.adopt(reader) }
        maintenance.surveyedLength = reader?.fileLength ?? 0
    }

    /// Returns the selection that stays: removals count only in the file in which they were made.
    private func retention() -> CaptureRetention {
        let (evicted, file) = state.withLock { ($0.evicted, $0.reader?.fileNumber) }
        return CaptureRetention(evicted: evicted, file: file, keepsHistory: options.keepsHistory)
    }
}
