// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import WebArchive

/// Spec/vectors/signed: what opening with keys gives, and that no bit of a signed archive can be changed.
@Suite struct TrustVectorTests {
    @Test(arguments: SignedVector.all, Way.allCases)
    func opensAsExpected(_ vector: SignedVector, _ way: Way) throws {
        var (stage, opened) = (Stage.open, nil as ArchiveReader?)
        do throws(ArchiveError) {
            _ = try Content(stage: &stage) { () throws(ArchiveError) in
                let archive = try way.open(vector.bytes, trust: vector.trust)
                opened = archive
                return archive
            }
        } catch {
            #expect(vector.fails == stage, "\(error)")
            #expect(error.code == .untrusted || error.code == .damaged, "\(error)")
            return
        }
        #expect(vector.fails == nil, "was read without an error")
        let statement = try #require(opened?.statement)
        #expect(statement.commit == vector.commit)
        #expect(statement.sequence == vector.sequence)
        #expect(statement.series == vector.series)
        #expect(statement.time?.nanoseconds == vector.time)
        #expect(statement.signers.map { $0.bytes.hexadecimal } == vector.signers)
        #expect(opened?.untrustedCommitCount == vector.ignored?.count)
    }

    @Test(arguments: SignedVector.all.filter { $0.fails == nil })
    func readsWhatIsReadWithoutKeys(_ vector: SignedVector) throws {
        let plain = try ArchiveReader(bytes: vector.bytes)
        let proved = try ArchiveReader(bytes: vector.bytes, trust: vector.trust)
        let expected = try plain.entries().filter { Int($0.position.commit) <= vector.commit ?? 0 }
        #expect(try proved.entries().map { try Content.Entry($0) } == expected.map { try Content.Entry($0) })
    }

    /// Archives with one signature, bits of which are flipped: outside of the recovery slots nothing that was changed is read.
    ///
    /// One bit of each byte, and with `Tools/test --large` every one.
    @Test(
        arguments: [
            "twins.webarc", "three-commits-in-one-tree.webarc", "signed-later.webarc",
            "three-commits-in-two-trees.webarc",
        ], [false, true])
    func everyBitCounts(_ name: String, _ isSealed: Bool) throws {
        let vector = try #require(SignedVector.all.first { $0.archive == name && $0.fails == nil })
        var random = SeededGenerator.printed()
        let (original, trust) = (vector.bytes, vector.trust)
        let seals = ArchiveSeals(original)
        // If the newest of two signatures does not hold any more, the archive is what the one before says.
        let former = try vector.former()
        var readings: [Int] = []
        let step = LargeTests.areEnabled ? 1 : 2
        for position in stride(from: Int.random(in: 0..<step, using: &random), to: original.count, by: step)
        where !(32..<96).contains(position) {
            for bit in LargeTests.areEnabled ? Array(0..<8) : [Int.random(in: 0..<8, using: &random)] {
                var bytes = original
                bytes[position] ^= 1 << UInt8(bit)
                if isSealed { seals.renew(&bytes) }
                guard bytes != original else { continue }
                let content = try? Content { () throws(ArchiveError) in
                    try ArchiveReader(bytes: bytes, trust: trust)
                }
                if let content, content != former { readings.append(8 * position + bit) }
            }
        }
        #expect(readings.isEmpty, "bits that may be changed: \(readings.prefix(20))")
    }

    /// The recovery slots are all that an archive need not have as it was signed.
    @Test func recoverySlotsMayChange() throws {
        let vector = try #require(SignedVector.all.first { $0.archive == "one-commit.webarc" })
        var bytes = vector.bytes
        for position in 32..<96 { bytes[position] ^= 0xFF }
        #expect(try ArchiveReader(bytes: bytes, trust: vector.trust).statement != nil)
    }
}

/// A case of Spec/vectors/trust.json.
struct SignedVector: Decodable, Sendable, CustomTestStringConvertible {
    let archive: String
    let keys: [String]
    let threshold: Int
    let fails: Stage?
    let commit: Int?
    let sequence: UInt64?
    let time: Int64?
    let series: String?
    let signers: [String]?
    let ignored: [Int]?

    static let all: [SignedVector] = Vectors.decode([SignedVector].self, "trust.json")

    var testDescription: String { "\(archive) with \(threshold) of \(keys.count)" }

    var bytes: [UInt8] {
        (try? Data(contentsOf: Vectors.folder.appendingPathComponent("signed/\(archive)"))).map(Array.init) ?? []
    }

    /// The content up to the signature before the newest one, with its last footer gone; nil if there is none.
    func former() throws -> Content? {
        guard archive == "three-commits-in-two-trees.webarc" else { return nil }
        var bytes = bytes
        bytes[bytes.count - 1] ^= 0xFF
        return try Content { () throws(ArchiveError) in try ArchiveReader(bytes: bytes, trust: trust) }
    }

    var trust: ArchiveTrust {
        let keys = keys.compactMap { key in
            ArchivePublicKey(bytes: [UInt8](hexadecimal: key))
        }
        return ArchiveTrust(Set(keys), threshold: threshold)
    }
}

/// The checksums of an archive's header, ends, class tables and index pages, at the places where they lie.
struct ArchiveSeals {
    private struct Seal {
        let covered: Range<Int>
        let place: Int
    }

    /// In an order in which none covers one that comes later.
    private var seals: [Seal] = []

    init(_ bytes: [UInt8]) {
        func integer(_ place: Int, _ width: Int = 8) -> Int {
            (0..<width).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
        }
        seals = [Seal(covered: 0..<28, place: 28)]
        var footer = bytes.count - 64
        while true {
            let count = integer(footer + 28, 4)
            let table = footer - 32 * count
            var sections: [String: (offset: Int, length: Int, row: Int)] = [:]
            for row in stride(from: table, to: footer, by: 32) {
                let kind = String(decoding: bytes[row..<row + 4], as: UTF8.self)
                sections[kind] = (integer(row + 8), integer(row + 16), row)
            }
            if let index = sections["INDX"], let sums = sections["ISUM"] {
                for page in 0..<sums.length / 4 {
                    let start = index.offset + 4096 * page
                    let end = min(start + 4096, index.offset + index.length)
                    seals.append(Seal(covered: start..<end, place: sums.offset + 4 * page))
                }
            }
            if let classes = sections["CLSS"] {
                seals.append(
                    Seal(covered: classes.offset..<classes.offset + classes.length, place: classes.row + 24))
            }
            seals.append(Seal(covered: table..<footer, place: footer + 40))
            seals.append(Seal(covered: footer..<footer + 60, place: footer + 60))
            if integer(footer + 24, 4) == 0 { break }
            footer = integer(footer + 16)
        }
    }

    /// Makes all checksums right.
    func renew(_ bytes: inout [UInt8]) {
        for seal in seals {
            var sum: UInt32 = 0xFFFF_FFFF
            for byte in bytes[seal.covered] { sum = Self.table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
            withUnsafeBytes(of: (~sum).littleEndian) { bytes.replaceSubrange(seal.place..<seal.place + 4, with: $0) }
        }
    }

    /// CRC-32 of ISO 3309, byte by byte.
    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
}
