// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The records of the sources in their order: each is written when those before it are known to be kept, and in what form.
struct RecordQueue {
    /// A record that is kept.
    struct Record {
        var value: ArchiveRecord
        /// The head, where it is not the serialised one.
        let head: CommitBuilder.BodyReference?
    }

    /// The place of a record whose form is known later.
    final class Slot {
        fileprivate var isSettled = false
        fileprivate var content: Content?
    }

    fileprivate struct Content {
        var record: Record
        var block: CommitBuilder.BodyReference?
        var exchange: ImportedEntry?
    }

    private let target: ImportTarget
    private var slots: [Slot] = []

    init(_ target: ImportTarget) { self.target = target }

    /// The exchanges of the records that are not written yet.
    var exchanges: [ImportedEntry] { slots.compactMap { $0.content?.exchange } }

    /// Keeps the next place for a record.
    mutating func reserve(_ slot: Slot) { slots.append(slot) }

    /// Appends a record whose block is stored by itself.
    mutating func append(_ record: Record, block: CommitBuilder.BodyReference) {
        let slot = Slot()
        reserve(slot)
        settle(slot, record, block: block)
    }

    /// Appends a record whose block is a part of an exchange.
    mutating func append(_ record: Record, of exchange: ImportedEntry, part: ArchiveRecord.Part) {
        let slot = Slot()
        reserve(slot)
        settle(slot, record, of: exchange, part: part)
    }

    /// Sets the record of a reserved place; nil for none.
    func settle(_ slot: Slot, _ record: Record?, block: CommitBuilder.BodyReference?) {
        slot.isSettled = true
        slot.content = record.map { Content(record: $0, block: block) }
    }

    /// Sets the record of a reserved place, whose block is a part of an exchange.
    func settle(
        _ slot: Slot, _ record: Record?, of exchange: ImportedEntry, part: ArchiveRecord.Part
    ) {
        slot.isSettled = true
        slot.content = record.map { record in
            var record = record
            record.value.part = part
            return Content(record: record, exchange: exchange)
        }
    }

    /// Writes the records up to the first one that is not settled.
    mutating func write() throws(ArchiveError) {
        let count = slots.firstIndex { !$0.isSettled } ?? slots.count
        for slot in slots[..<count] {
            guard let content = slot.content else { continue }
            try target.add(
                content.record.value, head: content.record.head, block: content.block, exchange: content.exchange)
        }
        slots.removeFirst(count)
    }
}
