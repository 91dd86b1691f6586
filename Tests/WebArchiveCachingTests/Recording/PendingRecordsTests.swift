// SPDX-License-Identifier: Apache-2.0

import Testing
import WebArchive

@testable import WebArchiveCaching

@Suite struct PendingRecordsTests {
    private func add(_ numbers: Range<Int>, to records: inout PendingRecords) throws {
        for number in numbers {
            let url = try CanonicalURL("http://h/\(number)")
            let exchange = StoredExchange(
                url: url, request: ArchiveRequest(url: url.description), response: ArchiveResponse(), body: nil,
                time: nil)
            records.add(
                RequestKey(url: url, method: "GET", bodyDigest: nil), .exchange(exchange),
                time: .now(),
                length: 100, fileCount: 0, keepsHistory: false)
        }
    }

    /// A commit that fails takes a while, and what comes meanwhile is newer than what it writes.
    @Test func theOldestGoAlsoAfterACommitThatFailed() throws {
        let limit = PendingRecords.Limit(length: 1000, count: 1000, fileCount: 10)
        var records = PendingRecords()
        try add(0..<10, to: &records)
        #expect(records.beginCommit().count == 10)
        try add(10..<15, to: &records)
        records.drop(beyond: limit)
        #expect(records.count == 15 && records.droppedCount == 0)
        try add(15..<25, to: &records)
        records.drop(beyond: limit)
        #expect(records.droppedCount > 0)
        records.endCommit(succeeded: false)
        records.drop(beyond: limit)
        #expect(records.length <= 1000)
        #expect(try records[CanonicalURL("http://h/24")].count == 1)
        #expect(try records[CanonicalURL("http://h/0")].isEmpty)
    }
}
