// SPDX-License-Identifier: Apache-2.0

public import WebArchive
import WebArchivePresentation

extension PageObservation {
    /// The media type of the record's block.
    public static let mediaType = "application/vnd.webarc.observation+json"

    /// The record without its block.
    package var record: ArchiveRecord {
        ArchiveRecord(
            headers: [
                "WARC-Type": "metadata", "WARC-Record-ID": identifier, "WARC-Date": Timestamp.text(time),
                "WARC-Target-URI": url, "Content-Type": Self.mediaType,
            ])
    }

    /// An identifier that is the same each time: a UUID of version 3 in form (RFC 9562 section 5.3).
    private var identifier: String {
        var bytes = ContentDigest(hashing: Array("\(Self.mediaType)\n\(url)\n\(time.nanoseconds)".utf8)).bytes
        bytes[6] = bytes[6] & 0x0F | 0x30
        bytes[8] = bytes[8] & 0x3F | 0x80
        let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { bytes[$0].hexadecimalDigits }
        return "<urn:uuid:\(parts.joined(separator: "-"))>"
    }

    /// Adds the record to a commit.
    ///
    /// - Throws: the errors of ``CommitBuilder/addBody(_:)`` and of adding a record.
    package func add(to builder: CommitBuilder) throws(ArchiveError) {
        let bytes = encoded()
        let block = try bytes.withBytes { (bytes) throws(ArchiveError) in try builder.addBody(bytes) }
        var record = record
        record.headers.append(name: "Content-Length", value: String(bytes.count))
        try builder.add(record, block: block)
    }

    /// Reads an observation from a record; nil for any other record.
    ///
    /// Records may share a block: a budget limits the total that a pass decodes.
    ///
    /// - Throws: the errors of ``init(decoding:)``; `damaged` and `io` of the archive; `limitExceeded` beyond the budget.
    package init?(_ stored: StoredRecord, budget: DecodingBudget) throws(ArchiveError) {
        let headers = try stored.record.headers
        guard headers["Content-Type"] == Self.mediaType, headers["WARC-Type"] == "metadata",
            let block = try stored.block
        else { return nil }
        guard block.length <= Self.maximumLength else {
            throw ArchiveError(
                .limitExceeded,
                "the observation of a page has \(block.length) bytes, more than the limit of \(Self.maximumLength)")
        }
        try budget.take(Int(block.length))
        try self.init(decoding: try block.bytes())
    }
}

extension ArchiveReader {
    /// Calls `work` with each observation of the archive, in the order in which they were written.
    ///
    /// One that is damaged is passed over, so that the others can be used.
    ///
    /// - Throws: `io`, `limitExceeded` for an archive that was made to decode to far more than it has, and errors of `work`.
    public func forEachObservation(
        _ work: (PageObservation) throws(ArchiveError) -> Void
    ) throws(ArchiveError) {
        let budget = DecodingBudget(forPassOver: self, times: 8)
        let archive = limited(to: budget)
        for number in 0..<archive.recordCount {
            let observation: PageObservation?
            do throws(ArchiveError) {
                observation = try PageObservation(archive.record(number), budget: budget)
            } catch  where error.code == .damaged || error.code == .limitExceeded && !budget.isUsedUp {
                continue
            }
            if let observation { try work(observation) }
        }
    }
}
