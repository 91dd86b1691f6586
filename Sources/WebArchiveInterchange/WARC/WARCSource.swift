// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A WARC file as a source of an import.
struct WARCSource: ImportSource {
    let hasRecords = true
    private let reader: WARCReader

    init(_ reader: WARCReader) { self.reader = reader }

    func add(to run: ImportRun) throws(ArchiveError) { try run.records.add(reader) }
}
