// SPDX-License-Identifier: Apache-2.0

import Mutation

@testable import WebArchive
@testable import WebArchiveFormat
@testable import WebArchiveUpdates

/// A stream of a patch, or a frame alone, as it stands there and as it decodes.
struct PatchStream {
    /// The bytes as they stand in the patch, its length and those of the frames included; nil if they are to be made of the decoded ones.
    private(set) var stored: [UInt8]?
    /// The decoded bytes; nil for those that are too many, or do not decode.
    private(set) var decoded: [UInt8]?
    /// Whether its length stands before the frames.
    private let isPacked: Bool

    private static let frameLength = 4 << 20
    /// The longest stream that is taken apart.
    private static let longest = 1 << 20

    private init(stored: [UInt8]?, decoded: [UInt8]?, isPacked: Bool) {
        (self.stored, self.decoded, self.isPacked) = (stored, decoded, isPacked)
    }

    /// Reads a packed stream.
    init(packed input: inout PatchInput, against prefix: [UInt8]) throws(ArchiveError) {
        var stored: [UInt8] = []
        let length = try input.number(atMost: 1 << 48)
        stored.appendNumber(length)
        var frame: [UInt8] = []
        for _ in stride(from: 0, to: length, by: Self.frameLength) {
            frame = try input.frame()
            stored.appendFrame(frame)
        }
        let decoded = length == 0 ? [] : Self.decoded(frame, prefix: Array(prefix.prefix(5 << 20)), length: length)
        self.init(stored: stored, decoded: decoded, isPacked: true)
    }

    /// Reads a frame alone, which decodes to so many bytes.
    init(frame input: inout PatchInput, prefix: [UInt8], length: Int) throws(ArchiveError) {
        let frame = try input.frame()
        var stored: [UInt8] = []
        stored.appendFrame(frame)
        self.init(
            stored: stored, decoded: Self.decoded(frame, prefix: prefix, length: UInt64(length)), isPacked: false)
    }

    private static func decoded(_ frame: [UInt8], prefix: [UInt8], length: UInt64) -> [UInt8]? {
        guard length <= longest else { return nil }
        return try? DeltaCoder().decode(frame, prefix: prefix, length: Int(length))
    }

    /// The bytes for the patch. A frame that was made without a prefix decodes with any.
    func encoded() -> [UInt8] {
        if let stored { return stored }
        var bytes: [UInt8] = []
        let decoded = decoded ?? []
        if isPacked { bytes.appendNumber(UInt64(decoded.count)) }
        guard !isPacked || !decoded.isEmpty else { return bytes }
        bytes.appendFrame((try? DeltaCoder().encode(decoded, prefix: [], level: 1)) ?? [])
        return bytes
    }

    // MARK: - Mutations

    /// Gives the stream other bytes.
    mutating func replace(_ bytes: [UInt8]) { (decoded, stored) = (bytes, nil) }

    mutating func mutate(_ random: inout MutationRandom) {
        guard let decoded, random.next(16) > 0 else {
            stored = mutated(encoded(), encoded().count + 16)
            decoded = nil
            return
        }
        switch random.next(256) {
        case 0 where isPacked: explode(&random)
        case 1..<100: replace(Self.withAnotherNumber(decoded, &random))
        case 100..<130 where isPacked: claim(random.extreme())
        default: replace(mutated(decoded, decoded.count + 64))
        }
    }

    /// Claims another length than the frames have.
    private mutating func claim(_ length: UInt64) {
        var input = PatchInput(MemoryByteSource(encoded()), at: 0)
        guard (try? input.number(atMost: .max)) != nil, let frames = try? input.bytes(Int(input.remaining)) else {
            return
        }
        var bytes: [UInt8] = []
        bytes.appendNumber(length)
        (stored, decoded) = (bytes + frames, nil)
    }

    /// Makes the stream as long as a small patch can: a number, and so many or twice as many equal bytes.
    private mutating func explode(_ random: inout MutationRandom) {
        let number = (1 << (10 + random.next(16))) - random.next(2)
        var bytes: [UInt8] = []
        bytes.appendNumber(UInt64(number))
        let length = bytes.count + number * (1 + random.next(2))
        let filler = [UInt8](repeating: random.next(of: [0, 0, 0, 1, 2, 0x80]), count: Self.frameLength)
        let repeated = try? DeltaCoder().encode(filler, prefix: [], level: 1)
        var stream: [UInt8] = []
        stream.appendNumber(UInt64(length))
        for start in stride(from: 0, to: length, by: Self.frameLength) {
            let count = min(Self.frameLength, length - start)
            if start > 0, count == Self.frameLength, let repeated {
                stream.appendFrame(repeated)
            } else {
                let piece = start == 0 ? bytes + filler : filler
                stream.appendFrame((try? DeltaCoder().encode(Array(piece[..<count]), prefix: [], level: 1)) ?? [])
            }
        }
        (stored, decoded) = (stream, nil)
    }

    /// Changes one of the numbers of which most streams are, puts one in, or takes one out.
    private static func withAnotherNumber(_ bytes: [UInt8], _ random: inout MutationRandom) -> [UInt8] {
        let ends = bytes.indices.filter { bytes[$0] < 0x80 }
        guard !ends.isEmpty else { return bytes }
        let place = random.next(ends.count)
        let start = place == 0 ? 0 : ends[place - 1] + 1
        let number = Array(bytes[start...ends[place]])
        var changed: [UInt8] = []
        var cursor = NumberCursor(number)
        let value = (try? cursor.number()) ?? 0
        switch random.next(6) {
        case 0: changed.appendNumber(value &+ 1)
        case 1: changed.appendNumber(value &- 1)
        case 2: break
        case 3: changed = number + number
        default: changed.appendNumber(random.extreme())
        }
        return bytes[..<start] + changed + bytes[(ends[place] + 1)...]
    }
}

extension [UInt8] {
    /// Appends a frame behind its length.
    mutating func appendFrame(_ frame: [UInt8]) {
        appendNumber(UInt64(frame.count))
        self += frame
    }
}
