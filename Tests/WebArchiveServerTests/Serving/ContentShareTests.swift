// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import WebArchiveServer

/// Memory for content on its way, when some clients take nothing.
@Suite struct ContentShareTests {
    /// Clients of one address that fill its share keep no client from content, not even others of that address.
    ///
    /// - Parameter isSlow: whether earlier requests of the address took long, so that its responses are made on other threads.
    @Test(arguments: [false, true]) func othersGoOn(isSlow: Bool) throws {
        let sample = try ReplaySample()
        var options = ReplayService.Options()
        options.maximumUnsentLength = 1 << 20
        let server = try TestServer([sample.path], options: options)
        let share = ContentShare(server.service.budget, address: "127.0.0.1", on: EmbeddedEventLoop())
        if isSlow { server.server.workers.slowRequests.note("127.0.0.1", .seconds(60)) }
        var greedy: [RawClient] = []
        for _ in 0..<3 {
            // The memory that the system takes for a client differs, and a server ends those that take nothing for a minute, so that as many
            // clients connect as are needed.
            while !share.isShort {
                try #require(greedy.count < 200)
                let client = try RawClient(port: server.port, receiveBuffer: 4096)
                client.send("GET /film.webm HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try !client.receive(atMost: 1).isEmpty)
                greedy.append(client)
            }
            #expect(try server.curl(server.url("/film.webm")).output == Data(ReplaySample.film))
            let part = try server.curl("--range", "100-", server.url("/film.webm")).output
            #expect(part == Data(ReplaySample.film[100...]))
            #expect(share.isShort, "the others still take nothing")
        }
        withExtendedLifetime(greedy) {}
    }

    /// A stream's request counts from its first byte on, for there can be a hundred of them on each connection.
    @Test func requestsOfStreamsCount() throws {
        let sample = try ReplaySample()
        var options = ReplayService.Options()
        options.maximumUnsentLength = 8192
        let service = try TestServer([sample.path], options: options).service
        let channel = EmbeddedChannel()
        let share = ContentShare(service.budget, address: "192.0.2.1", on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(
            ReplayHandler(
                service, FairScheduler(threads: 1, loopTime: .still), ReplayConnection(isStream: true),
                ServerNames(), share))
        let fields = HTTPHeaders((0..<150).map { ("x\($0)", "") })
        let head = HTTPRequestHead(version: .http2, method: .POST, uri: "/", headers: fields)
        try channel.writeInbound(HTTPServerRequestPart.head(head))
        #expect(share.isShort)
        _ = try channel.finish(acceptAlreadyClosed: true)
        #expect(!share.isShort)
    }

    /// A handler on a connection of HTTP/1.1, from a client that holds more than its share on another one.
    private struct CrowdedClient {
        let channel = EmbeddedChannel()
        let other: ContentShare

        init(_ service: ReplayService, holding count: Int) throws {
            other = ContentShare(service.budget, address: "192.0.2.1", on: channel.eventLoop)
            other.hold(count)
            let connection = ReplayConnection(mayBeCoded: true)
            try channel.pipeline.syncOperations.addHandler(
                ReplayHandler(
                    service, FairScheduler(threads: 1, loopTime: .still), connection, ServerNames(),
                    ContentShare(service.budget, address: "192.0.2.1", on: channel.eventLoop)))
        }
    }

    /// The content of a response in a coding is in memory as a whole.
    @Test func aClientThatHasItsShareHoldsNoFurtherResponse() throws {
        var random = SeededGenerator(seed: 7)
        let text = Array(Data(random.bytes(22_500)).base64EncodedString().utf8)
        let sample = try ReplaySample { try ReplaySample.add("https://site.example/data.json", "text/plain", text, $0) }
        var options = ReplayService.Options()
        options.maximumUnsentLength = 60_000
        let service = try TestServer([sample.path], options: options).service
        let neighbour = ContentShare(service.budget, address: "192.0.2.2", on: EmbeddedEventLoop())
        neighbour.hold(1)
        let client = try CrowdedClient(service, holding: 45_000)
        let fields: HTTPHeaders = ["Host": "localhost", "Accept-Encoding": "gzip"]
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/data.json", headers: fields)
        try client.channel.writeInbound(HTTPServerRequestPart.head(head))
        try client.channel.writeInbound(HTTPServerRequestPart.end(nil))
        #expect(!neighbour.isShort)
        #expect(try client.channel.readOutbound(as: HTTPServerResponsePart.self) == nil)
        _ = try client.channel.finish(acceptAlreadyClosed: true)
    }

    /// A connection whose client takes nothing: written parts stay unsent.
    private final class Unread: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart

        var isReading = false
        private var promises: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise, !isReading { promises.append(promise) } else { promise?.succeed() }
        }

        func takeAll() {
            isReading = true
            for promise in promises { promise.succeed() }
        }
    }

