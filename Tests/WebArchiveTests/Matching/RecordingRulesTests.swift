// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Rules 9 to 11 and 13 of section 8.5 together with other rules, with `Vary`, times and removed responses.
@Suite struct RecordingRulesTests {
    /// An exchange; a status of 0 states that there is no response.
    struct Exchange: Sendable {
        var method = "GET"
        let url: String
        var status = 200
        var content: String?
        var fields: HeaderFields = []
        var vary: String?
    }

    /// Stores exchanges, a commit each, the newest last; the body of each response is its number.
    private func archive(_ exchanges: [Exchange]) throws -> ArchiveReader {
        let folder = try TemporaryFolder()
        let path = folder.path("a.webarc")
        for (number, exchange) in exchanges.enumerated() {
            let writer = try number == 0 ? ArchiveWriter(creating: path) : ArchiveWriter(appendingTo: path)
            var fields = exchange.fields
            if exchange.content != nil { fields.append(name: "Content-Type", value: "application/json") }
            let headers: HeaderFields = exchange.vary.map { ["Vary": $0] } ?? []
            try writer.add(
                ArchiveRequest(method: exchange.method, url: exchange.url, headers: fields),
                requestBody: exchange.content.map { try writer.addBody(Array($0.utf8)) },
                response: exchange.status == 0 ? nil : ArchiveResponse(status: exchange.status, headers: headers),
                body: exchange.status == 0 ? nil : writer.addBody(Array("\(number)".utf8)),
                time: ArchiveTime(nanoseconds: Int64(number + 1)))
            try writer.commit()
        }
        return try ArchiveReader(path: path)
    }

    private func match(
        _ reader: ArchiveReader, _ request: Exchange, without rules: Set<MatchRule> = [], time: Int64? = nil
    ) throws -> (body: String, rules: [MatchRule])? {
        var options = ArchiveMatcher.Options.replaying
        options.rules.subtract(rules)
        var fields = request.fields
        if request.content != nil { fields.append(name: "Content-Type", value: "application/json") }
        var asked = try MatchRequest(
            url: CanonicalURL(request.url), method: request.method, headers: fields,
            time: time.flatMap(ArchiveTime.init(nanoseconds:)))
        asked.content = request.content.map { Array($0.utf8) }
        asked.bodyDigest = asked.content.map { ContentDigest(hashing: $0) }
        guard let match = try ArchiveMatcher(reader, options: options).match(asked) else { return nil }
        return (try match.entry.body.map { String(decoding: try $0.bytes(), as: UTF8.self) } ?? "none", match.rules)
    }

    private static let contents = ["{\"a\":1,\"nonce\":1}", "{\"a\":1,\"nonce\":2}", "{\"a\":1,\"nonce\":3}"]

    /// Each rule with requests that differ only by it.
    private static let pairs = [
        (Exchange(url: "http://a/p?id=1&_=1"), Exchange(url: "http://a/p?id=1&_=2"), MatchRule.cacheBusters),
        (Exchange(url: "http://a/p?cfid=1"), Exchange(url: "http://a/p?cfid=2"), .sessionIDs),
        (Exchange(url: "http://a/p.js?v=1"), Exchange(url: "http://a/p.js?v=2"), .queryOfFile),
        (
            Exchange(method: "POST", url: "http://a/p", content: contents[0]),
            Exchange(method: "POST", url: "http://a/p", content: contents[1]), .similarContent
        ),
    ]

    /// A stored status that is no content is never the response to a different request, alone or beside content.
    @Test(arguments: pairs, [304, 500, 503, 599, 0])
    func statusesWithoutContent(_ pair: (Exchange, Exchange, MatchRule), _ status: Int) throws {
        var bad = pair.0
        bad.status = status
        let alone = try archive([bad])
        #expect(try match(alone, pair.1, without: [.withoutQuery]) == nil)
        #expect(try match(alone, pair.0)?.rules == [.exact])
        // An older capture is content, unless the newest one states that there is none any more.
        let both = try archive([pair.0, bad])
        let found = try match(both, pair.1, without: [.withoutQuery])
        #expect(found?.body == (status == 0 ? nil : "0") && found?.rules == (status == 0 ? nil : [pair.2]))
    }

    @Test(arguments: pairs, [200, 204, 301, 404, 499])
    func statusesWithContent(_ pair: (Exchange, Exchange, MatchRule), _ status: Int) throws {
        var stored = pair.0
        stored.status = status
        #expect(try match(archive([stored]), pair.1)?.rules == [pair.2])
        #expect(try match(archive([stored]), pair.1, without: [pair.2, .withoutQuery]) == nil)
    }

