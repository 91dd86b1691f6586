// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveFormat

/// A search for the pages that a dictionary was made of, whose old forms it is coded against.
///
/// Dictionaries of `webarc pack` are beginnings of pages, and which ones changes from edition to edition.
struct DictionaryBases {
    /// Two places of a body, by which it is found: one alone is often like one of another page.
    private struct Probe: Sendable {
        let rank: Int
        /// The number of the bytes at the first place.
        let first: UInt64
        /// The number of the bytes at the second one, which is the way to the probe.
        let second: UInt64
        /// The second place, in bytes from the first.
        let distance: Int
    }

    /// The probes by their second number; nil for one that several bodies have.
    private let probes: [UInt64: Probe?]

    /// The most bodies that a dictionary is coded against.
    static let limit = 16
    /// The bytes of a place.
    private static let wordLength = 32
    /// The second place in a body of at least twice as many bytes; the first one is at a quarter of it.
    private static let place: UInt64 = 12 << 10

    /// Looks into all bodies of a commit, on several threads.
    init(_ commit: CommitImage, _ contents: CommitContents, threads: Int) throws(ArchiveError) {
        var places: [Int: [(rank: Int, offset: Int, length: Int)]] = [:]
        for (rank, place) in contents.places().enumerated() {
            let length = contents.bodyLengths[rank]
            guard let place, length >= 1024 else { continue }
            let second = Int(min(Self.place, length / 2))
            guard place.offset + second + Self.wordLength <= contents.blockLengths[place.block] else { continue }
            places[place.block, default: []].append((rank, place.offset, second))
        }
        let blocks = places.sorted { $0.key < $1.key }
        let (archive, first) = (commit.archive, commit.archive.rows(.block, ofCommit: commit.number).lowerBound)
        var probes: [UInt64: Probe?] = [:]
        var failure: ArchiveError?
        ParallelWork(threads: threads).run(
            blocks.count, state: {},
            work: { _, number in
                Result { () throws(ArchiveError) -> [Probe] in
                    let bytes = try archive.decodedBytes(first + blocks[number].key)
                    return blocks[number].value.map { rank, offset, second in
                        Probe(
                            rank: rank, first: Self.word(bytes, offset + second / 4),
                            second: Self.word(bytes, offset + second), distance: second - second / 4)
                    }
                }
            },
            merge: { (result: Result<[Probe], ArchiveError>) in
                switch result {
                case .success(let found):
                    for probe in found { probes[probe.second] = .some(probes[probe.second] == nil ? probe : nil) }
                case .failure(let error): failure = failure ?? error
                }
            })
        if let failure { throw failure }
        self.probes = probes
    }

    /// Finds the bodies of which a dictionary has parts.
    func bodies(in dictionary: [UInt8]) -> [Int] {
        var found: [Int] = []
        guard dictionary.count >= Self.wordLength else { return found }
        for position in 0...dictionary.count - Self.wordLength where found.count < Self.limit {
            guard let probe = probes[Self.word(dictionary, position)] ?? nil, position >= probe.distance,
                Self.word(dictionary, position - probe.distance) == probe.first, !found.contains(probe.rank)
            else { continue }
            found.append(probe.rank)
        }
        return found
    }

    /// A number for the bytes at a place; different bytes may have the same, which costs a few bytes of the patch.
    private static func word(_ bytes: [UInt8], _ position: Int) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: wordLength, by: 8).reduce(0) { word, offset in
                let next = bytes.loadUnaligned(fromByteOffset: position + offset, as: UInt64.self)
                return (word ^ next) &* 0x9E37_79B9_7F4A_7C15
            }
        }
    }
}
