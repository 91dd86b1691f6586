// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import WebArchive

extension ExchangeStore.State {
    /// Adds an exchange to the pending ones.
    mutating func take(_ form: StoredForm, _ isTruncated: Bool) {
        pending.append(form)
        length += form.length
        fileCount += form.fileCount
        pendingLength += form.length
        pendingFileCount += form.fileCount
        counts.exchanges += 1
        counts.bytes += form.body?.length ?? 0
        if isTruncated { counts.truncated += 1 }
    }

    /// Removes the exchanges of a successful commit, and returns those that waited for room.
    mutating func finish(_ batch: [StoredForm], refused: Int, _ archiveLength: UInt64) -> [@Sendable () -> Void] {
        pending.removeFirst(batch.count)
        for form in batch { subtract(form) }
        counts.dropped += refused
        counts.exchanges -= refused
        counts.commits += 1
        (failureCount, self.archiveLength) = (0, archiveLength)
        defer { waiting = [] }
        return waiting
    }

    /// Drops the oldest exchanges while there are too many.
    mutating func drop(beyond limit: UInt64, files: Int) {
        var count = 0
        while count < pending.count, length > limit || fileCount > files {
            subtract(pending[count])
            count += 1
        }
        pending.removeFirst(count)
        counts.dropped += count
        counts.exchanges -= count
    }

    private mutating func subtract(_ form: StoredForm) {
        length -= min(length, form.length)
        fileCount -= min(fileCount, form.fileCount)
        pendingLength -= min(pendingLength, form.length)
        pendingFileCount -= min(pendingFileCount, form.fileCount)
    }

    /// Returns the former responses, and forgets them, so that a change of them copies nothing.
    mutating func takeFormer() -> FormerResponses? {
        defer { former = nil }
        return former
    }

    /// Returns the reason why nothing more is stored; nil if there is room.
    func refusal(_ options: StoringOptions) -> ArchiveError? {
        guard archiveLength.addingSaturated(length) > options.maximumArchiveLength else { return nil }
        return ArchiveError(
            .limitExceeded,
            "the archive reaches \(options.maximumArchiveLength) bytes; further exchanges are forwarded, and not recorded",
            path: options.path.string, recovery: .raiseLimit)
    }

    /// Returns whether a full archive is to be reported now: once.
    mutating func tellsFull() -> Bool {
        defer { isFullTold = true }
        return !isFullTold
    }
}
