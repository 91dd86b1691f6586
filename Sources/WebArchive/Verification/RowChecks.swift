// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A check of every row of every class against section 7: values, references, texts, and the rules of its
/// class.
///
/// Keys, hash table and blocks' order have checks of their own. Rows are checked in parts, by all threads.
struct RowChecks {
    let archive: ArchiveReader

    /// The classes that are checked here, in the order of the findings.
    private static let classes: [IndexClass] = [
        .string, .headerField, .headerList, .request, .response, .redirect, .body, .block, .dictionary, .metadata,
        .entry, .record, .page,
    ]

    func run(_ parallel: ParallelWork, into log: inout FindingLog) {
        let (lists, targets) = (HeaderListTable(archive.index, parallel), RedirectTargetCache(archive.index))
        for number in archive.index.commits.indices {
            for owner in Self.classes {
                let count = archive.index.commits[number].rowCount(owner)
                parallel.forEachPart(of: count, in: archive.index, into: &log) { [archive] rows in
                    var check = RowCheck(archive, commit: number, lists, targets)
                    check.check(owner, rows)
                    return check.log
                }
            }
        }
    }
}

/// The checks of some rows of one commit.
struct RowCheck {
    let index: ArchiveIndex
    /// The store of the blocks that rows refer to.
    let store: BlockStore
    /// The number of the commit.
    let number: Int
    let commit: CommitIndex
    /// The findings of these rows.
    var log = FindingLog(limit: FindingLog.partLimit)
    /// The profiles of all header lists.
    let lists: HeaderListTable
    /// The texts that are known to be URLs or not.
    let targets: RedirectTargetCache
    /// The lengths of the strings that could be read, in bytes: one of a mebibyte has 256 pages, and any number of rows may refer to it.
    private var stringLengths: [RowPlace: Int] = [:]

    init(_ archive: ArchiveReader, commit number: Int, _ lists: HeaderListTable, _ targets: RedirectTargetCache) {
        (self.lists, self.targets) = (lists, targets)
        index = archive.index
        store = archive.blocks
        self.number = number
        commit = archive.index.commits[number]
    }

    /// Checks rows of a class of this commit.
    mutating func check(_ owner: IndexClass, _ rows: Range<Int>) {
        if commit.zeroWidthRowCount(owner) > 2 {
            // All of them are equal, except the very last one, whose text has a different end.
            checkEach(of: [rows.lowerBound, rows.upperBound - 1], owner)
            guard !log.isEmpty else { return }
            log = FindingLog(limit: FindingLog.partLimit)
        }
        checkEach(of: rows, owner)
    }

    private mutating func checkEach(of rows: some Collection<Int>, _ owner: IndexClass) {
        let keys = owner.keys
        let rules = Self.rules(of: owner)
        for (number, row) in rows.enumerated() {
            guard !log.isFull else { return log.leaveOut(rows.count - number) }
            let concerned = RowNumber(owner: owner, row: commit.firstRow(owner) + row)
            for key in keys {
                do throws(ArchiveError) { try checkValue(key, row) } catch { log.add(error, concerning: concerned) }
            }
            for rule in rules {
                do throws(ArchiveError) { try apply(rule, row) } catch { log.add(error, concerning: concerned) }
            }
        }
    }

    /// Returns the position of a row of this commit.
    func place(_ row: Int) -> RowPlace { RowPlace(commit: UInt32(number), row: UInt32(row)) }

    private mutating func checkValue(_ key: IndexKey, _ row: Int) throws(ArchiveError) {
        switch key.type {
        case .integer, .time: _ = try commit.integer(key, row)
        case .bytes: _ = try commit.digest(row)
        case .text: _ = try commit.text(key, row, atMost: FormatLimits.maximumStringLength)
        case .reference:
            guard let (owner, target) = try index.reference(key, place(row)), owner == .string else { return }
            _ = try stringLength(target)
        }
    }

    /// Returns the length of a string, in bytes, which is read once.
    mutating func stringLength(_ string: RowPlace) throws(ArchiveError) -> Int {
        if let known = stringLengths[string] { return known }
        let length = try index.string(string).count
        stringLengths[string] = length
        return length
    }

    /// A condition on the rows of a class beyond the types of their values.
    private enum Rule {
        case field, list, request
        case status(AnswerKeys)
        case headers(AnswerKeys)
        case target
        case body, digestOrder, block, dictionary, metadata
        case absence(AnswerKeys)
        case failure, record, page
    }

    private static func rules(of owner: IndexClass) -> [Rule] {
        switch owner {
        case .headerField: [.field]
        case .headerList: [.list]
        case .request: [.request]
        case .response: [.status(.response), .headers(.response), .absence(.response)]
        case .redirect: [.status(.redirect), .headers(.redirect), .absence(.redirect), .target]
        case .body: [.body, .digestOrder]
        case .block: [.block]
        case .dictionary: [.dictionary]
        case .metadata: [.metadata]
        case .entry: [.failure]
        case .record: [.record]
        case .page: [.page]
        default: []
        }
    }

    private mutating func apply(_ rule: Rule, _ row: Int) throws(ArchiveError) {
        switch rule {
        case .field: try checkField(row)
        case .list: try checkList(row)
        case .request: try checkRequest(row)
        case .status(let keys): try checkStatus(keys, row)
        case .headers(let keys): try checkHeaders(keys.headers, keys.fill, row, isRequest: false)
        case .target: try checkTarget(row)
        case .body: try checkBody(row)
        case .digestOrder: try checkDigestOrder(row)
        case .block: try checkBlock(row)
        case .dictionary: try checkDictionary(row)
        case .metadata: try checkMetadata(row)
        case .absence(let keys): try checkAbsence(keys, row)
        case .failure: try checkEntry(row)
        case .record: try checkRecord(row)
        case .page: try checkPage(row)
        }
    }
}
