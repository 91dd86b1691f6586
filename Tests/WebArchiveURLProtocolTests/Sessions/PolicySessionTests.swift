// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Each policy against a real server, whose responses are numbered.
@Suite struct PolicySessionTests {
    let server: HTTPTestServer
    let recorded: RecordedSession

    init() throws {
        server = try HTTPTestServer()
        recorded = try RecordedSession()
        server.on("/", inTurn: .text("1"), .text("2"), .text("3"))
    }

    private var url: URL { server.url("/") }

    private func load(_ policy: ArchivePolicy, cachePolicy: URLRequest.CachePolicy? = nil) async -> String {
        var request = URLRequest(url: url)
        if let cachePolicy { request.cachePolicy = cachePolicy }
        let result = await recorded.session(policy).load(request)
        return result.text ?? "error \(result.error?.code.rawValue ?? 0)"
    }

    private func failure(_ code: URLError.Code) -> String { "error \(code.rawValue)" }

    @Test func archiveOnlyNeverUsesTheServer() async {
        #expect(await load(.archiveOnly) == failure(.resourceUnavailable))
        #expect(await load(.networkOnly) == "1")
        #expect(await load(.archiveOnly) == "1")
        #expect(server.requests.count == 1)
    }

    @Test func archiveFirstRequestsOnce() async {
        #expect(await load(.archiveFirst) == "1")
        recorded.advance(1_000_000_000)
        #expect(await load(.archiveFirst) == "1")
        #expect(recorded.sources == [.network, .archive])
    }

    @Test func networkFirstReplacesTheStoredResponseAndFallsBackOnIt() async {
        #expect(await load(.networkFirst) == "1")
        #expect(await load(.networkFirst) == "2")
        recorded.connectivity.isOffline = true
        recorded.advance(1_000_000_000)
        #expect(await load(.networkFirst) == "2")
        recorded.connectivity.isOffline = false
        server.stop()
        #expect(await load(.networkFirst) == "2")
        #expect(recorded.sources == [.network, .network, .archive, .staleArchive])
    }

    @Test func networkFirstFailsOfflineWithoutAStoredResponse() async {
        recorded.connectivity.isOffline = true
        #expect(await load(.networkFirst) == failure(.notConnectedToInternet))
        #expect(await load(.rnCachingURLProtocol) == failure(.cannotConnectToHost))
        #expect(server.requests.isEmpty)
    }

    @Test func networkOnlyUsesNothingThatIsStored() async {
        #expect(await load(.networkOnly) == "1")
        #expect(await load(.networkOnly) == "2")
        recorded.connectivity.isOffline = true
        #expect(await load(.networkOnly) == failure(.notConnectedToInternet))
    }

    @Test func staleWhileRevalidateStoredThenStoredAndRefreshedThenLoadedAgain() async throws {
        let policy = ArchivePolicy.staleWhileRevalidate(freshFor: .seconds(60), expiresAfter: .seconds(3600))
        #expect(await load(policy) == "1")
        recorded.advance(59)
        #expect(await load(policy) == "1")
        #expect(server.requests.count == 1)
        recorded.advance(1)
        #expect(await load(policy) == "1")
        #expect(recorded.waitForRecord(url) { (try? $0.body?.bytes()) == Array("2".utf8) })
        #expect(await load(policy) == "2")
        recorded.advance(3600)
        #expect(await load(policy) == "3")
        #expect(recorded.sources == [.network, .archive, .staleArchive, .archive, .network])
    }

