// SPDX-License-Identifier: Apache-2.0

/// The responses of a commit, most of which have much in common: each combination is kept once.
struct AnswerRows {
    private struct Row {
        let modified: Int64
        let common, fill, body, target: UInt32
    }

    private struct Common: Hashable {
        let status: UInt16
        let isDerived: Bool
        let reason, headers, mediaType, charset, address, codings, version, truncated: UInt32
    }

    /// The properties that few responses have.
    private struct Rare {
        let absent: UInt32
        let original: IndexDraft.Original
    }

    private var rows = RowList<Row>()
    private var commons: [Common] = []
    private var numbers: [Common: UInt32] = [:]
    private var rares: [Int: Rare] = [:]

    /// The number of responses.
    var count: Int { rows.count }

    /// Adds a response.
    mutating func append(_ answer: IndexDraft.Answer) {
        let common = Common(
            status: answer.status, isDerived: answer.isDerived, reason: answer.reason, headers: answer.headers,
            mediaType: answer.mediaType, charset: answer.charset, address: answer.address, codings: answer.codings,
            version: answer.version, truncated: answer.truncated)
        let number = numbers[common] ?? UInt32(commons.count)
        if number == commons.count {
            commons.append(common)
            numbers[common] = number
        }
        if answer.absent != 0 || answer.original != IndexDraft.Original() {
            rares[rows.count] = Rare(absent: answer.absent, original: answer.original)
        }
        rows.append(
            Row(
                modified: answer.modified, common: number, fill: answer.fill, body: answer.body,
                target: answer.target))
    }

    subscript(index: Int) -> IndexDraft.Answer {
        let row = rows[index]
        let common = commons[Int(row.common)]
        var answer = IndexDraft.Answer(
            modified: row.modified, status: common.status, reason: common.reason, headers: common.headers,
            fill: row.fill, mediaType: common.mediaType, charset: common.charset, body: row.body,
            address: common.address, codings: common.codings, target: row.target, version: common.version,
            truncated: common.truncated, isDerived: common.isDerived)
        if !rares.isEmpty, let rare = rares[index] { (answer.absent, answer.original) = (rare.absent, rare.original) }
        return answer
    }
}
