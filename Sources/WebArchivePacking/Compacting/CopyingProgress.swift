// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// Tells now and then how far a compaction has come.
struct CopyingProgress {
    private var state = PackingProgress()
    private var told: UInt64 = 0
    private let report: (@Sendable (PackingProgress) -> Void)?

    init(_ archive: StoredArchive, _ reader: ArchiveReader, report: (@Sendable (PackingProgress) -> Void)?) {
        self.report = report
        state.totalBytes = archive.commits.reduce(0) { $0 + $1.blocksLength }
        state.totalFiles = reader.entryCount
    }

    mutating func add(bytes: UInt64) {
        state.bytes += bytes
        if state.bytes - told >= 1 << 20 {
            told = state.bytes
            report?(state)
        }
    }

    mutating func addEntry() {
        state.files += 1
        if state.files % 1024 == 0 { report?(state) }
    }
}
