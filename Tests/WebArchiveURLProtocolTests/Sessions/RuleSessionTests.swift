// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Rules and stubs as a session shows them; what each rule means is tested by itself.
@Suite struct RuleSessionTests {
    private func session(_ rules: RequestRule..., bundle: TestBundle, isMetered: Bool = false) -> URLSession {
        var options = SessionOptions()
        options.rules = rules
        options.connectivity = Connectivity(isMetered: { isMetered })
        return bundle.session(options: options)
    }

    @Test func rulesRunBeforeTheArchiveForEachHopOfARedirect() async throws {
        let bundle = try TestBundle(
            .init("http://a.example/1", status: 302, ["Location": "/2"], ""), .init("http://a.example/2", "two"),
            .init("http://a.example/3", "three"))
        let moved = session(.redirect(to: "http://a.example/3", when: .url("http://a.example/2")), bundle: bundle)
        #expect(await moved.load("http://a.example/1").text == "three")
        let blocked = session(.block(.notConnectedToInternet, when: .path("/2")), bundle: bundle)
        #expect(await blocked.load("http://a.example/1").error?.code == .notConnectedToInternet)
        #expect(await blocked.load("http://a.example/3").text == "three")
    }

    @Test func aRequestThatIsBlockedOnAMeteredLinkWorksOnOthers() async throws {
        let bundle = try TestBundle(.init("http://a.example/large.mp4", "film"))
        let rule = RequestRule.block(.dataNotAllowed, when: .metered && .mediaType("video/*"))
        let metered = await session(rule, bundle: bundle, isMetered: true).load("http://a.example/large.mp4")
        #expect(metered.error?.code == .dataNotAllowed)
        #expect(await session(rule, bundle: bundle).load("http://a.example/large.mp4").text == "film")
    }

    @Test func aFileInPlaceOfAURLWinsOverAllElse() async throws {
        let bundle = try TestBundle(.init("http://a.example/page.html", "stored"))
        let file = try bundle.folder.write("local.html", Array("<p>local</p>".utf8))
        let session = session(
            .block(.notConnectedToInternet, when: .any), .substitute(["http://a.example/page.html": file]),
            bundle: bundle)
        let result = await session.load("http://a.example/page.html")
        #expect(result.text == "<p>local</p>")
        #expect(result.response?.mimeType == "text/html")
        #expect(
            await session.load(URLRequest("http://a.example/page.html", fields: ["Range": "bytes=3-7"])).text == "local"
        )
    }

    @Test func aResponseIsCutOffDamagedOrTooLateOnPurpose() async throws {
        let text = String(repeating: "0123456789", count: 10)
        let bundle = try TestBundle(.init("http://a.example/", text))
        let cut = await session(.cutOff(afterBytes: 10, when: .any), bundle: bundle).load("http://a.example/")
        #expect(cut.error?.code == .networkConnectionLost)
        let damaged = await session(.corrupt(seed: 7, when: .any), bundle: bundle).load("http://a.example/")
        #expect(damaged.data?.count == 100 && damaged.text != text)
        let again = await session(.corrupt(seed: 7, when: .any), bundle: bundle).load("http://a.example/")
        #expect(again.data == damaged.data)
        var request = URLRequest("http://a.example/")
        request.timeoutInterval = 0.05
        let late = await session(.delay(.seconds(3600), when: .any), bundle: bundle).load(request)
        #expect(late.error?.code == .timedOut)
        // The limit is one on silence: bytes that come slowly are no silence.
        let slow = await session(.throttle(bytesPerSecond: 500, when: .any), bundle: bundle).load(request)
        #expect(slow.text == text)
        #expect(await session(.delay(.milliseconds(1), when: .any), bundle: bundle).load(request).text == text)
    }

    @Test func theDelayOfARedirectIsNotLost() async throws {
        let bundle = try TestBundle(
            .init("http://a.example/1", status: 302, ["Location": "/2"], ""), .init("http://a.example/2", "two"))
        var request = URLRequest("http://a.example/1")
        request.timeoutInterval = 0.05
        let late = await session(.delay(.seconds(3600), when: .path("/1")), bundle: bundle).load(request)
        #expect(late.error?.code == .timedOut)
    }

    @Test func aRequestIsSignedOnItsWayToTheServer() async throws {
        let server = try HTTPTestServer()
        server["/"] = .text("x")
        let recorded = try RecordedSession()
        let session = recorded.session(.networkOnly) { options in
            options.rules = [
                .sign(when: .any) { request in
                    var request = request
                    request.setValue("signed \(request.url?.path ?? "")", forHTTPHeaderField: "X-Signature")
                    return request
                }
            ]
        }
        #expect(await session.load(server.url("/")).status == 200)
        #expect(server.requests.first?.fields["X-Signature"] == "signed /")
    }

    @Test func aStubReturnsItsRegisteredResponsesAndFailsTheRestLoudly() async throws {
        let stub = Stub()
        stub.get("https://api.example/items", json: ["items": [1, 2]])
        stub.post("https://api.example/items", .status(201), .failure(.timedOut))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.install(stub)
        let session = URLSession(configuration: configuration)
        #expect(await session.load("https://api.example/items").text == #"{"items": [1, 2]}"#)
        let post = URLRequest("https://api.example/items", method: "POST", body: Data("new".utf8))
        #expect(await session.load(post).status == 201)
        #expect(await session.load(post).error?.code == .timedOut)
        let unknown = await session.load("https://api.example/unknown")
        #expect(unknown.error?.localizedDescription.contains("GET https://api.example/unknown") == true)
        #expect(unknown.error?.localizedDescription.contains("POST https://api.example/items") == true)
        #expect(stub.requests.map(\.httpMethod) == ["GET", "POST", "POST", "GET"])
        #expect(stub.requests[1].httpBody == Data("new".utf8))
        #expect(stub.unansweredRequests.map { $0.url?.path } == ["/unknown"])
    }
}
