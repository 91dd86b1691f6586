// SPDX-License-Identifier: Apache-2.0

import WebArchiveFormat

/// A row of a class, counted through all commits.
struct RowNumber: Hashable, Sendable {
    /// The class.
    let owner: IndexClass
    /// The number of the row, through all commits.
    let row: Int
}

/// A log that collects findings: the same damage, found again from a different row, is one finding that concerns both rows.
///
/// A file can be made in which every row is wrong, so the number of kept findings is limited; the rest is counted.
struct FindingLog: Sendable {
    /// A row that cannot be read, or is read wrong, because of a finding.
    struct Concern: Sendable {
        /// The number of the finding in its log.
        let finding: Int
        let row: RowNumber
    }

    /// The maximum number of findings of a whole archive.
    static let archiveLimit = 10_000
    /// The maximum number of findings of one part of the work.
    static let partLimit = 256
    private static let concernLimit = 1 << 20
    /// The maximum length of all messages and URLs that are kept, in bytes: both may contain URLs of 64 KiB.
    private static let textLimit = 4 << 20

    private let limit: Int
    /// The kept findings, in their order.
    private(set) var findings: [VerificationFinding] = []
    private var numbers: [VerificationFinding: Int] = [:]
    /// The rows that they affect.
    private(set) var concerns: [Concern] = []
    private var textLength = 0
    private var unlistedErrors = 0
    private var unlistedWarnings = 0
    private var uncheckedRows = 0

    init(limit: Int = Self.archiveLimit) { self.limit = limit }

    /// Whether there are no findings.
    var isEmpty: Bool { findings.isEmpty }

    /// Whether findings are now only counted: creating more of them is useless.
    var isFull: Bool { unlistedErrors > 0 || unlistedWarnings > 0 }

    /// Counts rows that are left out of a check, since the log is full.
    mutating func leaveOut(_ rowCount: Int) { uncheckedRows += rowCount }

    /// Adds a finding, unless it exists already; and the row that it affects.
    mutating func add(_ finding: VerificationFinding, concerning row: RowNumber? = nil) {
        guard let number = number(of: finding) else { return }
        if let row { add(Concern(finding: number, row: row)) }
    }

    /// Adds the finding of an error.
    mutating func add(_ error: ArchiveError, concerning row: RowNumber? = nil) {
        add(VerificationFinding(error), concerning: row)
    }

    private mutating func number(of finding: VerificationFinding) -> Int? {
        if let known = numbers[finding] { return known }
        let length = finding.message.utf8.count + (finding.url?.utf8.count ?? 0)
        guard findings.count < limit, textLength + length <= Self.textLimit else {
            if finding.severity == .error { unlistedErrors += 1 } else { unlistedWarnings += 1 }
            return nil
        }
        textLength += length
        numbers[finding] = findings.count
        findings.append(finding)
        return findings.count - 1
    }

    private mutating func add(_ concern: Concern) {
        // The keys of one row often lead to the same damage in turn.
        if let last = concerns.last, last.finding == concern.finding, last.row == concern.row { return }
        if concerns.count < Self.concernLimit { concerns.append(concern) }
    }

    /// Adds the findings of a part of the work.
    mutating func merge(_ part: FindingLog) {
        let numbers = part.findings.map { number(of: $0) }
        for concern in part.concerns {
            if let number = numbers[concern.finding] { add(Concern(finding: number, row: concern.row)) }
        }
        unlistedErrors += part.unlistedErrors
        unlistedWarnings += part.unlistedWarnings
        uncheckedRows += part.uncheckedRows
    }

    /// Returns all findings with the URLs that they affect, and a final one for those beyond the limit.
    func result(affecting urls: [AffectedURLs.List]) -> [VerificationFinding] {
        var result = findings
        for (number, list) in urls.enumerated() {
            result[number].affectedURLs = list.urls
            result[number].affectedURLCount = list.count
            if result[number].url == nil { result[number].url = list.urls.first }
        }
        if unlistedErrors > 0 { result.append(.init(.notListed, .error, "\(unlistedErrors) more errors, not listed")) }
        if unlistedWarnings > 0 {
            result.append(.init(.notListed, .warning, "\(unlistedWarnings) more warnings, not listed"))
        }
        if uncheckedRows > 0 {
            let message = "\(uncheckedRows) more rows, not checked: too many rows near them are damaged"
            result.append(.init(.notListed, .error, message))
        }
        return result
    }
}

extension ParallelWork {
    /// Calls `work` with parts of the rows 0 to `count` - 1, and merges their findings.
    ///
    /// Periodically, while no part is being processed, the memory of pages is released.
    func forEachPart(
        of count: Int, in index: ArchiveIndex, into log: inout FindingLog, _ work: @Sendable (Range<Int>) -> FindingLog
    ) {
        let length = Self.partLength
        for start in stride(from: 0, to: count, by: Self.trimLength) {
            let end = min(start + Self.trimLength, count)
            run(
                (end - start + length - 1) / length, state: {},
                work: { _, number in
                    let part = work(start + number * length..<min(start + (number + 1) * length, end))
                    return part.isEmpty ? nil : part
                },
                merge: { part in log.merge(part) })
            index.trimPages()
        }
    }

    /// The number of rows that are checked before the memory of pages is released: 64 MiB of the widest.
    private static let trimLength = 1 << 16

    /// The number of rows of a part: a multiple of the keys of a key block.
    static let partLength = 4096
}
