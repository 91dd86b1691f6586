// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import TestSupport
import Testing
import WebArchive
import WebArchivePresentation

@testable import WebArchiveReplay
@testable import WebArchiveServer

/// Archives that are made to hold up a server: a request is refused once it has cost enough.
struct HostileSiteTests {
    private func site(_ kind: String) throws -> ReplaySite {
        let folder = try TemporaryFolder()
        try HostileArchive.write(kind, to: folder.path("hostile.webarc"))
        return try ReplaySite([ArchiveReader(bytes: folder.read("hostile.webarc"))])
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

    @Test func metadataOfNobodysSiteIsRefusedAtStart() throws {
        #expect(failure { _ = try site("metadata-of-one-value") } == Failure(.limitExceeded))
    }
}
