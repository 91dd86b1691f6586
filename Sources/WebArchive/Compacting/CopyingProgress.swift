// SPDX-License-Identifier: Apache-2.0

/// A report that tells now and then how far a compaction has come.
struct CopyingProgress {
    private var state = WorkProgress()
    private var told: UInt64 = 0
    private let report: (@Sendable (WorkProgress) -> Void)?

    init(_ archive: StoredArchive, _ reader: ArchiveReader, report: (@Sendable (WorkProgress) -> Void)?) {
        self.report = report
        state.totalBytes = archive.commits.reduce(0) { $0 + $1.blocksLength }
        state.totalItems = reader.entryCount
    }

    /// Counts bytes of blocks, and tells every mebibyte.
    mutating func add(bytes: UInt64) {
        state.bytes += bytes
        if state.bytes - told >= 1 << 20 {
            told = state.bytes
            report?(state)
        }
    }

    /// Counts an entry, and tells every 1,024 of them.
    mutating func addEntry() {
        state.items += 1
        if state.items % 1024 == 0 { report?(state) }
    }
}
