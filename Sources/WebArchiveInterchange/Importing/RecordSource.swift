// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A file of records as a source of an import.
struct RecordSource: ImportSource {
    /// Whether the records can be written again as they were.
    let hasRecords: Bool
    private let reader: RecordReader

    /// - Parameter input: the decoded bytes of a WARC file.
    init(warc input: any ByteInput) {
        (reader, hasRecords) = (RecordReader(BufferedInput(input), WARCSyntax()), true)
    }

    /// - Parameter input: the decoded bytes of an ARC file.
    init(arc input: any ByteInput) {
        (reader, hasRecords) = (RecordReader(BufferedInput(input), ARCSyntax()), false)
    }

    func add(to run: ImportRun) throws(ArchiveError) { try run.records.add(reader) }
}
