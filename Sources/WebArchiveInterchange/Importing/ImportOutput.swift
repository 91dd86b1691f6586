// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The commit to which an import adds, with its counts.
final class ImportOutput {
    let builder: CommitBuilder
    let bodies: GroupedBodies
    let options: ArchiveImporter.Options
    var summary = ArchiveImporter.Summary()
    var progress = WorkProgress()
    let budget: ImportBudget
    private let report: (@Sendable (WorkProgress) -> Void)?

    /// The number of records between two reports of progress.
    private static let reportInterval = 256

    init(
        _ builder: CommitBuilder, _ options: ArchiveImporter.Options,
        _ report: (@Sendable (WorkProgress) -> Void)? = nil, budget: ImportBudget = ImportBudget()
    ) {
        (self.builder, self.options, self.report, self.budget) = (builder, options, report, budget)
        bodies = GroupedBodies(builder, usesDictionaries: options.usesDictionaries)
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
        summary.damage.append(damage)
    }

    /// Adds a request with its response.
    func add(_ exchange: ImportedExchange) throws(ArchiveError) {
        let response = exchange.response
        let body = try bodies.add(exchange.body, kind: response.mediaType ?? "")
        let requestBody = try exchange.requestBody.mapTyped { content throws(ArchiveError) in
            try bodies.add(content, kind: "request")
        }
        _ = try builder.add(
            exchange.request, requestBody: requestBody, response: response, body: body, time: exchange.time)
        summary.responses += 1
        countRecord()
    }

    /// Adds a page to the list of pages.
    ///
    /// - Parameter text: the text of the page; nil for none.
    func add(_ page: ArchivePage, text: [UInt8]? = nil) throws(ArchiveError) {
        let body = try text.mapTyped { text throws(ArchiveError) in
            try text.withBytes { (bytes) throws(ArchiveError) in try bodies.add(bytes, kind: "text") }
        }
        try builder.add(page, text: body)
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
    var response: ArchiveResponse
    /// The content of the response without codings, finished.
    var body: SpooledBody
    var time: ArchiveTime?
}
