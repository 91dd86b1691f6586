// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A request or a response that waits for its counterpart.
struct HalfExchange {
    let isRequest: Bool
    let url: String
    /// The identifier of the record, and those of the records that it belongs to.
    private let identifier: String?
    private let concurrent: [String]
    let time: ArchiveTime?
    /// The place of the record in the order of the source.
    let slot = RecordQueue.Slot()
    /// The record; nil if it is not kept.
    let record: RecordQueue.Record?
    // Those of a request.
    private(set) var line: RequestLine?
    private(set) var fields: HeaderFields = []
    private(set) var block: ReceivedMessage?
    // Those of a response.
    private(set) var response: ArchiveResponse?
    private(set) var body: CommitBuilder.BodyReference?
    private(set) var original = OriginalBodies.Message()

    private init(_ head: WARCHead, _ url: String, isRequest: Bool, _ record: RecordQueue.Record?) {
        self.isRequest = isRequest
        self.url = url
        self.record = record
        identifier = head.fields["WARC-Record-ID"]
        concurrent = head.fields.values(named: "WARC-Concurrent-To")
        time = head.time
    }

    /// Creates the half of a request.
    static func request(
        _ head: WARCHead, _ url: String, _ line: RequestLine, _ fields: HeaderFields, _ block: ReceivedMessage,
        record: RecordQueue.Record
    ) -> HalfExchange {
        var half = HalfExchange(head, url, isRequest: true, record)
        (half.line, half.fields, half.block) = (line, fields, block)
        return half
    }

    /// Creates the half of a response.
    static func response(
        _ head: WARCHead, _ url: String, _ response: ArchiveResponse, _ body: CommitBuilder.BodyReference,
        _ original: OriginalBodies.Message, record: RecordQueue.Record?
    ) -> HalfExchange {
        var half = HalfExchange(head, url, isRequest: false, record)
        (half.response, half.body, half.original) = (response, body, original)
        return half
    }

    /// Returns whether two halves are one exchange: one names the other, or neither names any and they have one URL and one time.
    func isCounterpart(of other: HalfExchange) -> Bool {
        guard isRequest != other.isRequest, url == other.url else { return false }
        if let identifier, other.concurrent.contains(identifier) { return true }
        if let identifier = other.identifier, concurrent.contains(identifier) { return true }
        return concurrent.isEmpty && other.concurrent.isEmpty && time == other.time
    }
}
