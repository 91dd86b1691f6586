// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// An encoder that writes the index of a commit from its draft. Specification sections 6 to 8 and 11.
struct IndexEncoder {
    let draft: IndexDraft
    let order: [UInt32]
    private let strings: (order: [[UInt8]], ranks: [UInt32])
    /// For each body of this commit its row, and for each row its body.
    private let bodyRows: [UInt32]
    private let bodyOrder: [UInt32]
    private var sink: IndexSink
    private var classes = ClassTable()

    init(_ draft: IndexDraft, into file: SequentialWriter) {
        self.draft = draft
        strings = draft.strings.sorted()
        order = draft.sortedEntries(strings.ranks)
        let bodies = draft.bodies
        bodyOrder = (0..<UInt32(bodies.count)).sorted {
            (bodies[Int($0)].digest, $0) < (bodies[Int($1)].digest, $1)
        }
        var rows = [UInt32](repeating: 0, count: bodies.count)
        for (row, body) in bodyOrder.enumerated() { rows[Int(body)] = UInt32(row) }
        bodyRows = rows
        sink = IndexSink(file)
    }

    /// Writes the index, and returns its page checksums and the class table.
    mutating func encode() throws(ArchiveError) -> (sums: [UInt8], classes: [UInt8]) {
        try encodeStrings()
        try encodeHeaders()
        try encodeBodies()
        try encodeMetadata()
        try encodeAnswers()
        try encodeEntries()
        try encodeRecords()
        try encodePages()
        try sink.finish()
        return (sink.sums.bytes, classes.encoded())
    }

    // MARK: - References

    /// Returns the reference to a string from its number among the interned ones.
    func string(_ number: UInt32) -> Int64 {
        number == 0 ? 0 : Int64(draft.firstRow(.string)) + Int64(strings.ranks[Int(number) - 1]) + 1
    }

    /// Returns the reference to a fill string: they follow the interned ones.
    func fill(_ number: UInt32) -> Int64 {
        number == 0 ? 0 : Int64(draft.firstRow(.string)) + Int64(draft.strings.internedCount) + Int64(number)
    }

    /// Returns the reference to a row of a class whose rows keep the order of the draft.
    func own(_ owner: IndexClass, _ number: UInt32) -> Int64 {
        number == 0 ? 0 : Int64(draft.firstRow(owner)) + Int64(number)
    }

    /// Returns the reference to a body: those of earlier commits keep their rows, those of this one are sorted.
    func body(_ number: UInt32) -> Int64 {
        let first = draft.firstRow(.body)
        return number <= first ? Int64(number) : Int64(first) + Int64(bodyRows[Int(number - first) - 1]) + 1
    }

    // MARK: - Tables

    mutating func write(_ table: RowTable, heap: FileExtent? = nil) throws(ArchiveError) {
        let none = try FileExtent(offset: 0, length: 0, within: 0)
        classes[table.owner] = try table.encode(
            into: &sink, firstRow: draft.firstRow(table.owner), heap: heap ?? none)
    }

    private mutating func encodeStrings() throws(ArchiveError) {
        let start = sink.length
        var starts: [Int64] = []
        var position: Int64 = 0
        for text in strings.order {
            starts.append(position)
            position += Int64(text.count)
            try sink.append(text)
        }
        try sink.append(draft.strings.fillText)
        let heap = try FileExtent(
            offset: start, length: sink.length - start, within: FormatLimits.maximumFileLength)
        let pool = draft.strings
        var table = RowTable(.string, rowCount: starts.count + pool.fillCount)
        table.add(.stringText) { row in
            row < starts.count ? starts[row] : position + Int64(pool.fillStart(row - starts.count))
        }
        try write(table, heap: heap)
    }

    private mutating func encodeHeaders() throws(ArchiveError) {
        let (encoder, pool) = (self, draft.lists)
        var fields = RowTable(.headerField, rowCount: pool.fields.count)
        fields.add(.fieldName) { encoder.string(pool.fields[$0].name) }
        fields.add(.fieldForm) { Int64(pool.fields[$0].form) }
        fields.add(.fieldValue) { encoder.string(pool.fields[$0].value) }
        try write(fields)
        var lists = RowTable(.headerList, rowCount: pool.lists.count)
        lists.add(.listFirst) { encoder.own(.headerField, pool.lists[$0].first + 1) }
        lists.add(.listCount) { Int64(pool.lists[$0].count) }
        try write(lists)
    }

    private mutating func encodeBodies() throws(ArchiveError) {
        let (encoder, draft, bodyOrder) = (self, draft, bodyOrder)
        var blocks = RowTable(.block, rowCount: draft.blocks.count)
        blocks.add(.blockOffset) { Int64(draft.blocks[$0].offset) }
        blocks.add(.blockLength) { Int64(draft.blocks[$0].length) }
        blocks.add(.blockChecksum) { Int64(draft.blocks[$0].checksum) }
        blocks.add(.blockCoding) { draft.blocks[$0].isCompressed ? BlockCoding.lz4.rawValue : BlockCoding.raw.rawValue }
        blocks.add(.blockDictionary) { Int64(draft.blocks[$0].dictionary) }
        try write(blocks)
        var bodies = RowTable(.body, rowCount: draft.bodies.count)
        bodies.add(.bodyDigest, digest: { draft.bodies[Int(bodyOrder[$0])].digest })
        bodies.add(.bodyBlock) { row in
            let body = draft.bodies[Int(bodyOrder[row])]
            return body.length == 0 ? 0 : encoder.own(.block, body.block + 1)
        }
        bodies.add(.bodyOffset) { Int64(draft.bodies[Int(bodyOrder[$0])].offset) }
        bodies.add(.bodyLength) { Int64(draft.bodies[Int(bodyOrder[$0])].length) }
        try write(bodies)
        var dictionaries = RowTable(.dictionary, rowCount: draft.dictionaries.count)
        dictionaries.add(.dictionaryBody) { encoder.body(draft.dictionaries[$0].body) }
        dictionaries.add(.dictionaryName) { encoder.string(draft.dictionaries[$0].name) }
        try write(dictionaries)
    }

