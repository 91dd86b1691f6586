// SPDX-License-Identifier: Apache-2.0

/// A periodic report of the progress of a copy.
final class CopyingProgress {
    private var state = WorkProgress()
    private var told: UInt64 = 0
    private let report: (@Sendable (WorkProgress) -> Void)?

    /// - Parameter archives: the archives that are copied, one after the other.
    init(_ archives: [StoredArchive], report: (@Sendable (WorkProgress) -> Void)?) {
        self.report = report
        state.totalBytes = archives.reduce(0) { sum, archive in
            archive.commits.reduce(sum) { $0.addingSaturated($1.blocksLength) }
        }
        state.totalItems = archives.reduce(0) { $0 + $1.reader.entryCount }
    }

    /// Counts bytes of blocks, and reports every mebibyte.
    func add(bytes: UInt64) {
        state.bytes += bytes
        if state.bytes - told >= 1 << 20 {
            told = state.bytes
            report?(state)
        }
    }

    /// Counts an entry, and reports every 1,024 of them.
    func addEntry() {
        state.items += 1
        if state.items % 1024 == 0 { report?(state) }
    }
}
