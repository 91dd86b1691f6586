// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import WebArchive

@testable import WebArchiveCrawling

@Suite struct RequestComparisonTests {
    private static let page = "https://site.example/"
    private static let body = ContentDigest(hashing: Array("the response".utf8))
    private static let other = ContentDigest(hashing: Array("another one".utf8))

    private func request(
        _ path: String, _ answer: ReplayedRequest.Answer = .exact, method: String = "GET",
        content: ContentDigest? = nil, body: ContentDigest? = Self.body
    ) -> ReplayedRequest {
        ReplayedRequest(
            RequestIdentity(method: method, url: Self.page + path, content: content, body: body), answer)
    }

    private func observation(_ requests: ObservedRequest...) -> PageObservation {
        PageObservation(url: Self.page, time: ArchiveTime(seconds: 1_700_000_000)!, requests: requests)
    }

    private func crawled(
        _ path: String, method: String = "GET", content: ContentDigest? = nil, body: ContentDigest? = Self.body,
        failure: String? = nil
    ) -> ObservedRequest {
        ObservedRequest(
            method: method, url: Self.page + path, status: failure == nil ? 200 : 0, body: body, content: content,
            failure: failure)
    }

    /// The classes by path.
    private func classes(
        _ replays: [[ReplayedRequest]], _ observation: PageObservation? = nil
    ) -> [String: [RequestClass]] {
        RequestComparison(replays, with: observation).requests.reduce(into: [:]) { classes, request in
            classes[String(request.identity.url.dropFirst(Self.page.count)), default: []].append(request.requestClass)
        }
    }

    @Test func everyClassWithACrawl() {
        let replay = [
            request("same"), request("miss", .missed("not in the archive", near: []), body: nil), request("more"),
            request("peer", .leaked("WebRTC"), body: nil),
            request(
                "list?_=2",
                .byRule(["cache busters"], entry: RequestIdentity(url: Self.page + "list?_=1", body: Self.body))),
        ]
        let crawl = observation(crawled("same"), crawled("miss"), crawled("list?_=1"), crawled("gone"))
        #expect(
            classes([replay, replay], crawl) == [
                "same": [.exact], "miss": [.missed], "more": [.new], "peer": [.leaked], "list?_=2": [.byRule],
                "gone": [.notAskedAgain],
            ])
    }

    /// Without a crawl only the archive counts.
    @Test func aReplayAlone() {
        let replay = [
            request("same"), request("miss", .missed("not in the archive", near: []), body: nil),
            request("blocked", .unsent("csp"), body: nil), request("cached", .unsent(nil), body: nil),
        ]
        #expect(classes([replay, []]) == ["same": [.exact], "miss": [.missed]])
    }

    /// The method and the digest of the request's body are parts of what was asked for; no body is the same as an empty one.
    @Test func requestsDifferByMethodAndContent() {
        let first = ContentDigest(hashing: Array("id=1".utf8))
        let second = ContentDigest(hashing: Array("id=2".utf8))
        let replay = [
            request("form", method: "POST", content: first), request("form", method: "POST", content: second),
            request("form"), request("empty", body: ContentDigest(hashing: [])),
        ]
        let crawl = observation(
            crawled("form", method: "POST", content: first), crawled("form", method: "PUT"), crawled("empty", body: nil)
        )
        let found = classes([replay], crawl)
        #expect(found["empty"] == [.exact])
        #expect(found["form"]?.count { $0 == .new } == 2)
        #expect(found["form"]?.count { $0 == .exact } == 1)
        #expect(found["form"]?.count { $0 == .notAskedAgain } == 1)
    }

    /// Another response to the same request is a request of its own, and the one of the crawl was not asked again.
    @Test func anotherResponseIsNew() {
        let crawl = observation(crawled("page"))
        let changed = request("page", body: Self.other)
        #expect(Set(classes([[changed]], crawl)["page"] ?? []) == [.new, .notAskedAgain])
        #expect(Set(classes([[changed], [request("page")]], crawl)["page"] ?? []) == [.new, .exact])
        // One that the crawler did not see may be any.
        #expect(classes([[changed]], observation(crawled("page", body: nil))) == ["page": [.exact]])
    }

    /// The crawl had no response either, and a visitor of the live site misses nothing more.
    @Test func aFailureOfTheCrawlIsNoMiss() {
        let replay = [request("dead", .missed("not in the archive", near: []), body: nil)]
        let crawl = observation(crawled("dead", body: nil, failure: "net::ERR_NAME_NOT_RESOLVED"))
        #expect(classes([replay], crawl) == ["dead": [.exact]])
        // A response of the crawl that the archive has lost.
        let both = observation(crawled("dead", body: nil, failure: "net::ERR_TIMED_OUT"), crawled("dead"))
        #expect(classes([replay], both) == ["dead": [.missed]])
    }

    /// Blocked by the page's own policy, or from the browser's memory: as in the crawl.
    @Test func whatTheProxyNeverGot() {
        let replay = [request("blocked", .unsent("csp"), body: nil), request("cached", .unsent(nil), body: nil)]
        #expect(
            classes([replay], observation(crawled("blocked", body: nil, failure: "csp"), crawled("cached")))
                == ["blocked": [.exact], "cached": [.exact]])
        #expect(classes([replay], observation()) == ["blocked": [.new], "cached": [.new]])
    }

    /// They never leave the browser. A leak has any name.
    @Test func dataAndBlobsAreNotCompared() {
        let blob = RequestIdentity(url: "blob:https://site.example/1")
        let replay = [
            ReplayedRequest(blob, .unsent(nil)), ReplayedRequest(RequestIdentity(url: "data:,x"), .unsent(nil)),
        ]
        var crawl = crawled("")
        crawl.url = "data:,y"
        #expect(RequestComparison([replay], with: observation(crawl)).requests.isEmpty)
    }

    /// Browsers request the icon of a host once for several pages: only a miss counts.
    @Test func iconsOfHosts() {
        #expect(classes([[request("favicon.ico")]], observation()) == [:])
        #expect(classes([[]], observation(crawled("favicon.ico"))) == [:])
        let missed = request("favicon.ico", .missed("", near: []), body: nil)
        #expect(classes([[missed]], observation(crawled("favicon.ico"))) == ["favicon.ico": [.missed]])
    }

    /// A request of one replay only counts as one of both.
    @Test func replaysAreUnited() {
        #expect(
            classes([[request("one")], [request("two", .missed("", near: []), body: nil)]])
                == ["one": [.exact], "two": [.missed]])
    }

    /// The fragment of a URL and the spelling of its host are not sent.
    @Test func spellingsAreCanonical() {
        let upper = ReplayedRequest(RequestIdentity(url: "HTTPS://Site.Example:443/same#part", body: Self.body), .exact)
        #expect(classes([[upper]], observation(crawled("same"))) == ["same": [.exact]])
    }

    @Test func agreements() {
        #expect(ContentAgreement("a", "a", with: "a") == .equal)
        #expect(ContentAgreement("a", "a", with: "b") == .different)
        #expect(ContentAgreement("a", "b", with: "a") == .unstable)
        #expect(ContentAgreement("a", "a", with: nil) == .repeatable)
        #expect(ContentAgreement(nil, "a", with: "a") == .unknown)
    }
}
