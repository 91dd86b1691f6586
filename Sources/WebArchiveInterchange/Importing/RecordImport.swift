// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// The import of records as WARC files have them: their exchanges become entries, and other records stay records.
///
/// One serves all sources of a run, for a revisit can refer to a record of another file.
final class RecordImport {
    private let output: ImportOutput
    private let target: ImportTarget
    private let options: ArchiveImporter.Options
    /// The archive that is appended to, as it was.
    private let former: ArchiveReader?
    /// The requests and responses whose counterpart may still come, the oldest first.
    private var pending: [HalfExchange] = []
    private var payloads: PayloadTable
    private var deferred: [DeferredRevisit] = []
    /// The bytes of the fields in ``deferred``.
    private var deferredLength = 0
    private var records: RecordQueue
    /// The bytes after the block of the present record.
    private var end: [UInt8] = []
    /// Whether the archive has all records of its sources.
    var isComplete: Bool

    /// The maximum number of halves that wait, and of records for which one does: writers put the two next to each other, or a few records apart.
    private static let pendingLimit = 64
    private static let pendingAge = 256
    /// The maximum number of bytes of fields that wait for the end; beyond it a revisit must follow its original.
    private static let deferredLimit = 64 << 20
    private static let unresolvedLimit = 1_000

    /// - Parameter former: the archive that is appended to; nil for none.
    init(_ output: ImportOutput, former: ArchiveReader?) throws(ArchiveError) {
        self.output = output
        (target, options) = (output.target, output.options)
        self.former = former?.limitedToOnePass()
        records = RecordQueue(target)
        payloads = PayloadTable(target)
        isComplete = options.keepsOriginals
        if let former, former.recordCount > 0 {
            let kept = try former.metadata()[MetadataName.records]
            isComplete = isComplete && kept == MetadataName.allRecords
        }
    }

