// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Responses that were recorded from a real server are replayed without it, and are the same in all that a caller can see.
@Suite struct RecordAndReplayTests {
    private func serve(_ server: HTTPTestServer) throws {
        server["/page"] = .html("<p>Grüße</p>").field("X-A", "1").field("Set-Cookie", "a=1").field("Link", "<1>").field(
            "Link", "<2>")
        server["/query?a=1&b=2"] = .text("query")
        server["/missing"] = .status(404, "nothing here")
        server["/broken"] = .status(500, "broken")
        server["/empty"] = HTTPTestResponse(204, ["X-A": "2"])
        server["/none"] = HTTPTestResponse(200, ["Content-Type": "text/plain"])
        server["/gzip"] = try HTTPTestResponse.text(String(repeating: "gzip ", count: 2000)).gzip()
        server["/br"] = HTTPTestResponse.text(String(repeating: "brotli ", count: 2000)).brotli()
        server["/chunked"] = .text("chunked").with { $0.framing = .chunked }
        server["/long"] = .generated(3_000_000)
        server["/see"] = .redirect(303, to: "/page")
        server.chain("/hop", count: 3, status: 301, to: "/query?a=1&b=2")
        server["/up/down/rel"] = .redirect(302, to: "../side?x=1#there")
        server["/up/side?x=1"] = .text("sideways")
        server["/nowhere"] = .redirect(302, to: nil, body: "no location")
        server["/loop"] = .redirect(302, to: "/loop")
        server["/denied"] = .status(403, "no").field("WWW-Authenticate", "Bearer realm=\"x\"")
        server.on("/form") { request in
            .text("\(request.method) \(String(decoding: request.body, as: UTF8.self))")
        }
        server["/moved-form"] = .redirect(307, to: "/form")
        server["/left-form"] = .redirect(302, to: "/form")
    }

    private func requests(_ server: HTTPTestServer) -> [URLRequest] {
        let paths = [
            "/page", "/query?a=1&b=2", "/missing", "/broken", "/empty", "/none", "/gzip", "/br", "/chunked", "/long",
            "/see",
            "/hop/1", "/up/down/rel", "/nowhere", "/loop", "/denied",
        ]
        var requests = paths.map { URLRequest(server.url($0)) }
        for path in ["/form", "/moved-form", "/left-form"] {
            requests.append(URLRequest(server.url(path), method: "POST", body: Data("body of \(path)".utf8)))
        }
        requests.append(URLRequest(server.url("/form"), method: "PUT", body: Data("put".utf8)))
        requests.append(URLRequest(server.url("/page"), method: "HEAD"))
        return requests
    }

