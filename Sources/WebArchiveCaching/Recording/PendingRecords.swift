// SPDX-License-Identifier: Apache-2.0

/// A pending record: an exchange, or the removal of a URL.
struct PendingRecord: Sendable {
    enum Kind: Sendable {
        case exchange(StoredExchange)
        /// The removal of all records of the URL that are not newer than this time.
        case removal(ArchiveTime)
    }

    /// The number, which grows in the order of records.
    let number: UInt64
    let key: RequestKey
    let kind: Kind
    let time: ArchiveTime
    /// The length of its bodies that are not in the archive yet.
    let length: UInt64
    /// The number of files that it keeps open.
    let fileCount: Int

    var exchange: StoredExchange? { if case .exchange(let exchange) = kind { exchange } else { nil } }
    var isRemoval: Bool { exchange == nil }

    /// Returns whether this is the response to a request with these fields.
    func fits(_ headers: HeaderFields) -> Bool {
        guard let exchange, let vary = exchange.response.headers["Vary"] else { return true }
        return VaryDifference(
            vary: vary, stored: VaryingFields(exchange.request.headers), requested: VaryingFields(headers)) == nil
    }

    /// Returns whether this one is at least as new as another.
    func isNewer(than other: PendingRecord) -> Bool { (other.time, other.number) <= (time, number) }

    /// Returns whether this one satisfies the request of an older record from now on.
    func hides(_ older: PendingRecord) -> Bool {
        guard isNewer(than: older), key.url == older.key.url else { return false }
        guard let exchange = older.exchange else { return false }
        return isRemoval || key == older.key && fits(exchange.request.headers)
    }
}

/// The records that wait for a commit, and those that are being written.
struct PendingRecords {
    private(set) var records: [UInt64: PendingRecord] = [:]
    private var numbers: [CanonicalURL: [UInt64]] = [:]
    private var next: UInt64 = 1
    /// The last record that is being written; records up to it stay until they are in the archive.
    private(set) var committing: UInt64 = 0
    /// The space that those take.
    private var written = Limit(length: 0, count: 0, fileCount: 0)
    /// The length of the pending exchanges.
    private(set) var length: UInt64 = 0
    private(set) var fileCount = 0
    /// The number of exchanges that were dropped because too many were pending.
    var droppedCount = 0

    var isEmpty: Bool { records.isEmpty }
    var count: Int { records.count }

    subscript(url: CanonicalURL) -> [PendingRecord] { numbers[url, default: []].compactMap { records[$0] } }

    /// Adds a record, and removes older ones that it hides, unless history is kept or they are just being written.
    ///
    /// A response that is not newer than a waiting removal of its URL is dropped.
    mutating func add(
        _ key: RequestKey, _ kind: PendingRecord.Kind, time: ArchiveTime, length: UInt64, fileCount: Int,
        keepsHistory: Bool
    ) {
        let record = PendingRecord(
            number: next, key: key, kind: kind, time: time, length: length, fileCount: fileCount)
        // A response from before the removal of its URL must not restore it.
        if !record.isRemoval, self[key.url].contains(where: { $0.isRemoval && $0.isNewer(than: record) }) { return }
        next += 1
        if !keepsHistory {
            for older in self[key.url] where older.number > committing {
                if record.hides(older) || record.isRemoval && older.isRemoval { remove(older.number) }
            }
        }
        records[record.number] = record
        numbers[key.url, default: []].append(record.number)
        self.length += length
        self.fileCount += fileCount
    }

    private mutating func remove(_ number: UInt64) {
        guard let record = records.removeValue(forKey: number) else { return }
        length -= record.length
        fileCount -= record.fileCount
        numbers[record.key.url]?.removeAll { $0 == number }
        if numbers[record.key.url]?.isEmpty == true { numbers[record.key.url] = nil }
    }

    /// Starts a commit: returns the pending records in their order.
    mutating func beginCommit() -> [PendingRecord] {
        committing = next - 1
        written = Limit(length: length, count: count, fileCount: fileCount)
        return records.values.sorted { $0.number < $1.number }
    }

    /// Ends the commit: the records are in the archive, or pending again.
    mutating func endCommit(succeeded: Bool) {
        if succeeded { for number in records.keys.filter({ $0 <= committing }) { remove(number) } }
        committing = 0
        written = Limit(length: 0, count: 0, fileCount: 0)
    }

    /// The limits of pending records.
    struct Limit {
        let length: UInt64
        let count: Int
        let fileCount: Int
    }

    func exceeds(_ limit: Limit) -> Bool {
        length > limit.length || count > limit.count || fileCount > limit.fileCount
    }

    /// Drops the oldest exchanges if a limit is exceeded, until a part of the limit is free again, so that the next ones fit.
    ///
    /// Records that are being written do not count: they cannot be dropped, and newer exchanges must not go in their place.
    mutating func drop(beyond limit: Limit) {
        guard waitingExceeds(limit) else { return }
        let target = Limit(
            length: limit.length - limit.length / 8, count: limit.count - limit.count / 8,
            fileCount: limit.fileCount - limit.fileCount / 8)
        for record in records.values.sorted(by: { $0.number < $1.number }) where record.number > committing {
            guard waitingExceeds(target) else { return }
            guard !record.isRemoval else { continue }
            remove(record.number)
            droppedCount += 1
        }
    }

    /// Returns whether pending records, without those that are being written, exceed a limit.
    private func waitingExceeds(_ limit: Limit) -> Bool {
        length - written.length > limit.length || count - written.count > limit.count
            || fileCount - written.fileCount > limit.fileCount
    }
}
