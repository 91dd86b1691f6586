// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// A run of an importer: the records of its sources become entries and records of one commit.
struct ImportRun {
    private let builder: CommitBuilder
    private let bodies: GroupedBodies
    private let options: ArchiveImporter.Options
    private let isComplete: Bool
    private var summary = ArchiveImporter.Summary()
    private var progress = WorkProgress()
    /// The requests and responses whose counterpart may still come, the oldest first.
    private var pending: [HalfExchange] = []
    private var payloads = PayloadTable()
    private var deferred: [Revisit] = []
    private var records: RecordQueue
    /// The bytes after the block of the present record.
    private var end: [UInt8] = []

    /// The maximum number of halves that wait: writers put the two next to each other, or a few records apart.
    private static let pendingLimit = 16
    private static let unresolvedLimit = 1_000
    /// The number of records between two reports of progress.
    private static let reportInterval = 256

    /// - Parameter isComplete: whether the archive has all records of its sources, with those of this run.
    init(_ builder: CommitBuilder, _ options: ArchiveImporter.Options, isComplete: Bool) {
        self.builder = builder
        self.isComplete = isComplete
        self.options = options
        bodies = GroupedBodies(builder)
        records = RecordQueue(builder)
    }

    /// Imports all records of a source.
    mutating func add(
        _ reader: WARCReader, _ report: (@Sendable (WorkProgress) -> Void)?
    ) throws(ArchiveError) {
        while let head = try reader.next() {
            if options.isStrict, let damage = reader.damage.first { throw damage }
            var block = ReceivedMessage()
            do throws(ArchiveError) {
                let isWhole = try reader.readBlock { bytes throws(ArchiveError) in
                    try block.append(bytes)
                    progress.bytes += UInt64(bytes.count)
                }
                guard isWhole else {
                    throw ArchiveError(
                        .truncated, "the record ends before its \(head.blockLength) bytes", offset: head.offset)
                }
            } catch {
                guard try reader.passOver(error) else { break }
                continue
            }
            try block.finish()
            summary.records += 1
            end = try reader.end()
            try add(head, block)
            try records.write()
            progress.items = summary.records
            if summary.records % Self.reportInterval == 0 { report?(progress) }
        }
        if options.isStrict, let damage = reader.damage.first { throw damage }
        summary.damage += reader.damage
        report?(progress)
    }

    /// Ends the import: exchanges without a counterpart and revisits are stored.
    ///
    /// - Returns: the counts.
    mutating func finish() throws(ArchiveError) -> ArchiveImporter.Summary {
        while !pending.isEmpty { try store(pending.removeFirst()) }
        for revisit in deferred { try store(revisit, payloads[revisit.label]) }
        try records.finish()
        try builder.setMetadata(MetadataName.records, to: isComplete ? MetadataName.allRecords : "some")
        try bodies.finish()
        return summary
    }

    // MARK: - Records

    private mutating func add(_ head: WARCHead, _ block: ReceivedMessage) throws(ArchiveError) {
        let url = head.target.flatMap { (try? CanonicalURL($0)) == nil ? nil : $0 }
        switch (head.type, block.head) {
        case ("response", let message?):
            if let url, let status = StatusLine(message.startLine) {
                return try addResponse(head, url, status, message.fields, block)
            }
        case ("request", let message?):
            if let url, let line = RequestLine(message.startLine) {
                return try add(.request(head, url, line, message.fields, block, record: try record(head)), head)
            }
        case ("revisit", let message):
            if let url { return try addRevisit(head, url, message, block) }
        case ("resource", _):
            if let url { return try addResource(head, url, block) }
        default: break
        }
        summary.otherRecords += 1
        records.append(try record(head), block: try store(block))
    }

    /// Stores the bytes of a block as they are.
    private func store(_ block: ReceivedMessage) throws(ArchiveError) -> CommitBuilder.BodyReference {
        guard !block.headBytes.isEmpty else { return try bodies.add(block.content, kind: "block") }
        let all = SpooledBody()
        try block.headBytes.withBytes { (bytes) throws(ArchiveError) in try all.append(bytes) }
        try block.content.forEachBuffer { bytes throws(ArchiveError) in try all.append(bytes) }
        all.finish()
        return try bodies.add(all, kind: "block")
    }

    private func record(_ head: WARCHead) throws(ArchiveError) -> RecordQueue.Record {
        RecordQueue.Record(
            value: ArchiveRecord(version: head.version, headers: head.fields, end: end),
            head: head.odd.isEmpty
                ? nil
                : try head.odd.withBytes { (bytes) throws(ArchiveError) in
                    try bodies.add(bytes, kind: "head")
                })
    }

    private mutating func addResponse(
        _ head: WARCHead, _ url: String, _ status: StatusLine, _ fields: HeaderFields, _ block: ReceivedMessage
    ) throws(ArchiveError) {
        let content = try ReceivedContent(block.content, fields)
        var response = ArchiveResponse(
            status: status.status, headers: fields, address: head.fields["WARC-IP-Address"], codings: content.removed)
        response.reasonBytes = status.reason
        response.version = status.version
        response.truncation = head.fields["WARC-Truncated"]
        let body = try bodies.add(content.body, kind: response.mediaType ?? "")
        var original = OriginalBodies.Message()
        let line = StatusLine.bytes(version: status.version, status: status.status, reason: status.reason)
        if let odd = block.oddHead(line) {
            original.head = try odd.withBytes { (bytes) throws(ArchiveError) in try bodies.add(bytes, kind: "head") }
        }
        if options.keepsOriginals, !content.removed.isEmpty {
            original.wire = try bodies.add(block.content, kind: "wire")
        }
        if let label = head.fields["WARC-Payload-Digest"], response.truncation == nil { payloads.insert(label, body) }
        summary.responses += 1
        try add(
            .response(head, url, response, body, original, record: options.keepsOriginals ? try record(head) : nil),
            head)
    }

