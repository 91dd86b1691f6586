// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchive

/// Archives put together from the specification's sections 3, 4 and 9.
@Suite struct CommitChainTests {
    private struct Builder {
        var header = ArchiveHeader(blockExponent: 12)
        var bytes: [UInt8] = []
        var footers: [UInt64] = []

        init() { bytes = header.encoded() }

        /// A commit with some bytes in its blocks.
        mutating func commit(number: UInt32? = nil, previous: UInt64? = nil, length: Int = 10, flags: UInt32 = 1) {
            let start = UInt64(bytes.count)
            bytes += [UInt8](repeating: 0x42, count: length)
            var table = ByteSink()
            table.append("BLKS".utf8)
            table.integer(flags)
            table.integer(start)
            table.integer(UInt64(length))
            table.zeros(8)
            bytes += table.bytes
            let footer = CommitFooter(
                offset: UInt64(bytes.count), previousFooter: previous ?? footers.last ?? 0,
                commitNumber: number ?? UInt32(footers.count), sectionCount: 1, commitStart: start,
                sectionTableChecksum: Checksum.of(table.bytes))
            footers.append(UInt64(bytes.count))
            bytes += footer.encoded()
        }

        mutating func setSlots(_ slots: [RecoverySlot?]) {
            header.recoverySlots = slots
            bytes.replaceSubrange(..<96, with: header.encoded())
        }

        func chain(_ change: (inout [UInt8]) -> Void = { _ in }) throws -> CommitChain {
            var changed = bytes
            change(&changed)
            return try CommitChain(reading: MemoryByteSource(changed))
        }
    }

    private static func builder(_ commits: Int) -> Builder {
        var builder = Builder()
        for _ in 0..<commits { builder.commit() }
        return builder
    }

    @Test func commitsOldestFirst() throws {
        let builder = Self.builder(3)
        let chain = try builder.chain()
        #expect(chain.commits.map(\.footer.offset) == builder.footers)
        #expect(chain.commits.map(\.footer.commitNumber) == [0, 1, 2])
        #expect(chain.commits[1].sections[.blocks]?.extent.offset == builder.footers[0] + 64)
        #expect(chain.tornTail == 0)
    }

    /// However short a file is, it is cut off, or no archive at all.
    @Test func everyShorterLength() {
        let bytes = Self.builder(1).bytes
        for length in bytes.indices {
            let error = archiveError { _ = try CommitChain(reading: MemoryByteSource(Array(bytes[..<length]))) }
            #expect(error?.code == (length < 11 ? .notAnArchive : .truncated), "\(length)")
        }
    }

    @Test func theSlotsLeadToTheNewestWholeCommit() throws {
        var builder = Self.builder(3)
        let slots = (0..<3).map { RecoverySlot(footerOffset: builder.footers[$0], commitNumber: UInt32($0)) }
        func newest(_ slots: [RecoverySlot?]) -> UInt32? {
            builder.setSlots(slots)
            return try? builder.chain { $0.removeLast(7) }.commits.last?.footer.commitNumber
        }
        #expect(newest([slots[0], slots[1]]) == 1)
        #expect(newest([slots[1], slots[0]]) == 1)
        #expect(newest([slots[0], nil]) == 0)
        #expect(newest([nil, nil]) == nil)
        // Slots that lie: a wrong number, no footer there, behind the end.
        #expect(newest([RecoverySlot(footerOffset: builder.footers[1], commitNumber: 2), slots[0]]) == 0)
        #expect(newest([RecoverySlot(footerOffset: 100, commitNumber: 9), slots[0]]) == 0)
        #expect(newest([RecoverySlot(footerOffset: .max, commitNumber: 9), slots[0]]) == 0)
        #expect(newest([RecoverySlot(footerOffset: UInt64(builder.bytes.count) - 70, commitNumber: 9), slots[0]]) == 0)
        #expect(newest([slots[2], slots[1]]) == 1, "the third commit was cut off")
        #expect(newest([RecoverySlot(footerOffset: 100, commitNumber: 9), nil]) == nil)
        builder.setSlots([slots[0], slots[1]])
        let tail = try builder.chain { $0.removeLast(7) }.tornTail
        #expect(tail == UInt64(builder.bytes.count) - 7 - builder.footers[1] - 64)
    }

    @Test func anEarlierCommitThatIsDamaged() {
        let builder = Self.builder(3)
        for footer in builder.footers.dropLast() {
            for place in Int(footer) - 32..<Int(footer) + 64 {
                let found = failure { _ = try builder.chain { $0[place] ^= 1 } }
                #expect(found == Failure(.damaged, at: footer), "byte \(place)")
            }
        }
    }

    @Test func commitsThatDoNotFollowOneAnother() {
        var skipped = Self.builder(1)
        skipped.commit(number: 2)
        #expect(archiveError { _ = try skipped.chain() }?.code == .damaged)
        // A second commit that says it follows the first one, with bytes between them.
        var gap = Self.builder(1)
        let first = gap.footers[0]
        gap.commit()
        gap.commit(number: 2, previous: first)
        #expect(archiveError { _ = try gap.chain() }?.code == .damaged)
        var number = Self.builder(2)
        number.commit(number: 1)
        #expect(archiveError { _ = try number.chain() }?.code == .damaged)
    }

    /// A commit that is intact and yet breaks a rule is not hidden by an older commit.
    @Test func anIntactCommitThatBreaksARule() {
        var unknown = Self.builder(1)
        unknown.setSlots([RecoverySlot(footerOffset: unknown.footers[0], commitNumber: 0), nil])
        var table = ByteSink()
        let start = UInt64(unknown.bytes.count)
        table.append("XTRA".utf8)
        table.integer(UInt32(1))
        table.integer(start)
        table.zeros(16)
        let footer = CommitFooter(
            offset: start + 32, previousFooter: unknown.footers[0], commitNumber: 1, sectionCount: 1,
            commitStart: start,
            sectionTableChecksum: Checksum.of(table.bytes))
        unknown.bytes += table.bytes + footer.encoded()
        #expect(failure { _ = try unknown.chain() } == Failure(.unsupportedFeature, at: start))
    }

    @Test func likeAFooter() throws {
        let bytes = Self.builder(2).bytes
        let end = bytes.count - 64
        for changed in 0...8 {
            var damaged = bytes
            for place in 0..<changed { damaged[end + place] ^= 0xFF }
            #expect(try CommitChain.endsInDamagedFooter(MemoryByteSource(damaged)) == (changed <= 4))
        }
        #expect(try !CommitChain.endsInDamagedFooter(MemoryByteSource([UInt8](repeating: 0, count: 200))))
    }

    /// A source that says it is longer than an archive can be.
    private struct Endless: ByteSource {
        let length: UInt64
        let name = "endless"
        func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) {
            throw ArchiveError(.io, "not there")
        }
    }

    @Test func tooLong() {
        #expect(archiveError { _ = try CommitChain(reading: Endless(length: 1 << 48)) }?.code == .limitExceeded)
        #expect(archiveError { _ = try CommitChain(reading: Endless(length: 1 << 48 - 1)) }?.code == .io)
    }
}
