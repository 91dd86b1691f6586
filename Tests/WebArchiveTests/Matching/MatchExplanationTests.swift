// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct MatchExplanationTests {
    private func archive() throws -> ArchiveReader {
        try ArchiveReader(
            bytes: SampleArchive.bytes { writer in
                try SampleArchive.page("https://a.example/page?x=1", nil, writer)
                try SampleArchive.page("https://a.example/page?x=2", nil, writer)
                try SampleArchive.page("https://a.example/pages", nil, writer)
                try SampleArchive.page("https://b.example/", nil, writer)
                try writer.add(
                    ArchiveRequest(method: "POST", url: "https://a.example/form"), requestBody: writer.addBody([1]),
                    response: ArchiveResponse())
                try writer.add(
                    ArchiveRequest(url: "https://a.example/lang", headers: ["Accept-Language": "de"]),
                    response: ArchiveResponse(headers: ["Vary": "Accept-Language"]))
                try writer.add(
                    ArchiveRequest(url: "https://a.example/_headers"), response: ArchiveResponse(), role: .unpackOnly)
            })
    }

    private func explain(
        _ url: String, method: String = "GET", headers: HeaderFields = [],
        options: ArchiveMatcher.Options = ArchiveMatcher.Options()
    ) throws -> MatchExplanation {
        try ArchiveMatcher(archive(), options: options).explain(
            MatchRequest(url: CanonicalURL(url), method: method, headers: headers))
    }

    @Test func steps() throws {
        let explanation = try explain("http://a.example/pages/", method: "HEAD")
        #expect(explanation.match == nil)
        #expect(
            explanation.steps.map(\.description) == [
                "exact: HEAD http://a.example/pages/: not in the archive",
                "HEAD from GET: GET http://a.example/pages/: not in the archive",
                "directory index: HEAD http://a.example/pages/index.html: not in the archive",
                "HEAD from GET + directory index: GET http://a.example/pages/index.html: not in the archive",
                "other scheme: HEAD https://a.example/pages/: not in the archive",
                "HEAD from GET + other scheme: GET https://a.example/pages/: not in the archive",
                "directory index + other scheme: HEAD https://a.example/pages/index.html: not in the archive",
                "HEAD from GET + directory index + other scheme: GET https://a.example/pages/index.html:"
                    + " not in the archive",
            ])
        #expect(explanation.unusedRules.contains(.withoutQuery) && explanation.unusedRules.contains(.cacheBusters))
    }

    /// Variants with the query are tried before those without it.
    @Test func stepsWithoutQuery() throws {
        let options = ArchiveMatcher.Options(rules: [.otherScheme, .withoutQuery])
        #expect(
            try explain("http://a.example/pages?x", options: options).steps.map(\.description) == [
                "exact: GET http://a.example/pages?x: not in the archive",
                "other scheme: GET https://a.example/pages?x: not in the archive",
                "without query: GET http://a.example/pages: not in the archive",
                "other scheme + without query: GET https://a.example/pages: matches",
            ])
        #expect(try explain("http://a.example/pages?x").match == nil)
    }

    @Test func hit() throws {
        let explanation = try explain("https://a.example/lang", headers: ["Accept-Language": "fr"])
        #expect(explanation.match?.rules == [.anyVariant])
        let difference = VaryDifference(field: "Accept-Language", requested: "fr", stored: "de")
        #expect(explanation.steps.map(\.outcome) == [.varies(difference), .matched])
        #expect(explanation.nearMisses.isEmpty)
    }

    @Test func nearMisses() throws {
        let form = "https://a.example/form"
        let digest = ContentDigest(hashing: [1] as [UInt8])
        #expect(try explain(form).nearMisses.first == .otherMethod(url: form, method: "POST"))
        #expect(try explain(form, method: "POST").nearMisses.first == .otherBody(url: form, digest: digest))
        #expect(try explain(form).steps.first?.outcome == .otherRequestsOnly)
        let headers = "https://a.example/_headers"
        #expect(try explain(headers).nearMisses.first == .unpackOnly(url: headers))
        let language = try explain("https://a.example/lang", options: .exactOnly)
        let difference = VaryDifference(field: "Accept-Language", requested: nil, stored: "de")
        #expect(language.nearMisses.first == .otherVariant(url: "https://a.example/lang", difference))
        #expect(language.description.contains("Accept-Language is absent, stored with \"de\""))
        let query = try explain("https://a.example/page?x=3").nearMisses
        #expect(
            query.prefix(3) == [
                .otherQuery(url: "https://a.example/page?x=1"), .otherQuery(url: "https://a.example/page?x=2"),
                .similar(url: "https://a.example/pages"),
            ])
        #expect(try explain("https://nowhere.test/").nearMisses == [])
        #expect(try explain("https://b.example/x").nearMisses.first == .similar(url: "https://b.example/"))
    }

    /// Thousands of URLs that are near are no reason to list or to read them all.
    @Test func boundedLists() throws {
        let archive = try ArchiveReader(
            bytes: SampleArchive.bytes { writer in
                for number in 0..<3000 { try SampleArchive.page("https://a.example/p?\(number)", nil, writer) }
            })
        let matcher = ArchiveMatcher(archive, options: ArchiveMatcher.Options(ignoredParameters: ["none"]))
        let explanation = try matcher.explain(MatchRequest(url: CanonicalURL("https://a.example/p?x")))
        #expect(explanation.match == nil)
        #expect(explanation.nearMisses.count == 10)
        #expect(explanation.description.split(separator: "\n").count < 40)
    }
}