    /// Stores a file without a request: its URL gets it as a response.
    private mutating func addResource(
        _ head: WARCHead, _ url: String, _ block: ReceivedMessage
    ) throws(ArchiveError) {
        // A resource that looks like a message is one file all the same.
        let body = try store(block)
        let type = head.fields["Content-Type"]
        var response = ArchiveResponse(headers: type.map { ["Content-Type": $0] } ?? [])
        response.isDerived = true
        response.truncation = head.fields["WARC-Truncated"]
        let entry = try builder.add(
            ArchiveRequest(url: url), response: response, body: body, time: head.time)
        summary.responses += 1
        if options.keepsOriginals { records.append(try record(head), of: entry, part: .body) }
    }

    // MARK: - Exchanges

    /// Joins a half with its counterpart, or lets it wait for it.
    private mutating func add(_ half: HalfExchange, _ head: WARCHead) throws(ArchiveError) {
        if options.keepsOriginals || half.isRequest { records.reserve(half.slot) }
        if let place = pending.firstIndex(where: { $0.isCounterpart(of: half) }) {
            let other = pending.remove(at: place)
            try store(other.isRequest ? half : other, request: other.isRequest ? other : half)
            return
        }
        if pending.count == Self.pendingLimit { try store(pending.removeFirst()) }
        pending.append(half)
    }

    /// Stores a half that has no counterpart.
    private mutating func store(_ half: HalfExchange) throws(ArchiveError) {
        guard half.isRequest else { return try store(half, request: nil) }
        // An entry for it would state that there is no response.
        summary.otherRecords += 1
        records.settle(
            half.slot, half.record, block: try half.block.mapTyped { block throws(ArchiveError) in try store(block) })
    }

    private mutating func store(_ half: HalfExchange, request: HalfExchange?) throws(ArchiveError) {
        var (sent, originals) = (ArchiveRequest(url: half.url), OriginalBodies())
        var requestBody: CommitBuilder.BodyReference?
        if let request, let line = request.line, let block = request.block {
            (sent.method, sent.version, sent.headers) = (line.method, line.version, request.fields)
            if let odd = block.oddHead(RequestLine.bytes(method: line.method, url: half.url, version: line.version)) {
                originals.request.head = try odd.withBytes { (bytes) throws(ArchiveError) in
                    try bodies.add(bytes, kind: "head")
                }
            }
            let content = try ReceivedContent(block.content, request.fields)
            if content.body.length > 0 { requestBody = try bodies.add(content.body, kind: "request") }
            if options.keepsOriginals, !content.removed.isEmpty {
                originals.request.wire = try bodies.add(block.content, kind: "wire")
            }
        }
        originals.response = half.original
        let entry = try builder.add(
            sent, requestBody: requestBody, response: half.response, body: half.body, time: half.time,
            originals: originals)
        if options.keepsOriginals { records.settle(half.slot, half.record, of: entry, part: .response) }
        if let request {
            if options.keepsOriginals {
                records.settle(request.slot, request.record, of: entry, part: .request)
            } else {
                records.drop(request.slot)
            }
        }
    }

    // MARK: - Revisits

    private mutating func addRevisit(
        _ head: WARCHead, _ url: String, _ message: MessageHead?, _ block: ReceivedMessage
    ) throws(ArchiveError) {
        let status = message.flatMap { StatusLine($0.startLine) }
        var response = ArchiveResponse(
            status: status?.status ?? 200, headers: message?.fields ?? [], address: head.fields["WARC-IP-Address"])
        response.version = status?.version
        response.reasonBytes = status?.reason ?? []
        response.isDerived = status == nil
        if options.keepsOriginals { records.append(try record(head), block: try store(block)) }
        let revisit = Revisit(
            url: url, response: response, label: head.fields["WARC-Payload-Digest"] ?? "", time: head.time)
        if let body = payloads[revisit.label] { try store(revisit, body) } else { deferred.append(revisit) }
    }

    private mutating func store(_ revisit: Revisit, _ body: CommitBuilder.BodyReference?) throws(ArchiveError) {
        var response = revisit.response
        if let body {
            summary.revisits += 1
            // The stored body has none of the codings that the fields may claim.
            let claims = ["Content-Encoding", "Transfer-Encoding"].compactMap { response.headers[$0]?.asciiLowercased }
            response.codings = claims.filter { $0 != "identity" }
            try builder.add(ArchiveRequest(url: revisit.url), response: response, body: body, time: revisit.time)
        } else {
            summary.unresolvedRevisits += 1
            if summary.unresolvedURLs.count < Self.unresolvedLimit { summary.unresolvedURLs.append(revisit.url) }
            response.absentDigest = revisit.label
            try builder.add(
                ArchiveRequest(url: revisit.url), response: response, time: revisit.time, role: .withoutBody)
        }
    }
}

/// A record of a response to which the body has to be found. ISO 28500 section 6.7.
private struct Revisit {
    let url: String
    let response: ArchiveResponse
    /// The digest of the body, as a label.
    let label: String
    let time: ArchiveTime?
}

extension WARCHead {
    /// The time of the record; nil for an unknown one.
    var time: ArchiveTime? { fields["WARC-Date"].flatMap(Timestamp.nanoseconds).flatMap(ArchiveTime.init) }
}
