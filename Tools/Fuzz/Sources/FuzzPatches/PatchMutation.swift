// SPDX-License-Identifier: Apache-2.0

import ArchiveMutation
import Mutation

@testable import WebArchive
@testable import WebArchiveFormat
@testable import WebArchiveUpdates

extension PatchParts {
    /// Changes a part of the patch.
    ///
    /// - Parameter others: patches whose parts may take the place of this one's.
    mutating func mutate(_ random: inout MutationRandom, others: [PatchParts]) {
        switch random.next(32) {
        case 0: mutateHeader(&random)
        case 1: tail = mutated(tail, tail.count + 32)
        case 2 where !records.isEmpty: mutateRecords(&random)
        default:
            guard !records.isEmpty else { return }
            let other = random.next(of: others)
            let place = random.next(records.count)
            if random.next(6) == 0, let record = other.records.last {
                records[place].exchange(with: record, &random)
            } else {
                records[place].mutate(&random)
            }
        }
    }

    private mutating func mutateHeader(_ random: inout MutationRandom) {
        let ends = old.stored.layouts.map(\.footer.end)
        switch random.next(6) {
        case 0: header.setNumber(random.next(of: ends + [96]), at: 96, width: 8)
        case 1: header.setNumber(random.extreme(), at: random.next(of: [56, 96]), width: 8)
        case 2: header.setNumber(random.extreme(), at: 200, width: 4)
        case 3: header[117] = UInt8(10 + random.next(12))
        case 4: header[10] ^= 1
        default: header.replaceSubrange(104..<200, with: mutatedInPlace(Array(header[104..<200])))
        }
    }

    private mutating func mutateRecords(_ random: inout MutationRandom) {
        let place = random.next(records.count)
        switch random.next(3) {
        case 0 where records.count > 1: records.remove(at: place)
        case 1 where records.count < 4: records.append(records[place])
        default: records.swapAt(place, random.next(records.count))
        }
        header.setNumber(UInt64(records.count), at: 200, width: 4)
    }
}

extension PatchRecord {
    /// Takes a part of another record.
    mutating func exchange(with other: PatchRecord, _ random: inout MutationRandom) {
        let place = random.next(7)
        switch place {
        case 0..<4 where place < streams.count && place < other.streams.count: streams[place] = other.streams[place]
        case 4: dictionaries = other.dictionaries
        case 5: chunks = other.chunks
        default: template = other.template
        }
    }

    mutating func mutate(_ random: inout MutationRandom) {
        guard kind == 1, streams.count == 4 else {
            if !streams.isEmpty { streams[0].mutate(&random) }
            return
        }
        switch random.next(16) {
        case 0: flags ^= 1 << UInt8(random.next(3))
        case 1: level = random.next(2) == 0 ? UInt8(random.next(14)) : UInt8(random.next(256))
        case 2: template = random.next(2) == 0 ? UInt64(random.next(3)) : random.extreme()
        case 3 where !dictionaries.isEmpty: mutateDictionary(&random)
        case 4...7 where !chunks.isEmpty: mutateChunks(&random)
        case 8...9: mutateEnds(&random)
        default: streams[random.next(4)].mutate(&random)
        }
    }

    private mutating func mutateDictionary(_ random: inout MutationRandom) {
        let place = random.next(dictionaries.count)
        switch random.next(5) {
        case 0: dictionaries[place].bases.append(UInt64(random.next(20)))
        case 1: dictionaries[place].bases = Array(repeating: random.extreme(), count: random.next(18))
        case 2: dictionaries.remove(at: place)
        case 3: dictionaries.append(dictionaries[place])
        default: dictionaries[place].contents.mutate(&random)
        }
    }

    private mutating func mutateChunks(_ random: inout MutationRandom) {
        let place = random.next(chunks.count)
        switch random.next(12) {
        case 0: chunks.remove(at: place)
        case 1: chunks.insert(chunks[random.next(chunks.count)], at: place)
        case 2: chunks.swapAt(place, random.next(chunks.count))
        default: chunks[place].mutate(&random)
        }
    }

