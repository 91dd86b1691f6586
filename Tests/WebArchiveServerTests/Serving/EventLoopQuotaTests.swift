// SPDX-License-Identifier: Apache-2.0

import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import WebArchiveServer

@Suite struct EventLoopQuotaTests {
    private let now = NIOLockedValueBox(NIODeadline.uptimeNanoseconds(1_000_000_000))
    private let time: EventLoopQuota

    init() { time = EventLoopQuota { [now] in now.withLockedValue { $0 } } }

    private func advance(_ duration: TimeAmount) { now.withLockedValue { $0 = $0 + duration } }

    @Test func shortWorkIsNotCounted() {
        for _ in 0..<100_000 { time.note("a", .microseconds(150)) }
        #expect(time.delay("a") == .zero)
    }

    @Test func anAddressWaitsTwiceAsLongAsItsWorkTook() {
        for _ in 0..<50 { time.note("a", .milliseconds(2)) }
        #expect(time.delay("a") == .milliseconds(180))
        #expect(time.delay("b") == .zero)
        advance(.milliseconds(100))
        #expect(time.delay("a") == .milliseconds(80))
        advance(.milliseconds(80))
        #expect(time.delay("a") == .zero)
        advance(.seconds(1))
        time.note("a", .milliseconds(15))
        #expect(time.delay("a") == .milliseconds(10))
    }

    /// All that came together go one by one, each when the work of the one before is paid for, but for the time that an address may be ahead.
    @Test func whatWaitsGoesInTurn() throws {
        let loop = EmbeddedEventLoop()
        let done = NIOLockedValueBox<[(number: Int, time: NIODeadline)]>([])
        time.note("a", .milliseconds(100))
        for number in 0..<20 {
            #expect(time.delay("a") > .zero)
            time.wait("a", of: time, on: loop) { [time, now] in
                done.withLockedValue { $0.append((number, now.withLockedValue { $0 })) }
                time.note("a", .milliseconds(100))
            }
        }
        for _ in 0..<420 {
            advance(.milliseconds(10))
            loop.advanceTime(by: .milliseconds(10))
        }
        let turns = done.withLockedValue { $0 }
        #expect(turns.map(\.number) == Array(0..<20))
        #expect(zip(turns, turns.dropFirst()).allSatisfy { $1.time - $0.time >= .milliseconds(180) })
        #expect(time.delay("a") == .zero)
    }

    @Test func workOfAClientThatIsGoneIsRemoved() {
        let loop = EmbeddedEventLoop()
        let done = NIOLockedValueBox<[Int]>([])
        time.note("a", .milliseconds(100))
        let clients = (0..<3).map { _ in EmbeddedEventLoop() }
        for number in 0..<9 {
            time.wait("a", of: clients[number % 3], on: loop) { done.withLockedValue { $0.append(number) } }
        }
        // The first has its time already.
        time.remove(clients[0], of: "a")
        time.remove(clients[1], of: "a")
        advance(.seconds(1))
        loop.advanceTime(by: .seconds(1))
        #expect(done.withLockedValue { $0 } == [0, 2, 5, 8])
    }

    /// A clock that moves whenever it is looked at makes each measured piece of work long.
    @Test(arguments: [
        (HTTPMethod.GET, "/style.css", "1"), (.GET, "http://[", "1"), (.OPTIONS, "*", "1"),
    ]) func theHeadOfARequestIsWorkOfItsAddress(_ method: HTTPMethod, _ target: String, _ length: String) throws {
        let sample = try ReplaySample()
        let service = try TestServer([sample.path]).service
        let (now, isMoving) = (now, NIOLockedValueBox(true))
        let time = EventLoopQuota {
            now.withLockedValue { now in
                if isMoving.withLockedValue(\.self) { now = now + .milliseconds(100) }
                return now
            }
        }
        let channel = EmbeddedChannel()
        let share = ContentShare(service.budget, address: "192.0.2.1", on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(
            ReplayHandler(service, FairScheduler(threads: 1, loopTime: time), ReplayConnection(), ServerNames(), share))
        let fields: HTTPHeaders = ["Host": "localhost", "Content-Length": length]
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: fields)
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        isMoving.withLockedValue { $0 = false }
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        // The head alone has brought the address forward, for all that comes later took no time.
        #expect(time.delay("192.0.2.1") > .zero)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    /// A response that goes out in small pieces may have a long block decoded for each of them.
    @Test func eachSmallPieceWaitsForItsTurn() throws {
        let sample = try ReplaySample()
        let service = try TestServer([sample.path]).service
        let channel = EmbeddedChannel()
        let share = ContentShare(service.budget, address: "192.0.2.1", on: channel.eventLoop)
        let others = ContentShare(service.budget, address: "192.0.2.1", on: channel.eventLoop)
        while !others.isShort { others.take(1 << 20) }
        try channel.pipeline.syncOperations.addHandler(
            ReplayHandler(
                service, FairScheduler(threads: 1, loopTime: time), ReplayConnection(), ServerNames(), share))
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/film.webm", headers: ["Host": "localhost"])
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        // The first piece has gone out, and the next is due when the event loop runs again.
        time.note("192.0.2.1", .milliseconds(50))
        let loop = channel.embeddedEventLoop
        loop.run()
        let first = try receivedLength(channel)
        #expect(0 < first && first <= ContentShare.smallLength)
        for _ in 0..<7 {
            advance(.milliseconds(10))
            loop.advanceTime(by: .milliseconds(10))
        }
        #expect(try receivedLength(channel) == 0)
        advance(.milliseconds(10))
        loop.advanceTime(by: .milliseconds(10))
        var length = try receivedLength(channel)
        for _ in 0..<1000 where first + length < ReplaySample.film.count {
            advance(.milliseconds(1))
            loop.advanceTime(by: .milliseconds(1))
            length += try receivedLength(channel)
        }
        #expect(first + length == ReplaySample.film.count)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    private func receivedLength(_ channel: EmbeddedChannel) throws -> Int {
        var length = 0
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            if case .body(.byteBuffer(let bytes)) = part { length += bytes.readableBytes }
        }
        return length
    }

    @Test func addressesAreForgottenWhereThereAreMany() {
        for number in 0..<4096 { time.note("\(number)", .milliseconds(50)) }
        time.note("late", .milliseconds(50))
        #expect(time.delay("late") == .zero)
        advance(.seconds(1))
        time.note("later", .milliseconds(50))
        #expect(time.delay("later") == .milliseconds(80))
    }
}
