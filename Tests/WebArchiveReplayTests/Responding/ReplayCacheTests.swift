// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import SystemPackage
import TestSupport
import Testing
import WebArchive

@testable import WebArchiveReplay

@Suite struct ReplayCacheTests {
    /// Each block shrinks to about a half, and has bytes that can be found in the file.
    private static let text: [UInt8] = {
        var random = SeededGenerator(seed: 21)
        return (0..<12).flatMap { _ in random.bytes(32_768) + [UInt8](repeating: 0, count: 32_768) }
    }()

    private let sample: ReplaySample

    init() throws {
        sample = try ReplaySample { writer in
            try ReplaySample.add("https://site.example/text", "text/plain", Self.text, writer)
        }
    }

    private func read(_ url: String, from responder: ReplayResponder) throws -> [UInt8] {
        var content = ContentReader(responder.get(url))
        var bytes: [UInt8] = []
        while let buffer = try content.next(ByteBufferAllocator()) { bytes += buffer.readableBytesView }
        return bytes
    }

    /// Changes a byte of the file that the archive is open from.
    private func damage(_ bytes: ArraySlice<UInt8>) throws {
        let place = try #require(try sample.folder.read("site.webarc").firstRange(of: bytes)).lowerBound
        let file = try FileDescriptor.open(sample.path, .writeOnly)
        defer { try? file.close() }
        try file.writeAll(toAbsoluteOffset: Int64(place), [bytes.first! ^ 1])
    }

    @Test func blocksThatHadToBeDecodedAreKept() throws {
        let kept = try sample.responder()
        let forgetful = ReplayResponder(try ReplaySite([ArchiveReader(path: sample.path)]), cacheCapacity: 0)
        for responder in [kept, forgetful] {
            #expect(try read("https://site.example/text", from: responder) == Self.text)
        }
        try damage(Self.text[655_360..<655_424])
        #expect(try read("https://site.example/text", from: kept) == Self.text)
        #expect(failure { _ = try read("https://site.example/text", from: forgetful) }?.code == .damaged)
    }

    @Test func aPartIsCutFromABlockThatIsKept() throws {
        let responder = try sample.responder()
        _ = try read("https://site.example/text", from: responder)
        try damage(Self.text[655_360..<655_424])
        var content = ContentReader(responder.get("https://site.example/text", [.range: "bytes=655350-655369"]))
        let part = try #require(try content.next(ByteBufferAllocator()))
        #expect(part.readableBytesView.elementsEqual(Self.text[655_350..<655_370]))
        #expect(content.isAtEnd)
    }

    /// A few bytes do not keep all of the body.
    @Test func aShortPartOfABodyInMemoryIsACopy() throws {
        var content = ContentReader(try sample.responder().get("https://site.example/style.css", [.range: "bytes=0-0"]))
        let part = try #require(try content.next(ByteBufferAllocator()))
        let whole = try #require(try sample.responder().get("https://site.example/style.css").bodyInMemory)
        #expect(part.readableBytes == 1 && part.storageCapacity < whole.storageCapacity)
    }

    /// A response that waits keeps no content in memory.
    @Test func aReaderContinuesWithoutTheBodyInMemory() throws {
        let responder = try sample.responder()
        for fields: HTTPFields in [[:], [.range: "bytes=3-9"], [.range: "bytes=0-1,4-6"]] {
            let response = responder.get("https://site.example/style.css", fields)
            let expected = try response.content()
            #expect(response.bodyInMemory != nil && !expected.isEmpty)
            var content = ContentReader(response)
            var bytes: [UInt8] = []
            while let buffer = try content.next(ByteBufferAllocator(), atMost: 1) {
                bytes += buffer.readableBytesView
                content.releaseMemory()
            }
            #expect(bytes == expected)
        }
    }

    /// They would take the place of others, and the system keeps the file's own bytes.
    @Test func blocksThatAreStoredRawAreNotKept() throws {
        let responder = try sample.responder()
        #expect(try read("https://site.example/film.webm", from: responder) == ReplaySample.film)
        try damage(ReplaySample.film[600_000..<600_064])
        #expect(failure { _ = try read("https://site.example/film.webm", from: responder) }?.code == .damaged)
    }

    @Test func anyNumberOfURLsThatLeadToAnEntryTakeOnePlace() throws {
        let responder = try sample.responder()
        for number in 0..<3 { #expect(responder.get("https://site.example/style.css?\(number)").status == 200) }
        #expect(responder.cache[try CanonicalURL("https://site.example/style.css")] != nil)
        #expect(responder.cache[try CanonicalURL("https://site.example/style.css?1")] == nil)
    }

    @Test func noMoreIsKeptThanTheCapacity() throws {
        let capacity = 64 << 10
        let cache = ReplayCache(capacity: capacity)
        let style = try #require(try ArchiveReader(path: sample.path).entry(for: "https://site.example/style.css"))
        let response = try #require(try StoredResponse(style, readingContent: true))
        let urls = try (0..<1_000).map { try CanonicalURL("https://site.example/\($0)") }
        for url in urls { cache[url] = response }
        let held = urls.filter { cache[$0] != nil }
        #expect(held.contains(urls[999]))
        #expect(held.count * ReplaySample.style.count < capacity)
        #expect(held.count < urls.count / 2)
    }

    /// All entries of an archive may share one long name.
    @Test func namesOfFieldsCountAsWell() throws {
        let cache = ReplayCache(capacity: 1 << 20)
        let long = try ReplaySample { writer in
            try writer.add(
                ArchiveRequest(url: "https://site.example/long"),
                response: ArchiveResponse(headers: [String(repeating: "n", count: 50_000): "v"]))
        }
        let entry = try #require(try ArchiveReader(path: long.path).entry(for: "https://site.example/long"))
        let response = try #require(try StoredResponse(entry, readingContent: true))
        let urls = try (0..<100).map { try CanonicalURL("https://site.example/\($0)") }
        for url in urls { cache[url] = response }
        #expect((1...20).contains(urls.count { cache[$0] != nil }))
    }
}
