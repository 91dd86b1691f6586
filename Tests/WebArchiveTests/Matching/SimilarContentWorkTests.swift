// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import WebArchive

/// The work that rule 13 of section 8.5 may cost, whatever an archive stores. Section 10.
@Suite struct SimilarContentWorkTests {
    private static let json = "application/json"
    private static let url = "http://a/f"

    /// Stores POSTs at URLs, the newest first.
    private func archive(_ posts: [(url: String, content: String)]) throws -> ArchiveReader {
        let folder = try TemporaryFolder()
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        for (number, post) in posts.enumerated() {
            try writer.add(
                ArchiveRequest(method: "POST", url: post.url, headers: ["Content-Type": Self.json]),
                requestBody: writer.addBody(Array(post.content.utf8)), response: ArchiveResponse(),
                body: writer.addBody(Array("\(number)".utf8)),
                time: ArchiveTime(nanoseconds: Int64(posts.count - number)))
        }
        try writer.commit()
        return try ArchiveReader(bytes: folder.read("a.webarc"))
    }

    private func match(
        _ reader: ArchiveReader, _ content: String, within budget: DecodingBudget = .forRequest()
    ) throws -> ArchiveMatch? {
        var request = try MatchRequest(
            url: CanonicalURL(Self.url), method: "POST", headers: ["Content-Type": Self.json],
            bodyDigest: ContentDigest(hashing: Array(content.utf8)))
        request.content = Array(content.utf8)
        var dependsOnFields = false
        return try ArchiveMatcher(reader, options: .replaying).match(
            request, within: budget, dependsOnFields: &dependsOnFields)
    }

    /// The same contents at every variant of a URL are compared once: all of them would exceed the limit several times.
    @Test func contentsAreComparedOnce() throws {
        let ones = String(repeating: "1,", count: 4000)
        let contents = (0..<60).map { "[\(ones)\($0)]" }
        let twos = String(repeating: "2,", count: 4000)
        let urls = ["http://a/f", "http://a/f/", "http://a/f/index.html", "http://a/f.html", "https://a/f"]
        let posts = urls.flatMap { url in contents.map { (url, $0) } } + [("http://a/f?_=1", "[\(twos)0]")]
        let reader = try archive(posts)
        let budget = DecodingBudget.forRequest()
        let match = try match(reader, "[\(twos)9]", within: budget)
        #expect(try match?.entry.key == "http://a/f?_=1" && match?.rules == [.cacheBusters, .similarContent])
        // Values count, however short they are.
        #expect(failure { try budget.comparisons.budget.take((64 << 20) - 60 * 4001 * 64) }?.code == .limitExceeded)
    }

    /// Content beyond the limit is a miss, which can be explained.
    @Test(arguments: [0, 100, 1000, 100_000]) func noneIsAlikeBeyondTheLimit(_ left: Int) throws {
        let reader = try archive([(Self.url, "{\"a\":1,\"nonce\":1}"), (Self.url, "{\"a\":2,\"nonce\":1}")])
        let budget = DecodingBudget.forRequest()
        try? budget.comparisons.budget.take((64 << 20) - left)
        let isFound = try match(reader, "{\"a\":2,\"nonce\":2}", within: budget) != nil
        #expect(isFound == (left == 100_000))
        #expect(!budget.isUsedUp)
    }

    /// Decoded blocks count as a whole, and once for all bodies in them.
    @Test func decodedBlocksCount() throws {
        let contents = (0..<5).map { "{\"a\":\($0),\"nonce\":1}" }
        let reader = try archive(contents.map { (Self.url, $0) })
        var (own, shared): (Int, [UInt64: Int]) = (0, [:])
        try reader.forEachEntry { entry throws(ArchiveError) in
            guard let body = try entry.requestBody else { return true }
            let cost = try body.costOfBeginning(body.length)
            own += cost.length
            for block in cost.kept { shared[block.number] = block.length }
            return true
        }
        let cost = shared.values.reduce(own, +)
        #expect(cost >= contents.joined().utf8.count)
        for (limit, isFound) in [(cost - 1, false), (cost, true)] {
            let budget = DecodingBudget.forRequest()
            budget.searchState.withLock { $0 = ContentComparisons(decoding: limit) }
            let match = try match(reader, "{\"a\":4,\"nonce\":2}", within: budget)
            #expect((match != nil) == isFound, "\(limit) of \(cost)")
        }
    }

    /// The parameters of the request's own URL are charged, once and not for each of its paths.
    @Test func ownParametersCountOnce() throws {
        let reader = try archive([("http://a/", "{}")])
        let query = Array(repeating: Array("=&".utf8), count: 4000).joined()
        let url = try CanonicalURL(utf8: Array("http://a/x%3D=//y.js?".utf8) + query)
        let matcher = ArchiveMatcher(reader, options: .replaying)
        let cost = QueryParameters.costOfByte * 8000
        // Each lookup of a URL has a cost of its own, which is less.
        let budget = DecodingBudget(for: "a test", bytes: 40 * cost)
        var dependsOnFields = false
        let match = try matcher.match(MatchRequest(url: url), within: budget, dependsOnFields: &dependsOnFields)
        #expect(match == nil)
        let little = DecodingBudget(for: "a test", bytes: cost)
        let refusal = failure {
            _ = try QueryParameters(of: Array(query)[...], [], URLVariants(options: .replaying), within: little)
        }
        #expect(refusal?.code == .limitExceeded)
    }
}
