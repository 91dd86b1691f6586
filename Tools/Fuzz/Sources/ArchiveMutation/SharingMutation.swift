// SPDX-License-Identifier: Apache-2.0

import Mutation

/// Mutations that make a small archive stand for much: rows that all refer to one other, rows of no width in any number, keys
/// that all entries have, and texts that grow.
///
/// Their results keep the rules of structure, so that readers go on to what it costs.
extension ArchiveParts.Commit {
    mutating func shareOrRepeat(_ random: inout MutationRandom) {
        guard let classes = sections.firstIndex(where: { $0.isOf("CLSS") }),
            let index = sections.firstIndex(where: { $0.isOf("INDX") })
        else { return }
        var table = sections[classes].bytes
        let places = ClassTablePlaces(table)
        guard !places.classes.isEmpty else { return }
        let owner = places.classes[random.next(places.classes.count)]
        switch random.next(5) {
        case 0, 1: Self.share(owner, in: &table, &random)
        case 2: Self.repeatRows(of: owner, in: &table, random.next(1 << 16))
        case 3: Self.lengthenTexts(places["String"], in: &table, &sections[index].bytes, &random)
        default: Self.repeatEntries(places, in: &table, &sections[index].bytes, &random)
        }
        sections[classes].bytes = table
    }

    /// Gives a key the same value in all rows.
    private static func share(
        _ owner: ClassTablePlaces.Class, in table: inout [UInt8], _ random: inout MutationRandom
    ) {
        guard !owner.keys.isEmpty else { return }
        let key = owner.keys[random.next(owner.keys.count)]
        table.setNumber(0, at: key.place + 1, width: 1)
        table.setNumber(UInt64(random.next(random.next(4) == 0 ? 4096 : 16)), at: key.place + 4, width: 8)
    }

    /// Makes all rows of a class the same row, without width, so many times.
    private static func repeatRows(of owner: ClassTablePlaces.Class, in table: inout [UInt8], _ count: Int) {
        for key in owner.keys { table.setNumber(0, at: key.place + 1, width: 1) }
        for key in owner.keys { table.setNumber(0, at: key.place + 2, width: 2) }
        table.setNumber(0, at: owner.place, width: 2)
        table.setNumber(UInt64(count), at: owner.place + 2, width: 4)
    }

    /// Moves the texts of a class behind the index, with a long one at their end.
    private static func lengthenTexts(
        _ owner: ClassTablePlaces.Class?, in table: inout [UInt8], _ index: inout [UInt8],
        _ random: inout MutationRandom
    ) {
        guard let owner else { return }
        let first = Int(truncatingIfNeeded: table.number(at: owner.place + 18, width: 8))
        let length = Int(truncatingIfNeeded: table.number(at: owner.place + 26, width: 8))
        guard first >= 0, length >= 0, length <= index.count, first <= index.count - length else { return }
        let fillers = ["x", "a/", "a/../", "%41", ", b", "é", "\u{1b}"]
        let filler = Array(fillers[random.next(fillers.count)].utf8)
        let tail = Array(repeatElement(filler, count: 1 + random.next(8192)).joined())
        let texts = index[first..<first + length] + tail
        table.setNumber(UInt64(index.count), at: owner.place + 18, width: 8)
        table.setNumber(UInt64(texts.count), at: owner.place + 26, width: 8)
        index += texts
    }

    /// Makes many entries of one key, which are the same row.
    private static func repeatEntries(
        _ places: ClassTablePlaces, in table: inout [UInt8], _ index: inout [UInt8], _ random: inout MutationRandom
    ) {
        guard let entry = places["Entry"], let block = places["KeyBlock"], let keys = block.key("keys") else { return }
        let blockCount = 1 + random.next(512)
        repeatRows(of: entry, in: &table, 16 * blockCount)
        let lengths = [20, 100, 2000, 30_000]
        let text =
            "http://example.org/" + String(repeating: "k", count: random.next(lengths[random.next(lengths.count)]))
        let key = Array(text.utf8)
        let again = varint(key.count) + [0]
        let first = [0] + varint(key.count) + key
        var heap: [UInt8] = []
        var rows: [UInt8] = []
        for _ in 0..<blockCount where heap.count < 1 << 17 {
            rows += withUnsafeBytes(of: UInt32(heap.count).littleEndian, Array.init)
            heap += first + repeatElement(again, count: 15).joined()
        }
        // Four bytes a row: where its text starts.
        for (place, width, value) in [
            (block.place, 2, 4), (block.place + 2, 4, rows.count / 4), (block.place + 10, 8, index.count),
            (block.place + 18, 8, index.count + rows.count), (block.place + 26, 8, heap.count), (keys.place + 1, 1, 4),
            (keys.place + 2, 2, 0), (keys.place + 4, 8, 0), (keys.place + 12, 8, 1),
        ] {
            table.setNumber(UInt64(value), at: place, width: width)
        }
        index += rows + heap
    }

    private static func varint(_ value: Int) -> [UInt8] {
        var rest = value
        var bytes: [UInt8] = []
        while rest > 127 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