    /// Thousands of short responses that wait on as many connections are as much memory as long ones.
    @Test func aShortResponseThatWaitsCounts() throws {
        let content = [UInt8](repeating: 7, count: ContentShare.smallLength)
        let sample = try ReplaySample {
            try ReplaySample.add("https://site.example/short.bin", "image/png", content, $0)
        }
        var options = ReplayService.Options()
        options.maximumUnsentLength = content.count
        let service = try TestServer([sample.path], options: options).service
        let (channel, client) = (EmbeddedChannel(), Unread())
        let share = ContentShare(service.budget, address: "192.0.2.1", on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandlers([
            client,
            ReplayHandler(
                service, FairScheduler(threads: 1, loopTime: .still), ReplayConnection(), ServerNames(), share),
        ])
        let request = {
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: "/short.bin", headers: ["Host": "localhost"])
            try channel.writeInbound(HTTPServerRequestPart.head(head))
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
        }
        try request()
        #expect(share.isShort)
        client.takeAll()
        #expect(!share.isShort)
        try request()
        #expect(!share.isShort)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func aLongRequestOfAClientThatHasItsShareIsRefused() throws {
        let sample = try ReplaySample()
        var options = ReplayService.Options()
        options.maximumUnsentLength = 60_000
        let service = try TestServer([sample.path], options: options).service
        let client = try CrowdedClient(service, holding: 45_000)
        let fields = HTTPHeaders([("Host", "localhost"), ("Cookie", String(repeating: "c", count: 20_000))])
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/style.css", headers: fields)
        try client.channel.writeInbound(HTTPServerRequestPart.head(head))
        let response = try #require(try client.channel.readOutbound(as: HTTPServerResponsePart.self))
        guard case .head(let refusal) = response else {
            Issue.record("\(response)")
            return
        }
        #expect(refusal.status == .serviceUnavailable)
        _ = try client.channel.finish(acceptAlreadyClosed: true)
    }

    /// Responses are counted whole, so that a few addresses can exceed the limit. The others go on, as far as memory allows.
    @Test func anAddressThatHoldsNothingGetsAResponse() {
        let budget = ContentBudget(limit: 1000)
        let shares = (0..<3).map { ContentShare(budget, address: "192.0.2.\($0)", on: EmbeddedEventLoop()) }
        shares[0].hold(1200)
        #expect(shares[0].isShort)
        #expect(!shares[1].isShort)
        shares[1].hold(1)
        #expect(shares[1].isShort)
        shares[0].hold(800)
        #expect(shares[2].isShort)
    }

    /// The use of one address leaves as much for the next.
    @Test func addressesShare() {
        let budget = ContentBudget(limit: 1000)
        for number in 0..<5 {
            let share = ContentShare(budget, address: "192.0.2.\(number)", on: EmbeddedEventLoop())
            #expect(!share.isShort)
            while !share.isShort { share.take(10) }
        }
        let neighbours = ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map {
            ContentShare(budget, address: $0, on: EmbeddedEventLoop())
        }
        while !neighbours[0].isShort { neighbours[0].take(1) }
        #expect(neighbours[1].isShort)
        #expect(!neighbours[2].isShort)
        // A server that listens on `::` sees clients of IPv4 like this.
        #expect(ContentShare(budget, address: "::ffff:192.0.2.0", on: EmbeddedEventLoop()).isShort)
        #expect(!ContentShare(budget, address: "::ffff:192.0.2.9", on: EmbeddedEventLoop()).isShort)
        #expect(neighbours[0].allowance == 0)
        #expect(neighbours[1].allowance == ContentShare.smallLength)
    }

    /// Handlers of one address, which note in what order they go on.
    private final class Bench: Sendable {
        let budget = ContentBudget(limit: 100)
        let loop = EmbeddedEventLoop()
        let resumed = Mutex<[Int]>([])

        func share(_ address: String = "192.0.2.1") -> ContentShare { ContentShare(budget, address: address, on: loop) }

        /// - Parameter taking: the bytes that the handler takes when it continues.
        func wait(_ number: Int, _ share: ContentShare, taking count: Int = 0) -> NSObject {
            let handler = NSObject()
            share.wait(handler) { [self] in
                resumed.withLock { $0.append(number) }
                if count > 0 { share.take(count) }
            }
            return handler
        }
    }

    /// No handler is looked at again before something has left.
    @Test func handlersWaitUntilThereIsRoom() {
        let bench = Bench()
        let (greedy, share) = (bench.share(), bench.share())
        greedy.take(60)
        share.take(1)
        for number in 1...3 { _ = bench.wait(number, share, taking: 40) }
        bench.loop.run()
        #expect(bench.resumed.withLock { $0 } == [])
        // Room for one, after which there is none.
        greedy.giveBack(60)
        bench.loop.run()
        #expect(bench.resumed.withLock { $0 } == [1, 2])
        share.giveBack(40)
        bench.loop.run()
        #expect(bench.resumed.withLock { $0 } == [1, 2, 3])
    }

    /// A connection with no bytes on their way continues in small pieces.
    @Test func oneSmallPieceFollowsAnother() {
        let bench = Bench()
        let (greedy, share) = (bench.share(), bench.share())
        greedy.take(100)
        share.take(10)
        for number in 1...2 { _ = bench.wait(number, share, taking: 10) }
        share.giveBack(10)
        bench.loop.run()
        #expect(bench.resumed.withLock { $0 } == [1])
        share.giveBack(10)
        bench.loop.run()
        #expect(bench.resumed.withLock { $0 } == [1, 2])
    }

    @Test func handlersThatHaveEndedAreForgotten() {
        let bench = Bench()
        let (greedy, share, other) = (bench.share(), bench.share(), bench.share())
        greedy.take(100)
        let ended = bench.wait(1, share)
        _ = bench.wait(2, other)
        share.forget(ended)
        greedy.giveBack(100)
        bench.loop.run()
        #expect(bench.resumed.withLock { $0 } == [2])
    }

    /// Responses that were made count before anything of them was written, and streams that would wait as well are refused.
    @Test func responsesThatAreHeldCount() {
        let budget = ContentBudget(limit: 4 * ContentShare.maximumHeldLength)
        let shares = (0..<2).map { _ in ContentShare(budget, address: "192.0.2.1", on: EmbeddedEventLoop()) }
        shares[0].hold(4 * ContentShare.maximumHeldLength)
        #expect(shares[0].isCrowded)
        #expect(!shares[1].isCrowded)
        #expect(shares[1].allowance == ContentShare.smallLength)
        shares[0].release(4 * ContentShare.maximumHeldLength)
        #expect(!shares[0].isCrowded)
        #expect(!shares[0].isShort)
    }
}
