// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The effects of a hostile archive, server or closure of the app on a session, and the data that must not pass between them.
@Suite struct HostileAndPrivateTests {
    @Test(arguments: ["👨‍👩‍👧=b", "e\u{301}\u{302}=b", "a\r\n\r\n=b", "a=b\r\nX-Evil: 1", ";;;===;", "=", ""])
    func noCookieOfAnArchiveEndsTheProcessOrSplitsAField(_ cookie: String) async throws {
        let bundle = try TestBundle(.init("http://a.example/", ["Set-Cookie": cookie], "x"))
        let session = bundle.session()
        #expect(await session.load("http://a.example/").text == "x")
        let cookies = session.configuration.httpCookieStorage?.cookies ?? []
        #expect(!cookies.contains { $0.value.contains("\n") || $0.name.contains("\n") })
    }

    @Test func invalidHTTPFieldsAreLeftOut() async throws {
        let bundle = try TestBundle(
            .init("http://a.example/", ["Bad Name\r\n": "1", "X-B": "b\r\nX-C: d", "X-Good": "1"], "x"))
        let fields = await bundle.session().load("http://a.example/").response?.allHeaderFields.keys.map { "\($0)" }
        #expect(fields?.sorted() == ["Content-Length", "X-Good"])
    }

    @Test func thousandsOfFieldsAreAnswered() async throws {
        let many = HeaderFields(
            (0..<4000).map { HeaderField(name: "X-A", value: "\($0) " + String(repeating: "x", count: 4000)) })
        let bundle = try TestBundle(.init("http://a.example/", many, "body"))
        let result = await bundle.session().load("http://a.example/")
        #expect(result.text == "body")
        #expect(result.field("X-A")?.hasPrefix("0 xxx") == true)
    }

    @Test func anArchiveCanBeUninstalledWhileItAnswers() async throws {
        for _ in 0..<20 {
            let bundle = try TestBundle(.init("http://a.example/", "x"))
            let configuration = URLSessionConfiguration.ephemeral
            var options = SessionOptions()
            options.rules = [.delay(.milliseconds(2), when: .any)]
            let installation = configuration.install(bundles: [bundle.reader], options: options)
            let session = URLSession(configuration: configuration)
            async let result = session.load("http://a.example/")
            installation.uninstall()
            let outcome = await result
            #expect(outcome.data != nil || outcome.error != nil)
        }
    }

    @Test func aClosureOfTheAppMayUseSessions() async throws {
        let bundle = try TestBundle(.init("http://a.example/", "x"), .init("http://a.example/token", "secret"))
        let other = bundle.session()
        var options = SessionOptions()
        options.rules = [
            .sign(when: .url("http://a.example/")) { request in
                let token = Mutex<String?>(nil)
                let done = DispatchSemaphore(value: 0)
                other.dataTask(with: URL(string: "http://a.example/token")!) { data, _, _ in
                    token.withLock { $0 = data.map { String(decoding: $0, as: UTF8.self) } }
                    done.signal()
                }.resume()
                _ = done.wait(timeout: .now() + waitingLimit)
                var request = request
                request.setValue(token.withLock { $0 }, forHTTPHeaderField: "X-Token")
                return request
            }
        ]
        let seen = Mutex<[Int]>([])
        options.onResponse = { event in
            other.dataTask(with: event.url).resume()
            seen.withLock { $0.append(event.status) }
        }
        #expect(await bundle.session(options: options).load("http://a.example/").text == "x")
        #expect(seen.withLock { $0 } == [200])
    }

    @Test func aResponseThatDependsOnAFieldOfTheConfigurationIsOneSessionsOwn() async throws {
        let server = try HTTPTestServer()
        server.on("/") {
            .text("for \($0.fields["X-User"] ?? "")").field("Vary", "X-User").field("Cache-Control", "max-age=86400")
        }
        let recorded = try RecordedSession()
        for user in ["alice", "bob", "alice"] {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-User": user]
            configuration.install(recorded.archive, policy: .http)
            #expect(await URLSession(configuration: configuration).load(server.url()).text == "for \(user)")
        }
        #expect(server.requests.count == 2)
    }

    @Test func credentialsOfTheConfigurationDoNotGoToAnotherOrigin() async throws {
        let (first, second) = (try HTTPTestServer(), try HTTPTestServer())
        first["/"] = .redirect(302, to: second.url("/").absoluteString)
        second["/"] = .text("x")
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer secret", "X-A": "1"]
        configuration.install(try RecordedSession().archive, policy: .networkOnly)
        #expect(await URLSession(configuration: configuration).load(first.url("/")).text == "x")
        #expect(first.requests.first?.fields["Authorization"] == "Bearer secret")
        #expect(second.requests.first?.fields["Authorization"] == nil)
        #expect(second.requests.first?.fields["X-A"] == "1")
    }

    @Test func userPasswordAndFragmentOfAURLAreNotStored() async throws {
        let server = try HTTPTestServer()
        server["/a"] = .text("x")
        let recorded = try RecordedSession()
        let url = try #require(URL(string: "http://user:topsecret@127.0.0.1:\(server.port)/a#token=hidden"))
        #expect(await recorded.session(.networkFirst).load(url).text == "x")
        try await recorded.archive.commit()
        let bytes = try String(decoding: recorded.folder.read("recorded.webarc"), as: UTF8.self)
        #expect(!bytes.contains("topsecret") && !bytes.contains("hidden"))
        #expect(await recorded.session(.archiveOnly).load(url).text == "x")
    }

    @Test func a304GoesThroughTheRulesOfRecording() async throws {
        let server = try HTTPTestServer()
        server["/"] = .text("x").field("ETag", "\"1\"").field("Cache-Control", "max-age=1").field("X-Secret", "old")
        let recorded = try RecordedSession()
        let session = recorded.session(.http) { options in
            options.recording.willRecord = { draft in
                var draft = draft
                draft.response.headers.removeAll(named: "X-Secret")
                return draft
            }
        }
        #expect(await session.load(server.url()).field("X-Secret") == "old")
        recorded.advance(10)
        server["/"] = .text("x").field("ETag", "\"1\"").field("Cache-Control", "max-age=60").field("X-Secret", "new")
        #expect(await session.load(server.url()).field("X-Secret") == "new")
        #expect(try recorded.stored(server.url())?.response.headers["X-Secret"] == nil)
        recorded.advance(100)
        server["/"] = .text("x").field("ETag", "\"1\"").field("Cache-Control", "no-store").field("X-Personal", "1")
        #expect(await session.load(server.url()).field("X-Personal") == "1")
        #expect(try recorded.stored(server.url())?.response.headers["X-Personal"] == nil)
    }

    @Test func aResponseThatIsDamagedInOneBundleMayBeIntactInTheNext() async throws {
        let (damaged, whole) = (
            try TestBundle(.init("http://a.example/", "x")), try TestBundle(.init("http://a.example/", "x"))
        )
        var bytes = try damaged.folder.read("bundle.webarc")
        // The first block lies behind the header, and holds the only body.
        bytes[96] ^= 0xFF
        let reader = try ArchiveReader(bytes: bytes)
        for (bundles, text) in [([reader, whole.reader], "x"), ([reader], nil)] {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.install(bundles: bundles)
            let result = await URLSession(configuration: configuration).load("http://a.example/")
            #expect(result.text == text)
            if text == nil { #expect(result.error?.code == .cannotDecodeRawData) }
        }
    }
}
