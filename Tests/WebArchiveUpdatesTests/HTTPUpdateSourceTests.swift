// SPDX-License-Identifier: Apache-2.0

import Foundation
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveUpdateClient

/// Hosts that are slow, or that answer another question.
@Suite struct HTTPUpdateSourceTests {
    private let folder: TemporaryFolder
    private let server: HTTPTestServer
    private let whole = [UInt8]((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) })

    init() throws { (folder, server) = (try TemporaryFolder(), try HTTPTestServer()) }

    private func source(_ limits: HTTPUpdateSource.Limits = .init()) throws -> HTTPUpdateSource {
        try HTTPUpdateSource(server.url("/").absoluteString, limits: limits)
    }

    /// Loads the file, of which the first bytes exist, and returns its bytes afterwards.
    private func load(_ source: HTTPUpdateSource, from offset: Int = 0) throws -> [UInt8] {
        try folder.write("part", whole[..<offset])
        let file = try FileDescriptor.open(folder.path("part"), .readWrite)
        defer { try? file.close() }
        try file.seek(offset: 0, from: .end)
        try source.append("file", from: UInt64(offset), length: UInt64(whole.count), to: file) { _ in }
        return try [UInt8](folder.read("part"))
    }

    /// The client library ends the process at the content of such a response.
    @Test(arguments: ["000", "001", "099"], ["", "X"]) func statusesBelow100(_ status: String, _ content: String) throws
    {
        server["/list"] = .raw("HTTP/1.1 \(status) OK\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)")
        let source = try source()
        let error = try #require(throws: ArchiveError.self) { try source.bytes(of: "list", atMost: 1 << 20) }
        #expect(error.code == .io && error.message.contains("malformed"))
        // An informational response comes before another one, and is passed over.
        server["/list"] = .raw("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny")
        #expect(try source.bytes(of: "list", atMost: 1 << 20) == [UInt8(ascii: "y")])
    }

    /// A byte now and then: never silent, and never done.
    private var dripping: HTTPTestResponse {
        .bytes(whole).with {
            $0.pieceLength = 1
            $0.pace = 20
        }
    }

    @Test func drippingListIsGivenUp() throws {
        server["/list"] = dripping
        let error = try #require(throws: ArchiveError.self) {
            try source(.init(span: .milliseconds(300))).bytes(of: "list", atMost: 1 << 20)
        }
        #expect(error.code == .io)
        #expect(server.waitForConnections())
    }

    @Test func drippingFileIsGivenUpAndWhatCameStays() throws {
        server["/file"] = dripping
        let source = try source(.init(span: .milliseconds(500)))
        let error = try #require(throws: ArchiveError.self) { try load(source) }
        #expect(error.code == .io)
        #expect(server.waitForConnections())
        let part = try [UInt8](folder.read("part"))
        #expect(part.count < whole.count && whole.starts(with: part))
    }

    @Test func slowFileThatKeepsThePaceComesWhole() throws {
        server["/file"] = .bytes(whole).with {
            $0.pieceLength = 100
            $0.pace = 20_000
        }
        #expect(try load(source(.init(span: .milliseconds(1), minimumLength: 0))) == whole)
    }

    /// Spans are counted, not taken from a clock.
    @Test func eachSpanCounts() {
        var pace = Pace(.seconds(60), minimumLength: 100)
        let answers = [100, 1000, 1099].map { pace.goesOn(after: $0) }
        #expect(answers == [true, true, false])
        var list = Pace(.seconds(60), minimumLength: nil)
        let listGoesOn = list.goesOn(after: 1 << 20)
        #expect(!listGoesOn)
    }

    /// RFC 9110 section 9.2.2: a host may close a connection that waits for its next request.
    @Test(arguments: [false, true]) func aClosedConnectionIsReplacedOnce(isReset: Bool) throws {
        let lost = HTTPTestResponse().with { $0.cut = isReset ? .resetBeforeHead : .closeBeforeHead }
        server["/list"] = .text("list")
        server.on("/file", inTurn: lost, .bytes(whole))
        let source = try source()
        #expect(try source.bytes(of: "list", atMost: 10) == Array("list".utf8))
        #expect(try load(source, from: 100) == whole)
        #expect(try server.waitForRequests(3).map(\.target) == ["/list", "/file", "/file"])
        // A second time in a row is no accident.
        server.on("/file", inTurn: lost, lost, .bytes(whole))
        let error = try #require(throws: ArchiveError.self) { try load(source) }
        #expect(error.code == .io && error.message.contains("does not respond"))
    }

    /// Each request has its own second attempt.
    @Test func everyRequestIsRepeatedOnce() throws {
        let lost = HTTPTestResponse().with { $0.cut = .closeBeforeHead }
        server.on("/file", inTurn: lost, .redirect(to: "/there"))
        server.on("/there", inTurn: lost, .bytes(whole))
        #expect(try load(source()) == whole)
    }

    /// Received bytes stay, and the next run continues after them.
    @Test func aResponseThatBreaksOffIsNotRepeated() throws {
        server["/file"] = .bytes(whole).with { $0.cut = .close(after: 1000) }
        _ = try #require(throws: ArchiveError.self) { try load(source()) }
        #expect(try server.waitForRequests(1).count == 1)
    }

    @Test func aMalformedResponseIsNamed() throws {
        server["/file"] = .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnumber\r\n")
        let error = try #require(throws: ArchiveError.self) { try load(source()) }
        #expect(error.code == .io && "\(error)".contains("the response is malformed"), "\(error)")
    }

    @Test(.timeLimit(.minutes(1))) func bodyOfARedirectIsNotRead() throws {
        server["/file"] = HTTPTestResponse(302, ["Location": "/there"], body: .generated(1 << 50))
        server["/there"] = .bytes(whole)
        #expect(try load(source()) == whole)
    }

    /// RFC 9110 section 4.2.4: nobody is to be led astray by what stands before a host, nor sees it in a log.
    @Test func credentialsInARedirectAreLeftOut() throws {
        let there = server.url("/there").absoluteString.replacing("http://", with: "http://user:secret@")
        server["/file"] = .redirect(to: there)
        server.on("/there", inTurn: .bytes(whole), .status(404))
        let source = try source()
        #expect(try load(source) == whole)
        #expect(server.requests.allSatisfy { $0.fields.values(named: "Authorization").isEmpty })
        let error = try #require(throws: ArchiveError.self) { try load(source) }
        #expect(error.code == .notFound && !"\(error)".contains("secret") && error.path?.hasSuffix("/there") == true)
    }

    @Test(arguments: [
        "ftp://user:secret@host/" + String(repeating: "a", count: 7000),
        "ftp://host/" + String(repeating: "a", count: 70_000),
        "http://host/" + String(repeating: "a", count: 70_000), "http://user:secret@:x/",
    ]) func whatIsNotFollowedIsTold(inShort target: String) throws {
        server["/file"] = .redirect(to: target)
        let error = try #require(throws: ArchiveError.self) { try load(source()) }
        #expect(error.code == .io && error.message.contains("redirect"))
        #expect("\(error)".utf8.count < 1000 && !"\(error)".contains("secret"))
    }

    @Test func anAddressHasNoPassword() throws {
        let error = try #require(throws: ArchiveError.self) { try HTTPUpdateSource("http://user:secret@host/") }
        #expect(error.code == .invalidArgument && !"\(error)".contains("secret"))
    }

    /// Storage services say 403 for files that do not exist. A file that is too short on the host never becomes longer by waiting.
    @Test(arguments: [
        (HTTPTestResponse.status(403), ArchiveError.Code.notFound), (.status(401), .notFound), (.status(503), .io),
        (.bytes([1, 2, 3]), .damaged),
        (
            HTTPTestResponse(
                206, ["Content-Range": "bytes 1234-2000/2001"], body: HTTPTestBody([UInt8](repeating: 1, count: 767))),
            .damaged
        ),
    ]) func filesThatTheHostDoesNotHave(_ response: HTTPTestResponse, _ code: ArchiveError.Code) throws {
        server["/file"] = response
        let error = try #require(throws: ArchiveError.self) { try load(source(), from: 1234) }
        #expect(error.code == code, "\(error)")
        #expect(try folder.read("part").count == 1234)
    }

    @Test func theListIsRefusedOtherwise() throws {
        server["/list"] = .status(403)
        #expect(throws: ArchiveError(.io, "")) { try source().bytes(of: "list", atMost: 1 << 20) }
    }

    @Test(arguments: [416, 206]) func hostWithoutTheRangeIsAskedForTheWhole(status: Int) throws {
        server.on("/file") { [whole] request in
            guard request.fields.values(named: "Range").first != nil else { return .bytes(whole) }
            return HTTPTestResponse(
                status, ["Content-Range": status == 416 ? "bytes */5000" : "bytes 0-4999/5000"],
                body: HTTPTestBody(status == 416 ? [] : whole))
        }
        #expect(try load(source(), from: 1234) == whole)
        #expect(server.requests.count == 2)
    }

    /// A host that refuses the whole file as well gets no third request.
    @Test func refusalOfTheWholeIsAFailure() throws {
        server["/file"] = .status(416)
        #expect(throws: ArchiveError.self) { try load(source(), from: 1234) }
        #expect(server.requests.count == 2)
    }
}
