// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The archive to which an import adds, with its counts.
final class ImportOutput {
    let target: ImportTarget
    let options: ArchiveImporter.Options
    var summary = ArchiveImporter.Summary()
    var progress = WorkProgress()
    let budget: InterchangeBudget
    private let report: (@Sendable (WorkProgress) -> Void)?

    /// The maximum number of faults that are kept.
    private static let maximumDamageCount = 1_000
    /// The number of records between two reports of progress.
    private static let reportInterval = 256

    init(
        _ target: ImportTarget, _ options: ArchiveImporter.Options,
        _ report: (@Sendable (WorkProgress) -> Void)? = nil, budget: InterchangeBudget = InterchangeBudget()
    ) {
        (self.target, self.options, self.report, self.budget) = (target, options, report, budget)
    }

    /// Counts a record, or an exchange of a source that has none, and reports the progress now and then.
    func countRecord() {
        summary.records += 1
        progress.items = summary.records
        if summary.records % Self.reportInterval == 0 { report?(progress) }
    }

    /// Notes damage of a source that is passed over.
    ///
    /// - Throws: the damage, with ``ArchiveImporter/Options/isStrict``.
    func note(_ damage: ArchiveError) throws(ArchiveError) {
        if options.isStrict { throw damage }
        summary.damageCount += 1
        if summary.damage.count < Self.maximumDamageCount { summary.damage.append(damage) }
    }

    /// Adds a request with its response, or with the reason why it got none.
    @discardableResult
    func add(_ exchange: ImportedExchange) throws(ArchiveError) -> ImportedEntry {
        let response = exchange.response
        try budget.keep(exchange.length)
        var body = exchange.storedBody
        if let content = exchange.body { body = try target.store(content, kind: response?.mediaType ?? "") }
        let requestBody = try exchange.requestBody.mapTyped { content throws(ArchiveError) in
            try target.store(content, kind: "request")
        }
        var originals = OriginalBodies()
        originals.response.head = try exchange.originalHead.mapTyped { head throws(ArchiveError) in
            try head.withBytes { (bytes) throws(ArchiveError) in try target.store(bytes, kind: "head") }
        }
        let entry = try target.add(
            exchange.request, requestBody: requestBody, response: response, body: body, time: exchange.time,
            role: response?.absentDigest == nil ? .exchange : .withoutBody, originals: originals,
            failure: exchange.failure)
        if response != nil { summary.responses += 1 }
        countRecord()
        if target.isCommitDue(progress) { try target.commit(at: progress) }
        return entry
    }

    /// Adds a page to the list of pages.
    ///
    /// - Parameter text: the text of the page; nil for none.
    func add(_ page: ArchivePage, text: [UInt8]? = nil) throws(ArchiveError) {
        try budget.keep(256 + page.url.utf8.count + (page.title?.utf8.count ?? 0))
        let body = try text.mapTyped { text throws(ArchiveError) in
            try text.withBytes { (bytes) throws(ArchiveError) in try target.store(bytes, kind: "text") }
        }
        try target.add(page, text: body)
        summary.pages += 1
    }

    /// Reports the progress at the end of a source.
    func endSource() { report?(progress) }
}

/// A request and its response from a source that has no records.
struct ImportedExchange {
    var request: ArchiveRequest
    /// The content of the request, finished; nil for none.
    var requestBody: SpooledBody?
    /// The response; nil if there was none.
    var response: ArchiveResponse?
    /// The content of the response without codings, finished; nil if the source lacks it.
    var body: SpooledBody?
    /// The content of the response, if it is stored already; nil otherwise.
    var storedBody: CommitBuilder.BodyReference?
    var time: ArchiveTime?
    /// The status line, the fields and the empty line as they were received; nil if they are the serialised head.
    var originalHead: [UInt8]?
    /// The reason why there was no response; nil if there was one.
    var failure: String?

    /// The number of bytes of the texts, which stay in memory up to the commit.
    fileprivate var length: Int {
        let fields = request.headers.length + (response?.headers.length ?? 0) + (response?.reasonBytes.count ?? 0)
        let texts = [
            request.url, failure, response?.redirectTarget, response?.absentDigest, response?.address,
            response?.truncation,
        ]
        return texts.reduce(256 + fields) { $0 + ($1?.utf8.count ?? 0) }
    }
}
