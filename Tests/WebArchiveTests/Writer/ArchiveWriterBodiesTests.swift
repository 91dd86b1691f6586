// SPDX-License-Identifier: Apache-2.0

import SystemPackage
import TestSupport
import Testing

@testable import WebArchive

/// Bodies: stored once, however they come, and never taken for another.
@Suite struct ArchiveWriterBodiesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func archive(
        _ name: String, blockExponent: UInt8 = 12, _ work: (ArchiveWriter) throws -> Void
    ) throws -> [UInt8] {
        let writer = try ArchiveWriter(
            creating: folder.path(name), options: ArchiveWriter.Options(blockExponent: blockExponent))
        try work(writer)
        try writer.commit()
        return try folder.read(name)
    }

    private func stream(_ body: [UInt8], by length: Int, to writer: ArchiveWriter) throws -> ArchiveWriter.BodyReference
    {
        let stream = try writer.beginBody()
        for start in Swift.stride(from: 0, to: body.count, by: length) {
            try stream.write(Array(body[start..<min(start + length, body.count)]))
        }
        return try stream.finish()
    }

    private func add(_ url: String, _ body: ArchiveWriter.BodyReference, to writer: ArchiveWriter) throws {
        try writer.add(ArchiveRequest(url: url), response: ArchiveResponse(), body: body)
    }

    /// Adding a body again is the same as using the first one again, down to the last byte of the file.
    @Test(arguments: [0, 1, 4095, 4096, 4097, 20_000]) func equalBodiesCostOnce(length: Int) throws {
        var random = SeededGenerator.printed()
        for body in [random.bytes(length), random.text(length)] {
            let once = try archive("once") { writer in
                let reference = try writer.addBody(body)
                #expect(reference.length == UInt64(length))
                #expect(reference.digest == ContentDigest(hashing: body))
                try add("http://a/1", reference, to: writer)
                try add("http://a/2", reference, to: writer)
            }
            let twice = try archive("twice") { writer in
                try add("http://a/1", writer.addBody(body), to: writer)
                try add("http://a/2", writer.addBody(body), to: writer)
            }
            #expect(once == twice)
            for chunk in [1, 7, 4096, 4097, 100_000] where chunk * 500 > length {
                let streamed = try archive("streamed") { writer in
                    try add("http://a/1", stream(body, by: chunk, to: writer), to: writer)
                    try add("http://a/2", stream(body, by: chunk, to: writer), to: writer)
                }
                #expect(once == streamed, "chunks of \(chunk)")
            }
        }
    }

    /// The written part of a stream is removed even if it was longer than the buffer, and later bodies are right.
    @Test func aStreamThatProvesADuplicateIsTakenBack() throws {
        var random = SeededGenerator.printed()
        let (large, other) = (random.bytes(3_000_000), random.text(50_000))
        let expected = try archive("expected", blockExponent: 18) { writer in
            let reference = try writer.addBody(large)
            try add("http://a/1", reference, to: writer)
            try add("http://a/2", reference, to: writer)
            try add("http://a/3", writer.addBody(other), to: writer)
        }
        let streamed = try archive("streamed", blockExponent: 18) { writer in
            try add("http://a/1", stream(large, by: 99_999, to: writer), to: writer)
            try add("http://a/2", stream(large, by: 1_000_001, to: writer), to: writer)
            try add("http://a/3", stream(other, by: 1000, to: writer), to: writer)
        }
        #expect(expected == streamed)
        // At the very end of the commit: what lies behind is cut off.
        let last = try archive("last", blockExponent: 18) { writer in
            try add("http://a/1", stream(large, by: 99_999, to: writer), to: writer)
            #expect(try stream(large, by: 1_000_001, to: writer).length == 3_000_000)
        }
        #expect(last.count < 3_010_000)
        let cancelled = try archive("cancelled", blockExponent: 18) { writer in
            let unused = try writer.beginBody()
            try unused.write(random.bytes(2_000_000))
            try unused.cancel()
            try add("http://a/1", writer.addBody(large), to: writer)
        }
        #expect(cancelled == last)
    }

    /// A stream that is used wrongly says so, and takes nothing away from other bodies.
    @Test func misusedStreams() throws {
        var random = SeededGenerator.printed()
        let (first, second) = (random.bytes(10_000), random.bytes(10_000))
        _ = try archive("misused") { writer in
            let ended = try writer.beginBody()
            try ended.write(first)
            try add("http://a/1", ended.finish(), to: writer)
            #expect(archiveError { try ended.write([1]) }?.code == .invalidArgument)
            #expect(archiveError { _ = try ended.finish() }?.code == .invalidArgument)
            try ended.cancel()
            let disturbed = try writer.beginBody()
            try disturbed.write(random.bytes(5000))
            try add("http://a/2", writer.addBody(second), to: writer)
            #expect(archiveError { try disturbed.write([1]) }?.code == .invalidArgument)
            #expect(archiveError { _ = try disturbed.finish() }?.code == .invalidArgument)
            #expect(archiveError { try disturbed.cancel() }?.code == .invalidArgument)
            let cancelled = try writer.beginBody()
            try cancelled.cancel()
            #expect(archiveError { _ = try cancelled.finish() }?.code == .invalidArgument)
        }
        let reader = try ArchiveReader(path: folder.path("misused"))
        #expect(try reader.entries().map { try $0.body?.bytes() } == [first, second])
        #expect(reader.bodyCount == 2)
    }

    @Test func acrossCommits() throws {
        var random = SeededGenerator.printed()
        let bodies = [random.bytes(10_000), random.text(10_000), [], [1], random.bytes(4096)]
        try folder.archive(bodies.enumerated().map { Exchange("http://a/\($0)", body: $1) })
        let writer = try ArchiveWriter(appendingTo: folder.path("a.webarc"))
        for (number, body) in bodies.enumerated() {
            try add("http://b/\(number)", writer.addBody(body), to: writer)
            try add("http://c/\(number)", stream(body, by: 999, to: writer), to: writer)
        }
        try writer.commit()
        let reader = try ArchiveReader(path: folder.path("a.webarc"))
        #expect(reader.bodyCount == bodies.count)
        #expect(reader.index.commits[1].blocks.length == 0)
        for (number, body) in bodies.enumerated() {
            for host in ["a", "b", "c"] {
                #expect(try reader.entry(for: "http://\(host)/\(number)")?.body?.bytes() == body)
            }
        }
    }

    // MARK: - Equal digests

    /// Two messages of X. Wang and H. Yu, "How to Break MD5 and Other Hash Functions" (2005): equal digests, different bytes.
    private static let collision: ([UInt8], [UInt8]) = {
        let first = [UInt8](
            hexadecimal: """
                d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89
                55ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b
                d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0
                e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70
                """)
        var second = first
        for place in [19, 45, 59, 83, 109, 123] { second[place] ^= 0x80 }
        return (first, second)
    }()

    @Test func bodiesOfOneDigestAreKeptApart() throws {
        let (first, second) = Self.collision
        let digest = try #require(ContentDigest(hexadecimal: "79054025255fb1a26e4bc422aef54eb4"))
        #expect(first != second && ContentDigest(hashing: first) == digest && ContentDigest(hashing: second) == digest)
        // Equal bytes after equal digests of equal lengths leave the digests equal, so longer bodies collide as well.
        var random = SeededGenerator.printed()
        let tail = random.bytes(9000)
        for (left, right) in [(first, second), (first + tail, second + tail)] {
            for usesStream in [false, true] {
                for acrossCommits in [false, true] {
                    let path = folder.path("collision")
                    var writer = try ArchiveWriter(creating: path, options: .init(blockExponent: 12))
                    for (number, body) in [left, right, left, right].enumerated() {
                        let reference = usesStream ? try stream(body, by: 50, to: writer) : try writer.addBody(body)
                        try add("http://a/\(number)", reference, to: writer)
                        if acrossCommits {
                            try writer.commit()
                            writer = try ArchiveWriter(appendingTo: path)
                        }
                    }
                    try writer.commit()
                    let reader = try ArchiveReader(path: path)
                    let stored = try reader.entries().map { try $0.body?.bytes() }
                    #expect(stored == [left, right, left, right], "stream \(usesStream), commits \(acrossCommits)")
                    #expect(reader.bodyCount == 2)
                    #expect(
                        try Set(reader.bodies(digest: ContentDigest(hashing: left)).map { try $0.bytes() }) == [
                            left, right,
                        ])
                }
            }
        }
    }

    /// An archive can be made in which comparing bodies takes a block each time, and never finds one.
    @Test(arguments: [(1023, true), (1024, false)])
    func bodiesAreComparedUntilTooManyDiffer(damaged: Int, isFound: Bool) throws {
        let path = folder.path("a.webarc")
        func body(_ number: Int) -> [UInt8] { Array("body \(number)".utf8) }
        var writer = try ArchiveWriter(creating: path)
        for number in 0..<damaged { try add("http://a/\(number)", writer.addBody(body(number)), to: writer) }
        try writer.commit()
        writer = try ArchiveWriter(appendingTo: path)
        let intact = try writer.addBody(body(damaged))
        try add("http://a/\(damaged)", intact, to: writer)
        try writer.commit()
        var surgeon = ArchiveSurgeon(try folder.read("a.webarc"))
        let first = try surgeon.archive.index.commits[0]
        let start = try #require(first.sections[.blocks]?.extent.offset)
        for row in 0..<first.rowCount(.block) { surgeon.flip(Int(start) + Int(try first.integer(.blockOffset, row))) }
        try folder.write("a.webarc", surgeon.bytes)

        writer = try ArchiveWriter(appendingTo: path)
        for number in 0..<damaged {
            #expect(try writer.addBody(body(number)).number > intact.number)
        }
        #expect(try (writer.addBody(body(damaged)).number == intact.number) == isFound)
        writer.cancel()
    }

    // MARK: - Blocks

    /// A block that saves less than about 3 % is stored as it is.
    @Test func storedForms() throws {
        var random = SeededGenerator.printed()
        #expect(CommitBuilder.storedLimit(4096) == 4096 - 128 - 1)
        #expect(CommitBuilder.storedLimit(1) == 0)
        // LZ4 can save the run at the end, less a byte for each 255 of the noise before it.
        for (run, isRaw) in [(90, true), (250, false)] {
            let body = random.bytes(4096 - run) + [UInt8](repeating: 7, count: run)
            try folder.archive([Exchange("http://a/", body: body)])
            let reader = try ArchiveReader(path: folder.path("a.webarc"))
            let stored = try #require(try reader.entry(for: "http://a/")?.body)
            #expect(try (stored.rawExtent() != nil) == isRaw, "\(run)")
            #expect(try stored.bytes() == body)
        }
    }

    @Test func blockLengthsOfTheFormat() throws {
        var random = SeededGenerator.printed()
        for exponent in FormatLimits.blockExponents {
            let body = random.bytes(3 << Int(exponent)) + random.text(77)
            try folder.archive([Exchange("http://a/", body: body)], blockExponent: exponent)
            let reader = try ArchiveReader(path: folder.path("a.webarc"))
            #expect(reader.index.rowCount(.block) == 4)
            #expect(reader.index.header.blockExponent == exponent)
            #expect(try reader.entry(for: "http://a/")?.body?.bytes() == body)
            // An archive keeps its own exponent.
            try folder.archive(
                [Exchange("http://b/", body: body + [1])], blockExponent: exponent == 12 ? 20 : 12, appending: true)
            #expect(try ArchiveReader(path: folder.path("a.webarc")).index.rowCount(.block) == 8)
        }
    }
}
