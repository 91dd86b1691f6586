// SPDX-License-Identifier: Apache-2.0

extension DecodingBudget {
    /// A budget for one pass over all entries, records and pages of an archive: far more than entries with header fields of several kilobytes
    /// need, and little enough for a second or two of work.
    ///
    /// - Parameter times: the factor for passes that decode an entry several times; 1 by default.
    package convenience init(forPassOver archive: ArchiveReader, times: UInt64 = 1) {
        // Entries that take hardly a byte pay for no more than the file does.
        let rows = UInt64(archive.entryCount) + UInt64(archive.recordCount) + UInt64(archive.pageCount)
        let entries = min(rows.multipliedSaturated(by: 4096), archive.fileLength.multipliedSaturated(by: 64))
        let file = archive.fileLength.multipliedSaturated(by: 16)
        self.init(
            for: "a pass over the archive",
            bytes: Int(
                clamping: entries.addingSaturated(file).addingSaturated(64 << 20).multipliedSaturated(by: times)))
    }
}

extension ArchiveReader {
    /// Returns the same archive, which charges every decoded value to a budget.
    ///
    /// It costs two objects. Its entries charge the budget as well.
    package func limited(to budget: DecodingBudget) -> ArchiveReader { ArchiveReader(sharing: self, budget: budget) }

    /// Returns the same archive with a budget for one pass over its entries.
    package func limitedToOnePass() -> ArchiveReader { limited(to: DecodingBudget(forPassOver: self)) }

    /// Returns the same archive with a budget for a conversion, which decodes an entry several times.
    package func limitedToOneConversion() -> ArchiveReader { limited(to: DecodingBudget(forPassOver: self, times: 8)) }
}

extension ArchiveEntry {
    /// Returns the same entry, which charges every decoded value to a budget.
    package func limited(to budget: DecodingBudget) -> ArchiveEntry {
        ArchiveEntry(place, of: archive.limited(to: budget))
    }
}
