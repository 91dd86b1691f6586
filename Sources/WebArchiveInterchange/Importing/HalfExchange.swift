// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A request or a response that waits for its counterpart.
struct HalfExchange {
    /// The content of a half.
    enum Content {
        case request(RequestLine, HeaderFields, ReceivedMessage)
        case response(ArchiveResponse, CommitBuilder.BodyReference, OriginalBodies.Message)
        case revisit(Revisit)
    }

    let content: Content
    let url: String
    /// The canonical URL.
    private let key: String
    /// The identifier of the record, and those of the records that it belongs to.
    private let identifier: String?
    private let concurrent: [String]
    let time: ArchiveTime?
    /// The number of the record in the run, by which its age is known.
    let number: Int
    /// The place of the record in the order of the source.
    let slot = RecordQueue.Slot()
    /// The record; nil if it is not kept.
    let record: RecordQueue.Record?

    init(_ head: RecordHead, _ url: String, _ content: Content, number: Int, record: RecordQueue.Record?) {
        (self.content, self.url, self.number, self.record) = (content, url, number, record)
        key = (try? CanonicalURL(url))?.description ?? url
        identifier = head.fields["WARC-Record-ID"]
        concurrent = head.fields.values(named: "WARC-Concurrent-To")
        time = head.time
    }

    var isRequest: Bool { if case .request = content { true } else { false } }

    /// Returns whether two halves are one exchange: one names the other, or neither names any and they have one URL and one time.
    func isCounterpart(of other: HalfExchange) -> Bool {
        guard isRequest != other.isRequest else { return false }
        if let identifier, other.concurrent.contains(identifier) { return true }
        if let identifier = other.identifier, concurrent.contains(identifier) { return true }
        return concurrent.isEmpty && other.concurrent.isEmpty && key == other.key && time == other.time
    }
}
