// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

@Suite struct ByteSourceTests {
    @Test func memory() throws {
        let source = MemoryByteSource([10, 11, 12, 13], name: "m")
        #expect(source.length == 4 && source.name == "m")
        #expect(try source.bytes(at: 1, count: 2) == [11, 12])
        #expect(try source.bytes(at: 0, count: 4) == [10, 11, 12, 13])
        #expect(try source.bytes(at: 4, count: 0) == [])
        #expect(source.mappedBytes.map { Array($0) } == [10, 11, 12, 13])
        #expect(MemoryByteSource([]).length == 0)
        #expect(try MemoryByteSource([]).bytes(at: 0, count: 0) == [])
    }

    @Test(arguments: [(4, 1), (0, 5), (3, 2), (5, 0), (.max, 1), (.max - 3, 4)] as [(UInt64, Int)])
    func rangesBeyondTheEndOfMemory(_ offset: UInt64, _ count: Int) {
        let source = MemoryByteSource([10, 11, 12, 13], name: "m")
        let error = archiveError { _ = try source.bytes(at: offset, count: count) }
        #expect(error?.code == .truncated && error?.path == "m" && error?.offset == 4)
    }

    /// A source of a program's own that is not mapped, which fails after a number of reads.
    private final class Fading: ByteSource {
        let inner: MemoryByteSource
        let limit: UInt64
        init(_ bytes: [UInt8], limit: UInt64) { (inner, self.limit) = (MemoryByteSource(bytes), limit) }
        var length: UInt64 { inner.length }
        var name: String { "fading" }
        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
            guard offset + UInt64(buffer.count) <= limit else {
                throw ArchiveError(.io, "gone", path: name, offset: offset)
            }
            try inner.read(at: offset, into: buffer)
        }
    }

    @Test func errorsOfASourceComeThrough() throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator.printed()
        let exchanges = [Exchange("http://a/", body: random.bytes(20_000))]
        try folder.archive(exchanges)
        let bytes = try folder.read("a.webarc")
        let whole = try ArchiveReader(source: Fading(bytes, limit: .max))
        #expect(whole.name == "fading" && whole.index.source.mappedBytes == nil)
        #expect(try Commits([exchanges]).differences(from: whole) == [])
        for limit in [0, 95, 96, 10_000, 20_000, UInt64(bytes.count) - 1] {
            let error = archiveError { _ = try ArchiveReader(source: Fading(bytes, limit: limit)) }
            #expect(error?.code == .io && error?.path == "fading", "\(limit)")
        }
    }
}