    @Test func aRefreshInTheBackgroundSetsItsCookies() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let installation = configuration.install(
            recorded.archive, policy: .staleWhileRevalidate(freshFor: .zero, expiresAfter: .seconds(3_600)))
        let session = URLSession(configuration: configuration)
        for (text, shown) in [("1", "1"), ("2", "1")] {
            server["/"] = .text(text).field("Set-Cookie", "visit=\(text)")
            #expect(await session.load(url).text == shown)
        }
        await installation.finishRefreshing()
        #expect(configuration.httpCookieStorage?.cookies(for: url)?.map(\.value) == ["2"])
    }

    @Test func anExpiredResponseIsRemovedEvenIfItCannotBeLoaded() async throws {
        let policy = ArchivePolicy.yjURLProtocol
        #expect(await load(policy) == "1")
        recorded.advance(2 * 86_400)
        recorded.connectivity.isOffline = true
        #expect(await load(policy) == failure(.notConnectedToInternet))
        #expect(await load(.archiveOnly) == failure(.resourceUnavailable))
    }

    @Test func eachOfTheSixCachePoliciesOfARequestGoesBeforeTheSessions() async throws {
        server["/"] = .text("1").field("Cache-Control", "max-age=100").field("ETag", "\"1\"")
        #expect(await load(.archiveOnly, cachePolicy: .reloadIgnoringLocalCacheData) == "1")
        #expect(await load(.networkOnly, cachePolicy: .returnCacheDataElseLoad) == "1")
        #expect(await load(.networkOnly, cachePolicy: .returnCacheDataDontLoad) == "1")
        #expect(await load(.archiveOnly, cachePolicy: .useProtocolCachePolicy) == "1")
        #expect(await load(.archiveOnly, cachePolicy: .reloadIgnoringLocalAndRemoteCacheData) == "1")
        #expect(await load(.archiveOnly, cachePolicy: .reloadRevalidatingCacheData) == "1")
        #expect(recorded.sources == [.network, .archive, .archive, .archive, .network, .validated])
        let fields = server.requests.map(\.fields)
        #expect(fields.map { $0["Cache-Control"] } == [nil, "no-cache", "no-cache"])
        #expect(fields.map { $0["If-None-Match"] } == [nil, nil, "\"1\""])
    }

    @Test func theCachePolicyOfAConfigurationCountsForItsRequests() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .returnCacheDataDontLoad
        configuration.install(recorded.archive, policy: .networkFirst)
        #expect(await URLSession(configuration: configuration).load(url).error?.code == .resourceUnavailable)
        #expect(server.requests.isEmpty)
    }

    @Test func anUnsafeRequestGoesToTheServerAndOfflineToTheArchive() async throws {
        server.on("/form", inTurn: .text("1"), .text("2"))
        let request = URLRequest(server.url("/form"), method: "POST", body: Data("form".utf8))
        #expect(await recorded.session(.archiveFirst).load(request).text == "1")
        #expect(await recorded.session(.archiveFirst).load(request).text == "2")
        recorded.connectivity.isOffline = true
        #expect(await recorded.session(.archiveFirst).load(request).text == "2")
    }

    @Test func aServersFailureDoesNotTakeThePlaceOfAResponse() async throws {
        server.on("/", inTurn: .text("1"), .status(503, "down"))
        #expect(await load(.networkFirst) == "1")
        #expect(await load(.networkFirst) == "down")
        recorded.connectivity.isOffline = true
        #expect(await load(.networkFirst) == "1")
    }

    @Test func aStoredFailureOfTheServerIsLoadedAgainAsSoonAsPossible() async throws {
        server.on("/", inTurn: .status(503, "down"), .text("up"))
        #expect(await load(.archiveFirst) == "down")
        recorded.connectivity.isOffline = true
        #expect(await load(.archiveFirst) == "down")
        recorded.connectivity.isOffline = false
        #expect(await load(.archiveFirst) == "up")
        #expect(await load(.archiveFirst) == "up")
        #expect(server.requests.count == 2)
    }

    @Test func aConfigurationThatWantsValidationGetsIt() async throws {
        server["/"] = .text("1").field("Cache-Control", "max-age=100").field("ETag", "\"1\"")
        for policy in [URLRequest.CachePolicy.useProtocolCachePolicy, .reloadRevalidatingCacheData] {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.requestCachePolicy = policy
            configuration.install(recorded.archive, policy: .http)
            #expect(await URLSession(configuration: configuration).load(url).text == "1")
        }
        #expect(server.requests.map { $0.fields["If-None-Match"] } == [nil, "\"1\""])
    }

    // MARK: - RFC 9111

    @Test func httpAResponseInPlaceOfAFailureHasItsAgeAndNoFieldThatNeedsValidation()
        async throws
    {
        server["/"] = .text("x").field("Cache-Control", "max-age=1, stale-if-error=600, no-cache=\"X-Private\"")
            .field("Age", "7").field("X-Private", "1")
        #expect(await load(.http) == "x")
        recorded.advance(100)
        server["/"] = .status(503, "down")
        let stale = await recorded.session(.http).load(url)
        #expect(stale.text == "x")
        #expect(stale.field("Age") == "107")
        #expect(stale.field("X-Private") == nil)
    }

    @Test func httpAnUnsafeMethodInvalidatesWhateverTheCachePolicyOfItsRequest() async throws {
        server["/"] = .text("old").field("Cache-Control", "max-age=60")
        #expect(await load(.http) == "old")
        server["/"] = .text("new").field("Cache-Control", "max-age=60")
        var put = URLRequest(url, method: "PUT", body: Data("x".utf8))
        put.cachePolicy = .reloadIgnoringLocalCacheData
        _ = await recorded.session(.http).load(put)
        #expect(await load(.http) == "new")
    }

    @Test func httpFreshWithoutAskingThenValidatedAndTheBodyKept() async throws {
        server["/"] = .text("body").field("Cache-Control", "max-age=60").field("ETag", "\"1\"").field("X-A", "old")
        #expect(await load(.http) == "body")
        recorded.advance(59)
        #expect(await load(.http) == "body")
        server["/"] = .text("body").field("Cache-Control", "max-age=60").field("ETag", "\"1\"").field("X-A", "new")
        recorded.advance(2)
        let validated = await recorded.session(.http).load(url)
        #expect(validated.text == "body" && validated.status == 200)
        #expect(validated.field("X-A") == "new")
        recorded.advance(30)
        let fresh = await recorded.session(.http).load(url)
        #expect(fresh.field("X-A") == "new" && fresh.field("Age") == "30")
        #expect(recorded.sources == [.network, .archive, .validated, .archive])
        #expect(server.requests.map { $0.fields["If-None-Match"] } == [nil, "\"1\""])
        try await recorded.archive.commit()
        #expect(try ArchiveReader(path: recorded.folder.path("recorded.webarc")).bodyCount == 1)
    }

    @Test func httpAnUnsafeMethodRemovesWhatItMayHaveChanged() async throws {
        server["/"] = .text("old").field("Cache-Control", "max-age=60")
        #expect(await load(.http) == "old")
        server["/"] = .text("new").field("Cache-Control", "max-age=60")
        _ = await recorded.session(.http).load(URLRequest(url, method: "PUT", body: Data("x".utf8)))
        #expect(await load(.http) == "new")
    }

    @Test func httpStaleIfErrorServesInPlaceOfAFailingServerMustRevalidateForbidsIt() async throws {
        for (directives, isAllowed) in [("max-age=1, stale-if-error=600", true), ("max-age=1, must-revalidate", false)]
        {
            let url = server.url("/\(isAllowed)")
            server["/\(isAllowed)"] = .text("good").field("Cache-Control", directives)
            #expect(await recorded.session(.http).load(url).text == "good")
            recorded.advance(10)
            server["/\(isAllowed)"] = .status(503, "down")
            #expect(await recorded.session(.http).load(url).text == (isAllowed ? "good" : "down"))
            recorded.connectivity.isOffline = true
            let offline = await recorded.session(.http).load(url)
            #expect(offline.text == (isAllowed ? "good" : nil))
            recorded.connectivity.isOffline = false
        }
    }

    @Test func httpStaleWhileRevalidateRespondsAtOnceAndRevalidatesMeanwhile() async throws {
        server.on(
            "/", inTurn: .text("1").field("Cache-Control", "max-age=1, stale-while-revalidate=60"),
            .text("2").field("Cache-Control", "max-age=60"))
        #expect(await load(.http) == "1")
        recorded.advance(10)
        #expect(await load(.http) == "1")
        #expect(recorded.waitForRecord(url) { (try? $0.body?.bytes()) == Array("2".utf8) })
        #expect(await load(.http) == "2")
    }

    @Test func httpEachVariantThatVaryNamesIsStoredByItself() async throws {
        server.on("/") { request in
            .text("in \(request.fields["Accept-Language"] ?? "")").field("Cache-Control", "max-age=60").field(
                "Vary", "Accept-Language")
        }
        for language in ["de", "fr", "de", "fr"] {
            let request = URLRequest(url, fields: ["Accept-Language": language])
            #expect(await recorded.session(.http).load(request).text == "in \(language)")
        }
        #expect(server.requests.count == 2)
    }

    @Test func httpOnlyIfCachedIsAnsweredWith504WhereNothingIsStored() async throws {
        let request = URLRequest(url, fields: ["Cache-Control": "only-if-cached"])
        #expect(await recorded.session(.http).load(request).status == 504)
        #expect(server.requests.isEmpty)
    }

    /// RFC 9111 section 4.3.2.
    @Test func httpAFreshResponseAnswersARequestWithAConditionOfItsOwn() async throws {
        server["/"] = .text("x").field("ETag", "\"1\"").field("Cache-Control", "max-age=60")
        let session = recorded.session(.http)
        #expect(await session.load(url).text == "x")
        #expect(await session.load(URLRequest(url, fields: ["If-None-Match": "\"1\""])).status == 304)
        let other = await session.load(URLRequest(url, fields: ["If-None-Match": "\"2\""]))
        #expect(other.status == 200 && other.text == "x")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [ArchivePolicy.networkFirst, .http])
    func aPartOfABodyBringsTheWholeOnceIfTheSessionSaysSo(policy: ArchivePolicy) async throws {
        server["/"] = .text("0123456789").field("ETag", "\"1\"").field("Cache-Control", "max-age=60")
            .with { $0.hasRanges = true }
        func part(_ range: String) -> URLRequest { URLRequest(url, fields: ["Range": "bytes=\(range)"]) }
        #expect(await recorded.session(policy).load(part("2-3")).text == "23")
        #expect(try recorded.stored(url) == nil && server.requests.count == 1)

        let session = recorded.session(policy) { $0.loadsWholeBodies = true }
        let first = await session.load(part("2-3"))
        #expect(first.status == 206 && first.text == "23")
        #expect(recorded.waitForRecord(url) { (try? $0.body?.bytes()) == Array("0123456789".utf8) })
        #expect(try recorded.stored(url)?.request.headers["Range"] == nil)
        recorded.connectivity.isOffline = true
        let last = await session.load(part("-4"))
        #expect(last.status == 206 && last.text == "6789" && last.field("Content-Range") == "bytes 6-9/10")
        #expect(server.requests.map { $0.fields["Range"] } == ["bytes=2-3", "bytes=2-3", nil])
    }

    @Test func theWholeIsNotLoadedWhereItWouldNotBeRecordedOrCostsByTheByte() async throws {
        let text = HTTPTestResponse.text("0123456789").with { $0.hasRanges = true }
        server["/"] = text.field("Cache-Control", "no-store")
        server["/long"] = text
        server["/metered"] = text
        let configuration = URLSessionConfiguration.ephemeral
        var options = SessionOptions()
        options.loadsWholeBodies = true
        let isMetered = Mutex(false)
        options.connectivity = Connectivity(isMetered: { isMetered.withLock { $0 } })
        options.recording.maximumBodyLength = 9
        func loadParts(_ path: String) async {
            let installation = configuration.install(recorded.archive, policy: .http, options: options)
            let session = URLSession(configuration: configuration)
            for _ in 0..<2 {
                let result = await session.load(URLRequest(server.url(path), fields: ["Range": "bytes=2-3"]))
                #expect(result.text == "23")
                await installation.finishRefreshing()
            }
        }
        await loadParts("/long")
        options.recording.maximumBodyLength = 10
        await loadParts("/")
        isMetered.withLock { $0 = true }
        await loadParts("/metered")
        let requests = server.requests.map { "\($0.path) \($0.fields["Range"] ?? "whole")" }
        #expect(
            requests == [
                "/long bytes=2-3", "/long bytes=2-3", "/ bytes=2-3", "/ whole", "/ bytes=2-3", "/metered bytes=2-3",
                "/metered bytes=2-3",
            ])
    }

    @Test func theServerOrTheStoredResponseSatisfiesARequestWithAConditionOfItsOwn() async throws {
        server["/"] = .text("x").field("ETag", "\"1\"").field("Cache-Control", "max-age=60")
        let request = URLRequest(url, fields: ["If-None-Match": "\"1\""])
        #expect(await recorded.session(.networkOnly).load(request).status == 304)
        #expect(try recorded.stored(url) == nil)
        #expect(await recorded.session(.networkOnly).load(url).text == "x")
        #expect(await recorded.session(.archiveOnly).load(request).status == 304)
    }
}
