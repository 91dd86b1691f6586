// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The account that a session gives of each response: whether it is recorded, or why not.
@Suite struct RecordingReportTests {
    private let server: HTTPTestServer
    private let recorded: RecordedSession

    init() throws {
        server = try HTTPTestServer()
        server["/page"] = .text("0123456789").with { $0.hasRanges = true }
        recorded = try RecordedSession()
    }

    /// Loads one request, and returns the report of its last response.
    private func load(
        _ policy: ArchivePolicy, _ path: String, method: String = "GET", fields: [String: String] = [:],
        _ change: (inout SessionOptions) -> Void = { _ in }
    ) async throws -> RecordingOutcome? {
        var request = URLRequest(server.url(path), fields: fields)
        request.httpMethod = method
        let result = await recorded.session(policy, change).load(request)
        #expect(result.error == nil, "\(path)")
        return try #require(recorded.recordings.last)
    }

    /// Whether the report is true.
    private func expect(
        _ told: RecordingOutcome?, _ wanted: RecordingOutcome?, _ path: String, _ note: String = ""
    ) throws {
        #expect(told == wanted, "\(path) \(note)")
        #expect((try recorded.stored(server.url(path)) != nil) == (told == .stored), "\(path) \(note)")
    }

    @Test func recordedResponsesAreReportedAndArchivedOnesAreNot() async throws {
        server["/hop"] = .redirect(302, to: "/page")
        try expect(await load(.archiveFirst, "/hop"), .stored, "/page")
        #expect(recorded.recordings == [.stored, .stored])
        #expect(try await load(.archiveFirst, "/page") == nil)
        #expect(try await load(.archiveOnly, "/hop") == nil)
    }

    @Test func aValidatedResponseIsReportedAsStored() async throws {
        server["/old"] = .text("old").field("ETag", "\"1\"").field("Cache-Control", "max-age=0")
        try expect(await load(.http, "/old"), .stored, "/old")
        try expect(await load(.http, "/old"), .stored, "/old")
        #expect(recorded.sources == [.network, .validated])
    }

    @Test(arguments: [ArchivePolicy.networkOnly, .http])
    func noStoreOfEitherSide(_ policy: ArchivePolicy) async throws {
        server["/secret"] = .text("secret").field("Cache-Control", "no-store")
        try expect(await load(policy, "/secret"), .notStored(.noStore), "/secret")
        try expect(
            await load(policy, "/page", fields: ["Cache-Control": "no-store"]), .notStored(.noStore), "/page")
        try expect(await load(policy, "/secret") { $0.recording.honoursNoStore = false }, .stored, "/secret")
    }

    @Test(arguments: [ArchivePolicy.networkOnly, .http])
    func aPartAndWhatDependsOnFieldsThatAreNotStored(_ policy: ArchivePolicy) async throws {
        server["/mine"] = .text("mine").field("Vary", "Cookie")
        server["/any"] = .text("any").field("Vary", "*")
        try expect(await load(policy, "/page", fields: ["Range": "bytes=1-2"]), .notStored(.conditional), "/page")
        try expect(await load(policy, "/mine", fields: ["Cookie": "a=1"]), .notStored(.varying), "/mine")
        try expect(await load(policy, "/any"), .notStored(.varying), "/any")
    }

    @Test func lengthTheAppsOwnWordAndAFailureOfTheServer() async throws {
        try expect(
            await load(.networkOnly, "/page") { $0.recording.maximumBodyLength = 9 }, .notStored(.tooLong), "/page")
        try expect(
            await load(.networkOnly, "/page") { $0.recording.willRecord = { _ in nil } }, .notStored(.vetoed), "/page")
        try expect(
            await load(.networkOnly, "/page") { $0.recording.maximumBodyLength = 10 }, .stored, "/page")
        server["/page"] = .status(500, "down")
        #expect(try await load(.networkOnly, "/page") == .notStored(.serverError))
        #expect(try recorded.stored(server.url("/page"))?.response.status == 200)
    }

    @Test(arguments: [HTTPTestResponse.Framing.contentLength, .chunked])
    func aLoadEndsOnceItsBodyIsTooLongForTheSession(_ framing: HTTPTestResponse.Framing) async throws {
        let gate = HTTPTestGate()
        // With its length in the head, nothing of the body has to come; without, its second piece is too much.
        if framing == .chunked { gate.release(2) }
        server["/long"] = .pieces(["012345", "6789a", "never let go"], gate, framing: framing)
        let session = recorded.session(.networkOnly) { $0.maximumResponseLength = 10 }
        let long = await session.load(server.url("/long"))
        #expect(long.error?.code == .dataLengthExceedsMaximum && long.data == nil, "\(long.summary)")
        #expect((long.error?.userInfo[NSUnderlyingErrorKey] as? ArchiveError)?.code == .limitExceeded)
        #expect(try recorded.stored(server.url("/long")) == nil)
        let page = await session.load(server.url("/page"))
        #expect(page.text == "0123456789")
    }

    @Test func theLimitOfASessionIsOneOnTheDecodedBodyThatComes() async throws {
        server["/zip"] = try HTTPTestResponse.text(String(repeating: "a", count: 11)).gzip()
        server["/zipped"] = try HTTPTestResponse.text(String(repeating: "a", count: 10)).gzip()
        let session = recorded.session(.networkOnly) { $0.maximumResponseLength = 10 }
        #expect(await session.load(server.url("/zip")).error?.code == .dataLengthExceedsMaximum)
        // The body is longer as it is sent, compressed.
        #expect(await session.load(server.url("/zipped")).data?.count == 10)
        server["/long"] = .generated(11)
        let head = await session.load(URLRequest(server.url("/long"), method: "HEAD"))
        #expect(head.status == 200 && head.field("Content-Length") == "11", "\(head.summary)")
    }

    @Test func responsesThatACacheMayNotStore() async throws {
        server["/form"] = .text("done")
        server["/teapot"] = .status(418, "short")
        try expect(await load(.http, "/form", method: "POST"), .notStored(.notCacheable), "/form")
        try expect(await load(.http, "/teapot"), .notStored(.notCacheable), "/teapot")
        try expect(await load(.networkOnly, "/teapot"), .stored, "/teapot")
    }

    @Test func anArchiveThatWasClosedTakesNothing() async throws {
        try recorded.archive.close()
        #expect(try await load(.networkOnly, "/page") == .notStored(.unwritable))
        #expect(recorded.archive.droppedCount == 1)
    }

    @Test func reportsNothingWithoutARecordingArchive() async throws {
        let (seen, events) = AsyncStream.makeStream(of: LoadEvent.self)
        var options = SessionOptions()
        options.onResponse = { events.yield($0) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(bundles: [], policy: .networkOnly, options: options)
        #expect(await URLSession(configuration: configuration).load(server.url("/page")).status == 200)
        var told = seen.makeAsyncIterator()
        let event = try #require(await told.next())
        #expect(event.source == .network && event.recording == nil)
    }
}
