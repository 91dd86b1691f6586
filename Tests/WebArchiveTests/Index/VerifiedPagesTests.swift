// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import WebArchive

@Suite struct VerifiedPagesTests {
    /// Counts what is read, and does not let itself be mapped.
    private final class Counting: ByteSource {
        let inner: MemoryByteSource
        let reads = Mutex<[UInt64]>([])
        init(_ bytes: [UInt8]) { inner = MemoryByteSource(bytes) }
        var length: UInt64 { inner.length }
        var name: String { "counting" }
        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
            reads.withLock { $0.append(offset) }
            try inner.read(at: offset, into: buffer)
        }
    }

    /// 50 bytes, the index, its sums.
    private func file(_ index: [UInt8]) -> [UInt8] {
        var sums = ByteSink()
        for start in stride(from: 0, to: index.count, by: 4096) {
            sums.integer(Checksum.of(index[start..<min(start + 4096, index.count)]))
        }
        return [UInt8](repeating: 0xEE, count: 50) + index + sums.bytes
    }

    private func pages(_ source: any ByteSource, _ length: Int) throws -> VerifiedPages {
        let index = try FileExtent(offset: 50, length: UInt64(length), within: .max)
        let sums = try FileExtent(offset: index.end, length: UInt64((length + 4095) / 4096 * 4), within: .max)
        return try VerifiedPages(source: source, index: index, sums: sums)
    }

    @Test(arguments: [1, 4095, 4096, 4097, 300_000]) func everyRange(length: Int) throws {
        var random = SeededGenerator.printed()
        let index = random.bytes(length)
        for source in [MemoryByteSource(file(index)), Counting(file(index))] as [any ByteSource] {
            let pages = try pages(source, length)
            #expect(pages.length == length && pages.fileOffset(7) == 57)
            #expect(try Array(pages.bytes(at: length - 1, count: 1)) == [index[length - 1]])
            for _ in 0..<100 {
                let start = Int.random(in: 0...length, using: &random)
                let count = Int.random(in: 0...min(length - start, random.chance(3) ? 20_000 : 9), using: &random)
                #expect(try Array(pages.bytes(at: start, count: count)) == Array(index[start..<start + count]))
            }
            #expect(try Array(pages.bytes(at: 0, count: length)) == index)
            #expect(findings(pages).isEmpty)
            for (position, count) in [
                (0, length + 1), (length, 1), (length + 1, 0), (-1, 1), (0, -1), (.max, 1), (1, .max),
            ] {
                #expect(failure { _ = try pages.bytes(at: position, count: count) } == Failure(.damaged, at: 50))
            }
        }
    }

    private func findings(_ pages: VerifiedPages) -> [ArchiveError] {
        var findings: [ArchiveError] = []
        pages.check(afterSome: {}, report: { findings.append($0) })
        return findings
    }

    /// Memory that is given back is brought in again, and checked again.
    @Test func pagesComeAgain() throws {
        var random = SeededGenerator.printed()
        let index = random.bytes(40_000)
        let source = Counting(file(index))
        let pages = try pages(source, 40_000)
        for _ in 0..<2 {
            #expect(pages.residentLength == 0)
            #expect(try Array(pages.bytes(at: 0, count: 40_000)) == index)
            #expect(pages.residentLength == 10 * 4096)
            pages.release()
        }
        #expect(source.reads.withLock { $0 }.count == 40, "ten pages and their sums, twice")
    }

    /// A page is read once, when it is first needed, and no page that is not.
    @Test func pagesAreReadOnce() throws {
        var random = SeededGenerator.printed()
        let source = Counting(file(random.bytes(40_000)))
        let pages = try pages(source, 40_000)
        #expect(source.reads.withLock { $0 }.isEmpty)
        for _ in 0..<3 {
            _ = try pages.bytes(at: 8191, count: 2)
            _ = try pages.bytes(at: 5000, count: 6000)
        }
        let read = source.reads.withLock { $0 }
        let expected: Set<UInt64> = [4146, 8242, 40_054, 40_058]
        #expect(Set(read) == expected && read.count == 4, "pages 1 and 2, and their sums")
    }

    /// Nothing of a damaged page is given out, whichever byte of it or of its sum is wrong; other pages are not concerned.
    @Test func damagedPages() throws {
        var random = SeededGenerator.printed()
        let index = random.bytes(10_000)
        let good = file(index)
        for _ in 0..<60 {
            var bytes = good
            let place = Int.random(in: 50..<bytes.count, using: &random)
            bytes[place] ^= UInt8.random(in: 1...255, using: &random)
            let damagedPage = place < 10_050 ? (place - 50) / 4096 : (place - 10_050) / 4
            for source in [MemoryByteSource(bytes), Counting(bytes)] as [any ByteSource] {
                let pages = try pages(source, 10_000)
                for page in 0..<3 {
                    let error = archiveError { _ = try pages.bytes(at: page * 4096 + 100, count: 10) }
                    #expect((error != nil) == (page == damagedPage), "byte \(place), seed \(random.seed)")
                    if let error {
                        #expect(error.code == .damaged && error.offset == UInt64(50 + page * 4096))
                        #expect(error.path == source.name)
                    }
                }
                // And read again, and across the border.
                #expect(archiveError { _ = try pages.bytes(at: 4090, count: 10) } != nil || damagedPage == 2)
                #expect(findings(pages).map(\.offset) == [UInt64(50 + damagedPage * 4096)])
            }
        }
    }
}