    /// Imports all records of a source.
    func add(_ reader: RecordReader) throws(ArchiveError) {
        var noted = 0
        let (output, before) = (output, output.budget.readLength)
        reader.setCharge { [unowned reader] count throws(ArchiveError) in
            output.budget.readLength = before + reader.readLength
            try output.budget.decode(count)
        }
        func note() throws(ArchiveError) {
            while noted < reader.damage.count {
                try output.note(reader.damage[noted])
                noted += 1
            }
        }
        while let head = try reader.next() {
            try note()
            try output.budget.keep(head.fields.length)
            var block = ReceivedMessage()
            do throws(ArchiveError) {
                let isWhole = try reader.readBlock { bytes throws(ArchiveError) in
                    try block.append(bytes)
                    output.progress.bytes += UInt64(bytes.count)
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
            try output.budget.keep(block.headBytes.count)
            output.countRecord()
            end = try reader.end()
            try add(head, block, from: reader.name)
            while let oldest = pending.first, output.summary.records - oldest.number > Self.pendingAge {
                try store(pending.removeFirst())
            }
            try records.write()
            if target.isCommitDue(output.progress) {
                try target.commit(at: output.progress, waiting: records.exchanges)
            }
        }
        try note()
        if !reader.damage.isEmpty || reader.hasUnkeptBytes { isComplete = false }
    }

    /// Stores the exchanges without a counterpart and the revisits. It comes after all sources.
    func finish() throws(ArchiveError) {
        while !pending.isEmpty { try store(pending.removeFirst()) }
        for one in deferred { _ = try store(one, payload(one.revisit.names)) }
        try records.write()
        try target.setMetadata(
            MetadataName.records, to: isComplete ? MetadataName.allRecords : MetadataName.someRecords)
    }

    // MARK: - Records

    private func add(_ head: RecordHead, _ block: ReceivedMessage, from source: String) throws(ArchiveError) {
        if head.isSegment, ["response", "resource", "request"].contains(head.type) {
            try output.note(
                ArchiveError(
                    .unsupportedFeature, "a record whose block continues in other records, which are not joined",
                    path: source, offset: head.offset))
        }
        let url = head.target.flatMap { (try? CanonicalURL($0)) == nil ? nil : $0 }
        switch (head.type, block.head) {
        case ("response", let message?):
            if let url, let status = StatusLine(message.startLine) {
                return try addResponse(head, url, status, message.fields, block)
            }
        case ("request", let message?):
            if let url, let line = RequestLine(message.startLine) {
                return try add(
                    HalfExchange(
                        head, url, .request(line, message.fields, block), number: output.summary.records,
                        record: try record(head)))
            }
        case ("revisit", let message):
            let status = message.flatMap { StatusLine($0.startLine) }
            if let url, status?.status != 304, !RevisitProfile.isUpdate(head.fields) {
                return try addRevisit(head, url, status, message?.fields, block)
            }
        case ("resource", _):
            if let url { return try addResource(head, url, block) }
        default: break
        }
        output.summary.otherRecords += 1
        records.append(try record(head), block: try store(block))
    }

    /// Stores the bytes of a block as they are.
    private func store(_ block: ReceivedMessage) throws(ArchiveError) -> CommitBuilder.BodyReference {
        guard !block.headBytes.isEmpty else { return try target.store(block.content, kind: "block") }
        let all = SpooledBody()
        try block.headBytes.withBytes { (bytes) throws(ArchiveError) in try all.append(bytes) }
        try block.content.forEachBuffer { bytes throws(ArchiveError) in try all.append(bytes) }
        all.finish()
        return try target.store(all, kind: "block")
    }

    private func store(head: [UInt8]) throws(ArchiveError) -> CommitBuilder.BodyReference {
        try head.withBytes { (bytes) throws(ArchiveError) in try target.store(bytes, kind: "head") }
    }

    private func record(_ head: RecordHead) throws(ArchiveError) -> RecordQueue.Record {
        // An export that is not exact writes line ends of its own.
        let end = options.keepsOriginals ? end : ArchiveRecord.defaultEnd
        return RecordQueue.Record(
            value: ArchiveRecord(version: head.version, headers: head.fields, end: end),
            head: head.odd.isEmpty ? nil : try store(head: head.odd))
    }

    private func addResponse(
        _ head: RecordHead, _ url: String, _ status: StatusLine, _ fields: HeaderFields, _ block: ReceivedMessage
    ) throws(ArchiveError) {
        let content = try ReceivedContent(block.content, fields, charge: output.budget.decodeContent)
        var response = ArchiveResponse(
            status: status.status, headers: fields, address: head.fields["WARC-IP-Address"], codings: content.removed)
        response.reasonBytes = status.reason
        response.version = status.version
        response.truncation = head.truncation
        let body = try target.store(content.body, kind: response.mediaType ?? "")
        var original = OriginalBodies.Message()
        let line = StatusLine.bytes(version: status.version, status: status.status, reason: status.reason)
        original.head = try block.oddHead(line).mapTyped { head throws(ArchiveError) in try store(head: head) }
        if options.keepsOriginals, !content.removed.isEmpty {
            original.wire = try target.store(block.content, kind: "wire")
        }
        if response.truncation == nil {
            let names = PayloadTable.Names(
                label: head.fields["WARC-Payload-Digest"], identifier: head.fields["WARC-Record-ID"], url: url,
                date: head.fields["WARC-Date"])
            payloads.insert(
                names, PayloadTable.Payload(body: body, codings: content.removed, mediaType: response.mediaType))
        }
        output.summary.responses += 1
        try add(
            HalfExchange(
                head, url, .response(response, body, original), number: output.summary.records,
                record: options.keepsOriginals ? try record(head) : nil))
    }

    private func addRevisit(
        _ head: RecordHead, _ url: String, _ status: StatusLine?, _ fields: HeaderFields?, _ block: ReceivedMessage
    ) throws(ArchiveError) {
        var response = ArchiveResponse(
            status: status?.status ?? 200, headers: status == nil ? [] : fields ?? [],
            address: head.fields["WARC-IP-Address"])
        response.version = status?.version
        response.reasonBytes = status?.reason ?? []
        if options.keepsOriginals { records.append(try record(head), block: try store(block)) }
        let names = PayloadTable.Names(
            label: head.fields["WARC-Payload-Digest"], identifier: head.fields["WARC-Refers-To"],
            url: head.fields["WARC-Refers-To-Target-URI"], date: head.fields["WARC-Refers-To-Date"])
        let revisit = Revisit(response: response, names: names, isHeadless: status == nil)
        try add(HalfExchange(head, url, .revisit(revisit), number: output.summary.records, record: nil))
    }

    /// Stores a file without a request: its URL gets it as a response.
    private func addResource(
        _ head: RecordHead, _ url: String, _ block: ReceivedMessage
    ) throws(ArchiveError) {
        // A resource that looks like a message is one file all the same.
        let body = try store(block)
        let type = head.fields["Content-Type"]
        var response = ArchiveResponse(headers: type.map { ["Content-Type": $0] } ?? [])
        response.isDerived = true
        response.truncation = head.truncation
        let entry = try target.add(ArchiveRequest(url: url), response: response, body: body, time: head.time)
        output.summary.responses += 1
        if options.keepsOriginals { records.append(try record(head), of: entry, part: .body) }
    }

    // MARK: - Exchanges

    /// Joins a half with its counterpart, or lets it wait for it.
    private func add(_ half: HalfExchange) throws(ArchiveError) {
        if half.record != nil { records.reserve(half.slot) }
        if let place = pending.firstIndex(where: { $0.isCounterpart(of: half) }) {
            let other = pending.remove(at: place)
            try store(other.isRequest ? half : other, request: other.isRequest ? other : half)
            return
        }
        if pending.count == Self.pendingLimit { try store(pending.removeFirst()) }
        pending.append(half)
    }

    /// Stores a half that has no counterpart.
    private func store(_ half: HalfExchange) throws(ArchiveError) {
        guard case .request(_, _, let block) = half.content else { return try store(half, request: nil) }
        // An entry for it would state that there is no response.
        output.summary.otherRecords += 1
        records.settle(half.slot, half.record, block: try store(block))
    }

    private func store(_ half: HalfExchange, request: HalfExchange?) throws(ArchiveError) {
        let sent = try sent(request, url: half.url)
        switch half.content {
        case .request: break
        case .response(let response, let body, let original):
            let entry = try add(sent, response, body, half.time, original)
            records.settle(half.slot, half.record, of: entry, part: .response)
            settle(request, of: entry)
        case .revisit(let revisit):
            let one = DeferredRevisit(sent: sent, revisit: revisit, time: half.time)
            if let payload = try payload(revisit.names) {
                settle(request, of: try store(one, payload))
            } else if deferredLength + one.length <= Self.deferredLimit {
                deferred.append(one)
                deferredLength += one.length
                // The entry is not known yet, and the records after it do not wait for it.
                if let request, case .request(_, _, let block) = request.content {
                    records.settle(
                        request.slot, options.keepsOriginals ? request.record : nil, block: try store(block))
                }
            } else {
                settle(request, of: try store(one, nil))
            }
        }
    }

    /// Sets the record of a request, if records are kept.
    private func settle(_ request: HalfExchange?, of entry: ImportedEntry) {
        guard let request else { return }
        records.settle(request.slot, options.keepsOriginals ? request.record : nil, of: entry, part: .request)
    }

    /// Returns the request of a half in stored form; a plain GET for none.
    private func sent(_ half: HalfExchange?, url: String) throws(ArchiveError) -> SentRequest {
        var sent = SentRequest(request: ArchiveRequest(url: url))
        guard let half, case .request(let line, let fields, let block) = half.content else { return sent }
        (sent.request.method, sent.request.version, sent.request.headers) = (line.method, line.version, fields)
        let expected = RequestLine.bytes(method: line.method, url: url, version: line.version)
        sent.original.head = try block.oddHead(expected).mapTyped { head throws(ArchiveError) in try store(head: head) }
        let content = try ReceivedContent(block.content, fields, charge: output.budget.decodeContent)
        if content.body.length > 0 { sent.body = try target.store(content.body, kind: "request") }
        if options.keepsOriginals, !content.removed.isEmpty {
            sent.original.wire = try target.store(block.content, kind: "wire")
        }
        return sent
    }

    private func add(
        _ sent: SentRequest, _ response: ArchiveResponse, _ body: CommitBuilder.BodyReference?, _ time: ArchiveTime?,
        _ original: OriginalBodies.Message = OriginalBodies.Message()
    ) throws(ArchiveError) -> ImportedEntry {
        var originals = OriginalBodies()
        (originals.request, originals.response) = (sent.original, original)
        return try target.add(
            sent.request, requestBody: sent.body, response: response, body: body, time: time,
            role: response.absentDigest == nil ? .exchange : .withoutBody, originals: originals)
    }

    // MARK: - Revisits

    /// Finds the body to which a revisit refers: in the sources so far, or in the archive that is appended to.
    private func payload(_ names: PayloadTable.Names) throws(ArchiveError) -> PayloadTable.Payload? {
        if let known = try payloads.payload(names) { return known }
        guard let former, let url = names.url.flatMap({ try? CanonicalURL($0) }),
            let time = names.date.flatMap(Timestamp.nanoseconds)
        else { return nil }
        do throws(ArchiveError) {
            for entry in try former.captures(of: url) where try entry.time?.nanoseconds == time {
                guard let response = try entry.response, let body = try entry.body,
                    let reference = try target.reference(toStored: body)
                else { continue }
                return PayloadTable.Payload(body: reference, codings: response.codings, mediaType: response.mediaType)
            }
        } catch  where error.code == .limitExceeded {
            // Very many revisits of URLs with very many captures: they count as unresolved.
        }
        return nil
    }

    private func store(
        _ one: DeferredRevisit, _ payload: PayloadTable.Payload?
    ) throws(ArchiveError) -> ImportedEntry {
        if let payload {
            output.summary.revisits += 1
            return try add(one.sent, one.revisit.response(for: payload), payload.body, one.time)
        }
        output.summary.unresolvedRevisits += 1
        if output.summary.unresolvedURLs.count < Self.unresolvedLimit {
            output.summary.unresolvedURLs.append(one.sent.request.url)
        }
        var response = one.revisit.response
        response.absentDigest = one.revisit.names.label ?? ""
        return try add(one.sent, response, nil, one.time)
    }
}

extension RecordHead {
    /// The time of the record; nil for an unknown one.
    var time: ArchiveTime? { fields["WARC-Date"].flatMap(Timestamp.nanoseconds).flatMap(ArchiveTime.init) }

    /// Whether the block is a part of one that continues in other records (ISO 28500 section 7).
    fileprivate var isSegment: Bool { fields["WARC-Segment-Number"] != nil }

    /// The reason why the block is not whole; nil for a whole one.
    fileprivate var truncation: String? { fields["WARC-Truncated"] ?? (isSegment ? "unspecified" : nil) }
}