    /// Changes footer, section table or class table, and makes their checksums right.
    private mutating func mutateEnds(_ random: inout MutationRandom) {
        guard var bytes = streams[Self.ends].decoded, bytes.count > 64 else { return }
        let count = Int(bytes.number(at: 28, width: 4))
        switch random.next(8) {
        case 0:
            bytes.setNumber(
                random.extreme(), at: random.next(of: [8, 16, 24, 28, 32]), width: random.next(of: [4, 8]))
        case 1...2:
            bytes.setNumber(random.extreme(), at: 64 + 32 * random.next(count) + random.next(of: [4, 8, 16]), width: 8)
        case 3: bytes = Array(bytes[..<64]) + mutatedInPlace(Array(bytes[64...]))
        default:
            let ends = EndsPlaces(bytes)
            guard let table = ends.classes else { return }
            bytes.replaceSubrange(table, with: mutatedClassTable(Array(bytes[table]), &random))
        }
        streams[Self.ends].replace(EndsPlaces.sealed(bytes))
    }
}

extension PatchChunk {
    mutating func mutate(_ random: inout MutationRandom) {
        switch random.next(8) {
        case 0: blockCount = random.next(2) == 0 ? blockCount &+ 1 : random.extreme()
        case 1: isLiteral = isLiteral == 1 ? 0 : UInt8(random.next(256))
        case 2 where !runs.isEmpty:
            runs[random.next(runs.count)].code = random.next(2) == 0 ? UInt64(random.next(40)) : random.extreme()
        case 3 where !runs.isEmpty:
            runs[random.next(runs.count)].count = random.next(2) == 0 ? UInt64(random.next(6)) : random.extreme()
        case 4: runs.append((UInt64(random.next(8)), UInt64(random.next(3))))
        case 5 where !literals.isEmpty:
            let place = random.next(literals.count)
            literals[place] = mutated(literals[place], literals[place].count + 8)
        case 6: literals.append(Array(repeating: UInt8(random.next(256)), count: random.next(100)))
        default: contents?.mutate(&random)
        }
    }
}

/// The places of the parts of a record's stream of ends: footer, section table, and the sections that it has as they are.
struct EndsPlaces {
    private let table: Range<Int>
    /// The class table.
    private(set) var classes: Range<Int>?
    /// The place of the checksum of the class table.
    private var checksum = 0

    init(_ ends: [UInt8]) {
        let count = min(Int(ends.number(at: 28, width: 4)), max(0, ends.count - 64) / 32, 64)
        table = 64..<64 + 32 * count
        var end = table.upperBound
        for entry in stride(from: 64, to: table.upperBound, by: 32) where end < ends.count {
            let kind = Array(ends[entry..<entry + 4])
            guard !["BLKS", "INDX", "ISUM", "MRKL"].contains(where: { kind.elementsEqual($0.utf8) }) else { continue }
            let length = Int(min(ends.number(at: entry + 16, width: 8), UInt64(ends.count - end)))
            if kind.elementsEqual("CLSS".utf8) { (classes, checksum) = (end..<end + length, entry + 24) }
            end += length
        }
    }

    /// The same ends with their checksums right.
    static func sealed(_ ends: [UInt8]) -> [UInt8] {
        guard ends.count >= 64 else { return ends }
        let places = EndsPlaces(ends)
        var ends = ends
        if let classes = places.classes {
            ends.setNumber(UInt64(Checksum.of(ends[classes])), at: places.checksum, width: 4)
        }
        ends.setNumber(UInt64(Checksum.of(ends[places.table])), at: 40, width: 4)
        ends.setNumber(UInt64(Checksum.of(ends[..<60])), at: 60, width: 4)
        return ends
    }
}
