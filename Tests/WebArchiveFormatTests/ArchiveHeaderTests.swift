// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import WebArchiveFormat

@Suite struct ArchiveHeaderTests {
    /// A header put together from the table of the specification's section 3.
    private func header(
        signature: String = "89574542415243 0D0A1A0A", major: UInt8 = 1, minor: UInt8 = 1, exponent: UInt8 = 18,
        reserved: UInt16 = 0, required: UInt32 = 0, optional: UInt32 = 0, later: UInt32 = 0,
        slots: [[UInt8]] = [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32)]
    ) -> [UInt8] {
        var sink = ByteSink()
        sink.append([UInt8](hexadecimal: signature))
        sink.append([major, minor, exponent])
        sink.integer(reserved)
        sink.integer(required)
        sink.integer(optional)
        sink.integer(later)
        sink.checksum()
        return sink.bytes + slots.joined()
    }

    private func slot(_ offset: UInt64, _ number: UInt32, reserved: UInt8 = 0) -> [UInt8] {
        var sink = ByteSink()
        sink.integer(offset)
        sink.integer(number)
        sink.append([UInt8](repeating: reserved, count: 16))
        sink.checksum()
        return sink.bytes
    }

    @Test func writesWhatTheSpecificationSays() {
        #expect(ArchiveHeader().encoded() == header())
        var full = ArchiveHeader(blockExponent: 12)
        full.minorVersion = 7
        full.recoverySlots = [RecoverySlot(footerOffset: 0x1234, commitNumber: 8), nil]
        #expect(
            full.encoded()
                == header(minor: 7, exponent: 12, slots: [slot(0x1234, 8), [UInt8](repeating: 0, count: 32)]))
    }

    @Test func readsEachField() throws {
        let read = try ArchiveHeader(
            decoding: header(minor: 200, exponent: 20, slots: [slot(500, 3, reserved: 0xAB), slot(.max, .max)]))
        #expect(read.minorVersion == 200)
        #expect(read.blockLength == 1 << 20)
        #expect(
            read.recoverySlots == [
                RecoverySlot(footerOffset: 500, commitNumber: 3),
                RecoverySlot(footerOffset: .max, commitNumber: .max),
            ])
        #expect(read.damagedSlots.isEmpty)
    }

    @Test func ignoresWhatIsReserved() throws {
        let read = try ArchiveHeader(decoding: header(reserved: .max, optional: .max, later: .max))
        #expect(try read == ArchiveHeader(decoding: header()))
    }

    @Test func blockExponents() throws {
        for exponent in 0...255 as ClosedRange<UInt8> {
            let bytes = header(exponent: exponent)
            if (12...20).contains(exponent) {
                #expect(try ArchiveHeader(decoding: bytes).blockExponent == exponent)
            } else {
                #expect(failure { _ = try ArchiveHeader(decoding: bytes) } == Failure(.damaged, at: 13))
            }
        }
    }

    @Test func refusals() {
        for major in [0, 2, 255] as [UInt8] {
            #expect(
                failure { _ = try ArchiveHeader(decoding: header(major: major)) }
                    == Failure(.unsupportedVersion, at: 11))
        }
        for bit in 0..<32 as Range<UInt32> {
            #expect(
                failure { _ = try ArchiveHeader(decoding: header(required: 1 << bit)) }
                    == Failure(.unsupportedFeature, at: 16))
        }
        // The order of the checks: a later version may lay out the rest as it likes.
        var later = header(major: 2)
        later[20] ^= 1
        #expect(archiveError { _ = try ArchiveHeader(decoding: later) }?.code == .unsupportedVersion)
    }

    /// A change of any byte that the checksum covers is found.
    @Test func everySingleByte() {
        let good = header()
        for position in 0..<32 {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var bytes = good
                bytes[position] ^= change
                let expected: Failure =
                    switch position {
                    case 0..<11: Failure(.notAnArchive, at: 0)
                    case 11: Failure(.unsupportedVersion, at: 11)
                    default: Failure(.damaged, at: 0)
                    }
                #expect(failure { _ = try ArchiveHeader(decoding: bytes) } == expected, "byte \(position)")
            }
        }
    }

    @Test func everyShorterLength() {
        let good = header()
        for length in 0..<96 {
            let expected = length < 11 ? Failure(.notAnArchive, at: 0) : Failure(.truncated, at: UInt64(length))
            #expect(failure { _ = try ArchiveHeader(decoding: Array(good[..<length])) } == expected)
        }
    }

    @Test func damagedSlotsCountAsUnused() throws {
        let good = header(slots: [slot(500, 3), slot(900, 4)])
        for position in 32..<96 {
            var bytes = good
            bytes[position] ^= 0x10
            let read = try ArchiveHeader(decoding: bytes)
            let number = (position - 32) / 32
            #expect(read.damagedSlots == [number], "byte \(position)")
            #expect(read.recoverySlots[number] == nil)
            #expect(read.recoverySlots[1 - number]?.footerOffset == [500, 900][1 - number])
        }
        #expect(try ArchiveHeader(decoding: header()).damagedSlots.isEmpty)
    }

    @Test func slotsTakeTurns() {
        #expect((1...5).map { RecoverySlot.offset(beforeCommit: $0) } == [32, 64, 32, 64, 32])
    }

    // MARK: - Signatures

    private func message(_ start: [UInt8]) -> String {
        let bytes = start + [UInt8](repeating: 0, count: 96)
        return archiveError { _ = try ArchiveHeader(decoding: bytes) }.map(\.message) ?? ""
    }

    /// The effects of transfers in text mode on the signature.
    @Test(arguments: [
        ("89574542415243 0A1A0A", "line ends"),  // CR LF to LF
        ("89574542415243 0D0D0A1A0D0A", "line ends"),  // LF to CR LF
        ("89574542415243 0D1A0D", "line ends"),  // CR LF and LF to CR
        ("09574542415243 0D0A1A0A", "eighth bit"),
    ])
    func textModeDamage(start: String, words: String) {
        #expect(message([UInt8](hexadecimal: start)).contains(words))
    }

    @Test func otherFiles() {
        for start in ["504B0304", "58574542415243 0D0A1A0A", "89504E47 0D0A1A0A", "89574542415244 0D0A1A0A"] {
            let text = message([UInt8](hexadecimal: start))
            #expect(!text.contains("transfer") && !text.isEmpty, "\(start): \(text)")
        }
        #expect(archiveError { _ = try ArchiveHeader(decoding: []) }?.message.contains("empty") == true)
    }
}
