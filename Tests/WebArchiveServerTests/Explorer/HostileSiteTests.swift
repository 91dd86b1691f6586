// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay
@testable import WebArchiveServer

/// Archives that are made to hold up a server: a request is refused once it has cost enough.
struct HostileSiteTests {
    private func site(_ kind: String, copies: Int = 1) throws -> ReplaySite {
        let folder = try TemporaryFolder()
        try HostileArchive.write(kind, to: folder.path("hostile.webarc"))
        let bytes = try folder.read("hostile.webarc")
        return try ReplaySite(Array(repeating: ArchiveReader(bytes: bytes), count: copies))
    }

    @Test(arguments: ["vary-of-long-lists", "headers-of-all", "short-headers-of-all"])
    func aRequestHasABudget(_ kind: String) throws {
        let responder = ReplayResponder(try site(kind))
        let response = responder.get("http://example.org/", [.acceptLanguage: "de"])
        #expect(response.status == 500)
        #expect(response.failure?.code == .limitExceeded)
    }

    /// A list shows the beginning of a method, not a mebibyte of it for each entry.
    @Test func listsShowTheBeginningOfTexts() throws {
        let page = EntryListPage(
            search: EntrySearch(QueryFields("limit=500")),
            found: try EntrySearch(QueryFields("limit=500")).run(try site("method-of-all")), count: 500)
        #expect(page.found.rows.count == 500)
        #expect(page.found.rows.allSatisfy { $0.method.utf8.count == AnswerOutline.maximumTextLength })
        #expect(page.json.line.utf8.count < 500 * 1000)
    }

    /// One entry's page, too, has a budget.
    @Test func aPageHasABudget() throws {
        let site = try site("headers-of-all")
        let entry = try #require(EntryID("0.0.0")?.entry(in: site))
        let limited = entry.limited(to: DecodingBudget(for: "a page", bytes: 4 << 20))
        #expect(failure { _ = try EntryPage(EntryID(layer: 0, entry), limited, in: site) } == Failure(.limitExceeded))
    }

    /// The sum of the lengths does not fit 64 bits.
    @Test func lengthsBeyondCounting() throws {
        let survey = try SpaceSurvey(site("lengths-of-many-entries", copies: 32), prefix: "")
        #expect(survey.total.entries == 32 << 12 && !survey.isCut)
        for amount in [survey.total, survey.types.first?.amount, survey.parts.first?.amount] {
            #expect(amount?.length == .max)
        }
        let page = SpacePage(survey: survey)
        #expect(page.json.line.contains("\(Int64.max)"))
        #expect(page.page.html.contains("131,072 entries"), "\(page.page.html)")
    }

    @Test func metadataOfNobodysSiteIsRefusedAtStart() throws {
        #expect(failure { _ = try site("metadata-of-one-value") } == Failure(.limitExceeded))
    }
}
