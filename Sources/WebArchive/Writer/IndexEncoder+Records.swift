// SPDX-License-Identifier: Apache-2.0

/// The tables of records and pages, which few archives have. Specification section 7.
extension IndexEncoder {
    mutating func encodeRecords() throws(ArchiveError) {
        let (encoder, rows) = (self, draft.records)
        guard !rows.isEmpty else { return }
        // The place of each entry among the sorted ones.
        var places = [UInt32](repeating: 0, count: order.count)
        for (place, entry) in order.enumerated() { places[Int(entry)] = UInt32(place) }
        let first = draft.firstRow(.entry)
        var table = RowTable(.record, rowCount: rows.count)
        table.add(.recordVersion) { encoder.string(rows[$0].version) }
        table.add(.recordHeaders) { encoder.own(.headerList, rows[$0].headers) }
        table.add(.recordFill) { encoder.fill(rows[$0].fill) }
        table.add(.recordHead) { encoder.body(rows[$0].head) }
        table.add(.recordEntry) { [places] row in
            let entry = rows[row].entry
            return entry <= first ? Int64(entry) : Int64(first) + Int64(places[Int(entry - first) - 1]) + 1
        }
        table.add(.recordPart) { Int64(rows[$0].part) }
        table.add(.recordBlock) { encoder.body(rows[$0].block) }
        table.add(.recordEnd) { encoder.string(rows[$0].end) }
        try write(table)
    }

    mutating func encodePages() throws(ArchiveError) {
        let (encoder, rows) = (self, draft.pages)
        guard !rows.isEmpty else { return }
        var table = RowTable(.page, rowCount: rows.count)
        table.add(.pageURL) { encoder.string(rows[$0].url) }
        table.add(.pageTime) { rows[$0].time }
        table.add(.pageTitle) { encoder.string(rows[$0].title) }
        table.add(.pageText) { encoder.body(rows[$0].text) }
        table.add(.pageScreenshot) { encoder.body(rows[$0].screenshot) }
        table.add(.pageStatus) { Int64(rows[$0].status) }
        table.add(.pageSeed) { rows[$0].isSeed ? 1 : 0 }
        table.add(.pageDepth) { Int64(rows[$0].depth) }
        try write(table)
    }
}
