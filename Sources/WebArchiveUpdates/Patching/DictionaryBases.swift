// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A search for the pages of which a dictionary was made, whose old forms it is coded against.
///
/// Dictionaries of `webarc pack` are beginnings of pages, and which ones changes from edition to edition. A beginning is found by a number
/// for its first bytes, which are computed at each place of a dictionary from those of the place before.
struct DictionaryBases {
    /// The bodies by the numbers of their first bytes; nil for bytes that several bodies begin with.
    private let bodies: [UInt64: Int?]
    /// The numbers by 20 of their bits: most positions of a dictionary have none of these, which this detects sooner.
    private let isThere: [Bool]

    /// The maximum number of bodies that a dictionary is coded against.
    static let limit = 16
    /// The numbers of first bytes that identify a body: the longer ones distinguish pages with a long common head.
    private static let lengths = [512, 2 << 10]

    /// Reads all bodies of a commit, on several threads.
    init(_ commit: CommitImage, _ contents: CommitContents, threads: Int) throws(ArchiveError) {
        var places: [Int: [(rank: Int, offset: Int, length: Int)]] = [:]
        for (rank, place) in contents.places().enumerated() {
            guard let place else { continue }
            let length = min(
                Int(clamping: contents.bodyLengths[rank]), contents.blockLengths[place.block] - place.offset)
            if length >= Self.lengths[0] { places[place.block, default: []].append((rank, place.offset, length)) }
        }
        let blocks = places.sorted { $0.key < $1.key }
        let (archive, first) = (commit.archive, commit.archive.rows(.block, ofCommit: commit.number).lowerBound)
        var bodies: [UInt64: Int?] = [:]
        var isThere = [Bool](repeating: false, count: 1 << 20)
        var failure: ArchiveError?
        ParallelWork(threads: threads).run(
            blocks.count, state: {},
            work: { _, number in
                Result { () throws(ArchiveError) -> [(rank: Int, number: UInt64)] in
                    let bytes = try archive.decodedBytes(first + blocks[number].key)
                    return bytes.withUnsafeBytes { bytes in
                        blocks[number].value.flatMap { rank, offset, length in
                            Self.lengths.filter { $0 <= length }.map { length in
                                (rank, RollingNumber(bytes, offset, length: length).value)
                            }
                        }
                    }
                }
            },
            merge: { (result: Result<[(rank: Int, number: UInt64)], ArchiveError>) in
                switch result {
                case .success(let found):
                    for (rank, number) in found {
                        bodies[number] = .some(bodies[number] == nil ? rank : nil)
                        isThere[Self.bits(number)] = true
                    }
                case .failure(let error): failure = failure ?? error
                }
            })
        if let failure { throw failure }
        (self.bodies, self.isThere) = (bodies, isThere)
    }

    /// Returns the upper 20 bits of a number.
    private static func bits(_ number: UInt64) -> Int { Int(number >> 44) }

    /// Finds the bodies whose beginnings occur in a dictionary.
    func bodies(in dictionary: [UInt8]) -> [Int] {
        var found: [Int] = []
        dictionary.withUnsafeBytes { dictionary in
            for length in Self.lengths where length <= dictionary.count {
                var number = RollingNumber(dictionary, 0, length: length)
                for position in 0...dictionary.count - length {
                    if position > 0 { number.advance(dictionary, to: position) }
                    guard isThere[Self.bits(number.value)], found.count < Self.limit,
                        let rank = bodies[number.value] ?? nil, !found.contains(rank)
                    else { continue }
                    found.append(rank)
                }
            }
        }
        return found
    }
}

/// A number for a window of bytes at a position, which moves to the next position in a few steps (Karp and Rabin, 1987).
private struct RollingNumber {
    /// The bytes as the digits of a number to the base ``factor``, each increased by 1, modulo 2^64.
    private var sum: UInt64 = 0
    /// The length of the window, in bytes.
    private let length: Int
    /// The factor of the byte that leaves the window.
    private let last: UInt64

    /// The base: an odd number with irregular bits, 2^64 divided by the golden ratio.
    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// The number; different bytes may have the same one, which costs a few bytes of the patch.
    var value: UInt64 {
        let mixed = (sum ^ (sum >> 32)) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ (mixed >> 32)
    }

    /// Computes the number of a window, in a step for each byte.
    init(_ bytes: UnsafeRawBufferPointer, _ position: Int, length: Int) {
        self.length = length
        var last: UInt64 = 1
        for place in position..<position + length {
            sum = sum &* Self.factor &+ UInt64(bytes[place]) &+ 1
            last = last &* Self.factor
        }
        self.last = last
    }

    /// Moves the window by one byte.
    ///
    /// - Parameter position: the new position of the window, one more than before.
    mutating func advance(_ bytes: UnsafeRawBufferPointer, to position: Int) {
        sum = sum &* Self.factor &+ UInt64(bytes[position + length - 1]) &+ 1
        sum = sum &- last &* (UInt64(bytes[position - 1]) &+ 1)
    }
}
