// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

extension RecordingArchive {
    /// The number of requests whose times are written with each commit; more are written at ``useSavingPace``.
    private static let quickUseCount = 10_000
    private static let useSavingPace = Duration.seconds(60)

    func saveUsesAfterCommit() {
        let isQuick = state.withLock { $0.uses.times.count <= Self.quickUseCount }
        if isQuick { saveUses() } else { saveUsesLater() }
    }

    /// Schedules writing the times of last uses, unless it is already scheduled.
    func saveUsesLater() {
        let isDue = state.withLock { state in
            guard state.uses.isChanged, !state.areUsesDelayed, !state.isClosed else { return false }
            state.areUsesDelayed = true
            return true
        }
        guard isDue else { return }
        options.delay.run(Self.useSavingPace, queue) { [weak self] in
            self?.state.withLock { $0.areUsesDelayed = false }
            self?.saveUses()
        }
    }

    /// Writes the times of last uses, if they have changed. Errors are ignored.
    func saveUses() {
        guard options.removesUnused else { return }
        // The called function may commit, so the lock is free by then.
        if let failure = writing.withLock({ _ in writeUses() }) { report(failure) }
    }

    /// Writes the times and returns the error; called while `writing` is held.
    private func writeUses() -> ArchiveError? {
        let (isChanged, reader) = state.withLock { state in
            defer { state.uses.isChanged = false }
            return (state.uses.isChanged, state.reader)
        }
        // Without an archive there is nothing to remove.
        guard isChanged, let reader else { return nil }
        var times = checkedTimes(reader)
        let file = UseTimesFile(path: Self.usesFile(of: path))
        // Another process may have used captures that this one has not.
        for (key, time) in file.read(now: options.now()) where times[key] != nil || Self.holds(reader, key) {
            times[key] = max(times[key] ?? time, time)
        }
        do throws(ArchiveError) {
            try file.write(times)
            return nil
        } catch {
            state.withLock { $0.uses.isChanged = true }
            return error
        }
    }

    /// Returns the times without those in the file of missing captures, which are looked up once.
    private func checkedTimes(_ reader: ArchiveReader) -> [RequestKey: ArchiveTime] {
        let uses = state.withLock { $0.uses }
        guard !uses.isChecked else { return uses.times }
        let unknown = Set(uses.times.keys.filter { !Self.holds(reader, $0) })
        return state.withLock { state in
            let waiting = Set(state.pending.records.values.map(\.key))
            state.uses.keep { !unknown.contains($0) || waiting.contains($0) }
            // All of it is written now.
            state.uses.isChanged = false
            return state.uses.times
        }
    }

    private static func holds(_ reader: ArchiveReader, _ key: RequestKey) -> Bool {
        let captures = try? reader.captures(of: key.url, method: key.method, bodyDigest: key.bodyDigest)
        return captures?.isEmpty == false
    }
}