    #if os(Linux)
        /// Whether the process has a file open that lies in the folder and has no name there.
        private func hasNamelessFile(in folder: URL) -> Bool {
            let descriptors = "/proc/self/fd"
            return ((try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []).contains {
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
                return path.map { $0.hasPrefix(folder.path) && $0.hasSuffix(" (deleted)") } ?? false
            }
        }

        @Test func aLongBodyIsKeptBesideTheArchiveWhileItComesInAFileWithoutAName() throws {
            let server = try HTTPTestServer()
            let gate = HTTPTestGate()
            server["/long"] = .generated(3_000_000).with { $0.gate = gate }
            let recorded = try RecordedSession()
            let length = BackgroundThread {
                let length = Mutex(0)
                let ended = DispatchSemaphore(value: 0)
                recorded.session(.networkOnly).dataTask(with: server.url("/long")) { data, _, _ in
                    length.withLock { $0 = data?.count ?? 0 }
                    ended.signal()
                }.resume()
                ended.wait()
                return length.withLock { $0 }
            }
            gate.release(4)
            #expect(gate.waitForArrivals(5))
            #expect(waits { hasNamelessFile(in: recorded.folder.url) })
            #expect(try FileManager.default.contentsOfDirectory(atPath: recorded.folder.url.path).isEmpty)
            gate.open()
            #expect(try length.value() == 3_000_000)
        }
    #endif

    @Test func aRecordingIsReplayedWithoutTheServer() async throws {
        let server = try HTTPTestServer()
        try serve(server)
        let recorded = try RecordedSession()
        let online = recorded.session(.networkOnly)
        let requests = requests(server)
        var live: [LoadedResult] = []
        for request in requests { live.append(await online.load(request)) }
        #expect(live[0].text == "<p>Grüße</p>")
        #expect(live[6].text == String(repeating: "gzip ", count: 2000))
        #expect(live[7].text == String(repeating: "brotli ", count: 2000))
        #expect(live[6].field("Content-Encoding") == nil && live[7].field("Content-Encoding") == nil)
        #expect(live[11].response?.url == server.url("/query?a=1&b=2"))
        #expect(live[14].error?.code == .httpTooManyRedirects)
        #expect(server.failures.isEmpty)
        server.stop()

        // From what waits for a commit, from what is committed, and from the file alone.
        try await compare(recorded.session(.archiveOnly), requests, live)
        try await recorded.archive.commit()
        try await compare(recorded.session(.archiveOnly), requests, live)
        try recorded.archive.close()
        let reader = try ArchiveReader(path: recorded.folder.path("recorded.webarc"))
        // The redirect in a circle is worth a warning.
        #expect(ArchiveVerifier(reader).run().allSatisfy { $0.severity == .warning })
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(bundles: [reader])
        try await compare(URLSession(configuration: configuration), requests, live)
    }

    private func compare(_ session: URLSession, _ requests: [URLRequest], _ live: [LoadedResult]) async throws {
        for (request, response) in zip(requests, live) {
            let replayed = await session.load(request)
            let isSame = replayed.summary == response.summary.replacingLines(startingWith: "Set-Cookie:")
            #expect(
                isSame,
                "\(request.httpMethod ?? "") \(request.url?.path ?? ""): \(replayed.summary.prefix(300))\n\(response.summary.prefix(300))"
            )
        }
    }

