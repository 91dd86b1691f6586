// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveURLProtocol

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct StubTests {
    private func request(_ method: String, _ url: String) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        return request
    }

    private func response(_ stub: Stub, _ method: String, _ url: String) throws -> (LocalResponse, NetworkConditioning)
    {
        switch stub.outcome(for: try request(method, url)) {
        case .respond(let response, let shaping): return (response, shaping)
        case .block(let error): throw error
        case .proceed: throw Unexpected("a stub let a request go on")
        }
    }

    private func text(_ response: LocalResponse) -> String? {
        guard case .data(let data) = response.body else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func oneLineRegistersAResponse() throws {
        let stub = Stub()
        stub.get("https://api.example/items", json: ["items": [1, 2]])
        stub.post(
            "https://api.example/items", json: ["id": 3], status: 201,
            headers: ["Location": "/items/3", "content-type": "a/b"],
            delay: .seconds(2))
        let (got, at) = try response(stub, "GET", "https://API.example/items#top")
        #expect(text(got) == "{\"items\": [1, 2]}")
        #expect(got.status == 200 && got.headers["Content-Type"] == "application/json" && at.isNone)
        let (posted, later) = try response(stub, "POST", "https://api.example/items")
        #expect(posted.status == 201 && posted.headers["Location"] == "/items/3")
        #expect(posted.headers["Content-Type"] == "a/b")
        #expect(later.delay == .seconds(2))
    }

    @Test func everyMethodHasItsLine() throws {
        let stub = Stub()
        let url = "https://api.example/x"
        stub.get(url, .text("GET"))
        stub.post(url, .text("POST"))
        stub.put(url, .text("PUT"))
        stub.patch(url, .text("PATCH"))
        stub.delete(url, .text("DELETE"))
        stub.head(url, .text("HEAD"))
        stub.on("PURGE", url, .text("PURGE"))
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "PURGE"] {
            #expect(try text(response(stub, method, url).0) == method)
        }
        stub.put(url, json: "put")
        stub.patch(url, json: "patch")
        stub.delete(url, json: "delete")
        for method in ["PUT", "PATCH", "DELETE"] {
            #expect(try text(response(stub, method, url).0) == "\"\(method.lowercased())\"")
        }
    }

    @Test func responsesComeOneAfterTheOtherTheLastAgainAndAgain() throws {
        let stub = Stub()
        stub.get("https://a.example/", .status(503), .failure(.timedOut), .text("ok"))
        let responses = try (0..<5).map { _ in try response(stub, "GET", "https://a.example/").0 }
        #expect(responses.map(\.status) == [503, 200, 200, 200, 200])
        #expect(responses.map(\.failure) == [nil, .timedOut, nil, nil, nil])
        #expect(responses.map { text($0) } == ["", "", "ok", "ok", "ok"])
    }

    @Test func aLaterRegistrationTakesPrecedence() throws {
        let stub = Stub()
        stub.on(.host("a.example"), .text("any"))
        stub.get("https://a.example/1", .text("old"))
        stub.get("https://a.example/1", .text("new"))
        #expect(try text(response(stub, "GET", "https://a.example/1").0) == "new")
        #expect(try text(response(stub, "GET", "https://a.example/2").0) == "any")
        #expect(try text(response(stub, "POST", "https://a.example/1").0) == "any")
    }

    @Test func aRequestWithoutAResponseFailsAndListsTheRegisteredOnes() throws {
        let stub = Stub()
        stub.get("https://a.example/1", .status(200))
        stub.on(.path("/x/*"), named: "all of /x", .status(200))
        for (method, url) in [("GET", "https://a.example/1?q=2"), ("DELETE", "https://a.example/1")] {
            let error = try #require(throws: URLError.self) { try response(stub, method, url) }
            #expect(error.code == .resourceUnavailable)
            #expect(error.failingURL?.absoluteString == url)
            let message = error.localizedDescription
            for part in ["\(method) \(url)", "GET https://a.example/1", "all of /x"] {
                #expect(message.contains(part), "\(message)")
            }
        }
        let empty = try #require(throws: URLError.self) { try response(Stub(), "GET", "https://a.example/") }
        #expect(empty.localizedDescription.contains("nothing"))
        #expect(stub.unansweredRequests.map(\.httpMethod) == ["GET", "DELETE"])
    }

    @Test func requestsAreRememberedInTheirOrder() throws {
        let stub = Stub()
        stub.get("https://a.example/1", .status(200))
        var first = try request("GET", "https://a.example/1")
        first.setValue("token", forHTTPHeaderField: "Authorization")
        first.httpBody = Data("body".utf8)
        _ = stub.outcome(for: first)
        _ = stub.outcome(for: try request("GET", "https://a.example/2"))
        #expect(stub.requests.map { $0.url?.path } == ["/1", "/2"])
        let found = stub.requests(for: "https://A.example/1")
        #expect(found.count == 1)
        #expect(found.first?.value(forHTTPHeaderField: "Authorization") == "token")
        #expect(found.first?.httpBody == Data("body".utf8))
    }

    @Test func aConditionMayAskTheStub() throws {
        let stub = Stub()
        stub.on(.where { [weak stub] _ in stub?.requests.count == 2 }, .text("second"))
        #expect(throws: URLError.self) { try response(stub, "GET", "https://a.example/") }
        #expect(try text(response(stub, "GET", "https://a.example/").0) == "second")
    }

    @Test func requestsFromManyThreadsAreAllAnsweredEachResponseOnce() async throws {
        let stub = Stub()
        let responses = (0..<200).map { LocalResponse.status(200 + $0) }
        stub.register("GET", "https://a.example/", responses)
        let asked = try request("GET", "https://a.example/")
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    if case .respond(let response, _) = stub.outcome(for: asked) { response.status } else { 0 }
                }
            }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(statuses == Set(200..<400))
        #expect(stub.requests.count == 200)
    }
}