    /// The variant that fits comes first, though an older one; without one, any, if the rule allows it.
    @Test(arguments: pairs)
    func variants(_ pair: (Exchange, Exchange, MatchRule)) throws {
        var (german, english, asked) = (pair.0, pair.0, pair.1)
        (german.fields, german.vary) = (["Accept-Language": "de"], "Accept-Language")
        (english.fields, english.vary) = (["Accept-Language": "en"], "Accept-Language")
        let reader = try archive([german, english])
        asked.fields = ["Accept-Language": "de"]
        let fitting = try match(reader, asked)
        #expect(fitting?.body == "0" && fitting?.rules == [pair.2])
        asked.fields = ["Accept-Language": "fr"]
        let any = try match(reader, asked)
        #expect(any?.body == "1" && any?.rules == [.anyVariant, pair.2].sorted())
        #expect(try match(reader, asked, without: [.anyVariant, .withoutQuery]) == nil)
        asked.fields = ["Accept-Language": "en"]
        #expect(try match(reader, asked, time: 1)?.body == "1")
    }

    /// The rules combine with those for paths and schemes.
    @Test(arguments: pairs)
    func otherURLs(_ pair: (Exchange, Exchange, MatchRule)) throws {
        let reader = try archive([pair.0])
        let (asked, method) = (pair.1, pair.1.method)
        let https = Exchange(method: method, url: asked.url.replacing("http:", with: "https:"), content: asked.content)
        #expect(try match(reader, https)?.rules == [.otherScheme, pair.2])
        let double = Exchange(method: method, url: asked.url.replacing("/p", with: "//p"), content: asked.content)
        #expect(try match(reader, double)?.rules == [.emptySegments, pair.2])
        let head = Exchange(method: "HEAD", url: asked.url)
        #expect(try match(reader, head)?.rules == (method == "GET" ? [.headFromGet, pair.2] : nil))
        for other in ["PUT", "OPTIONS", "DELETE"] {
            #expect(try match(reader, Exchange(method: other, url: asked.url, content: asked.content)) == nil)
        }
    }

    @Test func queryAndContent() throws {
        let reader = try archive([Exchange(method: "POST", url: "http://a/p?_=1", content: Self.contents[0])])
        let asked = Exchange(method: "POST", url: "http://a/p?_=2", content: Self.contents[1])
        #expect(try match(reader, asked)?.rules == [.cacheBusters, .similarContent])
        #expect(try match(reader, asked, without: [.cacheBusters, .sessionIDs]) == nil)
        #expect(try match(reader, Exchange(method: "POST", url: "http://a/p?_=2")) == nil)
    }

    /// Of contents that are as alike the newest is the response, or the one nearest to a time.
    @Test func contentsByTime() throws {
        let reader = try archive(
            Self.contents.map { Exchange(method: "POST", url: "http://a/p", content: $0) }
                + [Exchange(method: "POST", url: "http://a/p", content: "{\"a\":2,\"nonce\":9}")])
        let asked = Exchange(method: "POST", url: "http://a/p", content: "{\"a\":1,\"nonce\":9}")
        #expect(try match(reader, asked)?.body == "2")
        #expect(try match(reader, asked, time: 1)?.body == "0")
        #expect(try match(reader, asked, time: 2)?.body == "1")
    }

    /// Contents beyond the hundredth are not looked at, and captures of a GET hide none.
    @Test func manyContents() throws {
        let folder = try TemporaryFolder()
        let writer = try ArchiveWriter(creating: folder.path("a.webarc"))
        for number in 0..<1500 {
            try writer.add(
                ArchiveRequest(url: "http://a/p"), response: ArchiveResponse(),
                time: ArchiveTime(nanoseconds: Int64(number)))
        }
        for number in 0..<150 {
            let content = "{\"a\":\(number),\"nonce\":0}"
            try writer.add(
                ArchiveRequest(method: "POST", url: "http://a/p", headers: ["Content-Type": "application/json"]),
                requestBody: writer.addBody(Array(content.utf8)), response: ArchiveResponse(),
                body: writer.addBody(Array("\(number)".utf8)), time: ArchiveTime(nanoseconds: Int64(number + 1)))
        }
        try writer.commit()
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        for (number, isFound) in [(149, true), (50, true), (49, false)] {
            let asked = Exchange(method: "POST", url: "http://a/p", content: "{\"a\":\(number),\"nonce\":1}")
            #expect(try match(reader, asked)?.body == (isFound ? "\(number)" : nil))
        }
        let late = Exchange(method: "POST", url: "http://a/p", content: "{\"a\":0,\"nonce\":1}")
        #expect(try match(reader, late, time: 1)?.body == "0")
    }
}