    @Test func aHopIsARecordOfItsOwnAndRequestedOnce() async throws {
        let server = try HTTPTestServer()
        server.chain("/hop", count: 3, to: "/end")
        server["/end"] = .text("end")
        let recorded = try RecordedSession()
        #expect(await recorded.session(.archiveFirst).load(server.url("/hop/1")).text == "end")
        #expect(server.requestLines == ["GET /hop/1", "GET /hop/2", "GET /hop/3", "GET /end"])
        #expect(
            try recorded.stored(server.url("/hop/2"))?.response.redirectTarget == server.url("/hop/3").absoluteString)
        #expect(try recorded.stored(server.url("/end"))?.response.status == 200)
        #expect(await recorded.session(.archiveFirst).load(server.url("/hop/2")).text == "end")
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [
        HTTPTestResponse.text("0123456789").with { $0.cut = .close(after: 4) },
        HTTPTestResponse.text("0123456789").with { $0.cut = .reset(after: 4) },
        HTTPTestResponse.text("0123456789").with { $0.cut = .closeBeforeHead },
        HTTPTestResponse.text("0123456789").with {
            $0.framing = .chunked
            $0.cut = .close(after: 4)
        },
    ])
    func aResponseThatBreaksOffFailsAndIsNotRecorded(_ response: HTTPTestResponse) async throws {
        let server = try HTTPTestServer()
        server["/cut"] = response
        let recorded = try RecordedSession()
        let result = await recorded.session(.networkOnly).load(server.url("/cut"))
        #expect(result.error != nil)
        // Before the head, Foundation does not tell one failure from another.
        if response.cut?.bodyBytes != nil { #expect(result.error?.code == .networkConnectionLost) }
        #expect(try recorded.stored(server.url("/cut")) == nil)
        server.stop()
        let replayed = await recorded.session(.archiveOnly).load(server.url("/cut"))
        #expect(replayed.error?.code == .resourceUnavailable)
    }

    @Test func credentialsAreNotStoredByDefault() async throws {
        let server = try HTTPTestServer()
        server["/"] = .text("x").field("Set-Cookie", "secret=1").field("X-A", "1")
        let request = URLRequest(server.url("/"), fields: ["Authorization": "Bearer secret", "X-B": "2"])
        let recorded = try RecordedSession()
        let live = await recorded.session(.networkOnly).load(request)
        #expect(live.field("Set-Cookie") == "secret=1")
        #expect(server.requests.first?.fields["Authorization"] == "Bearer secret")
        let stored = try #require(try recorded.stored(server.url("/")))
        #expect(stored.request.headers["Authorization"] == nil && stored.request.headers["X-B"] == "2")
        #expect(stored.response.headers["Set-Cookie"] == nil && stored.response.headers["X-A"] == "1")

        let open = try RecordedSession()
        _ = await open.session(.networkOnly) { $0.recording.keepsCredentials = true }.load(request)
        let kept = try #require(try open.stored(server.url("/")))
        #expect(kept.request.headers["Authorization"] == "Bearer secret")
        #expect(kept.response.headers["Set-Cookie"] == "secret=1")
    }

    @Test func aResponseThatDependsOnAFieldThatIsNotStoredIsNotStoredEither() async throws {
        let server = try HTTPTestServer()
        server.on("/") { .text("for \($0.fields["Authorization"] ?? "all")").field("Vary", "Authorization") }
        let recorded = try RecordedSession()
        let personal = URLRequest(server.url("/"), fields: ["Authorization": "Bearer me"])
        #expect(await recorded.session(.networkFirst).load(personal).text == "for Bearer me")
        #expect(try recorded.stored(server.url("/")) == nil)
        #expect(await recorded.session(.networkFirst).load(server.url("/")).text == "for all")
        #expect(await recorded.session(.archiveOnly).load(server.url("/")).text == "for all")
        #expect(await recorded.session(.archiveOnly).load(personal).error?.code == .resourceUnavailable)
    }

    @Test func noStoreIsHonouredByDefault() async throws {
        let server = try HTTPTestServer()
        server["/answer"] = .text("x").field("Cache-Control", "no-store")
        server["/request"] = .text("x")
        let requests = [
            URLRequest(server.url("/answer")),
            URLRequest(server.url("/request"), fields: ["Cache-Control": "no-store"]),
        ]
        for honours in [true, false] {
            let recorded = try RecordedSession()
            let session = recorded.session(.archiveFirst) { $0.recording.honoursNoStore = honours }
            for request in requests {
                #expect(await session.load(request).text == "x")
                #expect((try recorded.stored(request.url!) == nil) == honours)
            }
        }
    }

    @Test func sizeStrippedFieldsAndAHookControlRecording() async throws {
        let server = try HTTPTestServer()
        server["/long"] = .generated(1001)
        server["/short"] = .generated(1000).field("X-Secret", "1")
        server["/veto"] = .text("x")
        let recorded = try RecordedSession()
        let session = recorded.session(.archiveFirst) { options in
            options.recording.maximumBodyLength = 1000
            options.strippedFields = [.strip("x-secret")]
            options.recording.willRecord = { draft in
                if draft.request.url.hasSuffix("/veto") { return nil }
                var draft = draft
                draft.response.headers.append(name: "X-Edited", value: "\(draft.bodyLength)")
                return draft
            }
        }
        for path in ["/long", "/short", "/veto"] { #expect(await session.load(server.url(path)).status == 200) }
        #expect(try recorded.stored(server.url("/long")) == nil)
        #expect(try recorded.stored(server.url("/veto")) == nil)
        let stored = try #require(try recorded.stored(server.url("/short")))
        #expect(stored.response.headers["X-Secret"] == nil)
        #expect(stored.response.headers["X-Edited"] == "1000")
    }

    @Test func aPartIsDeliveredAndNotRecorded() async throws {
        let server = try HTTPTestServer()
        server["/"] = .text("0123456789").with { $0.hasRanges = true }
        let recorded = try RecordedSession()
        let request = URLRequest(server.url("/"), fields: ["Range": "bytes=2-3"])
        let part = await recorded.session(.archiveFirst).load(request)
        #expect(part.status == 206 && part.text == "23")
        #expect(try recorded.stored(server.url("/")) == nil)
        // From a whole that is stored, a part is cut without asking again.
        #expect(await recorded.session(.archiveFirst).load(server.url("/")).text == "0123456789")
        #expect(await recorded.session(.archiveFirst).load(request).text == "23")
        #expect(server.requests.count == 2)
    }
}

extension String {
    /// Without the lines that start so: what is not stored.
    fileprivate func replacingLines(startingWith prefix: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix(prefix) }.joined(
            separator: "\n")
    }
}