    private mutating func encodeMetadata() throws(ArchiveError) {
        let (encoder, rows) = (self, draft.metadata)
        var table = RowTable(.metadata, rowCount: rows.count)
        table.add(.metadataName) { encoder.string(rows[$0].name) }
        table.add(.metadataValue) { encoder.string(rows[$0].value) }
        table.add(.metadataBody) { encoder.body(rows[$0].body) }
        try write(table)
    }

    private mutating func encodeAnswers() throws(ArchiveError) {
        let (encoder, requests) = (self, draft.requests)
        var table = RowTable(.request, rowCount: requests.count)
        table.add(.requestMethod) { encoder.string(requests[$0].method) }
        table.add(.requestHeaders) { encoder.own(.headerList, requests[$0].headers) }
        table.add(.requestFill) { encoder.fill(requests[$0].fill) }
        table.add(.requestBody) { encoder.body(requests[$0].body) }
        table.add(.requestVersion) { encoder.string(requests[$0].version) }
        table.add(.requestHead) { encoder.body(requests[$0].original.head) }
        table.add(.requestWire) { encoder.body(requests[$0].original.wire) }
        try write(table)
        try write(answerTable(.response, draft.responses, .response))
        var redirects = answerTable(.redirect, draft.redirects, .redirect)
        let rows = draft.redirects
        redirects.add(.redirectTarget) { encoder.string(rows[$0].target) }
        try write(redirects)
    }

    private func answerTable(_ owner: IndexClass, _ rows: AnswerRows, _ keys: AnswerKeys) -> RowTable {
        var table = RowTable(owner, rowCount: rows.count)
        table.add(keys.status) { Int64(rows[$0].status) }
        table.add(keys.reason) { string(rows[$0].reason) }
        table.add(keys.headers) { own(.headerList, rows[$0].headers) }
        table.add(keys.fill) { fill(rows[$0].fill) }
        table.add(keys.mediaType) { string(rows[$0].mediaType) }
        table.add(keys.charset) { string(rows[$0].charset) }
        table.add(keys.body) { body(rows[$0].body) }
        table.add(keys.modified) { rows[$0].modified }
        table.add(keys.address) { string(rows[$0].address) }
        table.add(keys.codings) { string(rows[$0].codings) }
        table.add(keys.version) { string(rows[$0].version) }
        table.add(keys.head) { body(rows[$0].original.head) }
        table.add(keys.wire) { body(rows[$0].original.wire) }
        table.add(keys.truncated) { string(rows[$0].truncated) }
        table.add(keys.absent) { string(rows[$0].absent) }
        table.add(keys.derived) { rows[$0].isDerived ? 1 : 0 }
        return table
    }

    private mutating func encodeEntries() throws(ArchiveError) {
        let (encoder, draft, order) = (self, draft, order)
        try encodeKeys()
        var entries = RowTable(.entry, rowCount: order.count)
        entries.add(.entryRequest) { encoder.own(.request, draft.entries[Int(order[$0])].request) }
        entries.add(.entryURL) { encoder.string(draft.entries[Int(order[$0])].url) }
        entries.add(.entryAnswer) { Int64(draft.entries[Int(order[$0])].answer) }
        entries.add(.entryTime) { draft.entries[Int(order[$0])].time }
        entries.add(.entryRole) { Int64(draft.entries[Int(order[$0])].role) }
        entries.add(.entryFailure) { encoder.string(draft.entries[Int(order[$0])].failure) }
        try write(entries)
    }

    private mutating func encodeKeys() throws(ArchiveError) {
        let (draft, order) = (draft, order)
        var slots: [HashSlots.Slot] = []
        var starts: [Int64] = []
        let heapStart = sink.length
        var block: [UInt8] = []
        var previous = UnsafeRawBufferPointer(start: nil, count: 0)
        var position: Int64 = 0
        for (row, entry) in order.enumerated() {
            let key = draft.key(Int(entry))
            if row == 0 || key.compareBytes(previous) != 0 {
                slots.append(HashSlots.Slot(hash: Checksum.of(key), entry: UInt32(row)))
            }
            if row % FormatLimits.keysPerBlock == 0 {
                try sink.append(block)
                position += Int64(block.count)
                starts.append(position)
                block.removeAll(keepingCapacity: true)
                previous = UnsafeRawBufferPointer(start: nil, count: 0)
            }
            KeyBlock.append(key, after: previous, to: &block)
            previous = key
        }
        try sink.append(block)
        let heap = try FileExtent(
            offset: heapStart, length: sink.length - heapStart, within: FormatLimits.maximumFileLength)
        var blocks = RowTable(.keyBlock, rowCount: starts.count)
        blocks.add(.keyBlockKeys) { starts[$0] }
        try write(blocks, heap: heap)
        try encodeHashTable(HashSlots(slots))
    }

    private mutating func encodeHashTable(_ hashTable: HashSlots) throws(ArchiveError) {
        var slots = RowTable(.slot, rowCount: hashTable.slots.count)
        slots.add(.slotEntry) { Int64(hashTable.slots[$0].entry) }
        slots.add(.slotTag) { Int64(hashTable.slots[$0].hash >> 24) }
        try write(slots)
        var buckets = RowTable(.bucket, rowCount: hashTable.bucketStarts.count)
        buckets.add(.bucketFirst) { Int64(hashTable.bucketStarts[$0]) }
        try write(buckets)
    }
}
