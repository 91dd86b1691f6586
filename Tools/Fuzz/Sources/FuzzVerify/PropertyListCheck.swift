// SPDX-License-Identifier: Apache-2.0

import FuzzSupport

/// Holds a binary property list to the structure of "bplist00", as a parser would go through it.
///
/// Every object lies before the table of offsets, right behind the one before; every reference leads to an object; the unique
/// identifiers name elements of `$objects`.
struct PropertyListCheck {
    private let list: [UInt8]
    private let referenceWidth, objectCount, top, table: Int
    private let offsets: [Int]

    init(_ list: [UInt8]) {
        self.list = list
        expect(list.starts(with: "bplist00".utf8) && list.count > 40, "no property list")
        let trailer = list.count - 32
        let offsetWidth = Int(list[trailer + 6])
        referenceWidth = Int(list[trailer + 7])
        objectCount = Self.number(list, trailer + 8, 8)
        top = Self.number(list, trailer + 16, 8)
        table = Self.number(list, trailer + 24, 8)
        expect([1, 2, 4, 8].contains(offsetWidth) && [1, 2, 4, 8].contains(referenceWidth), "widths")
        expect(top < objectCount && table + objectCount * offsetWidth == trailer, "a trailer that contradicts the list")
        var offsets: [Int] = []
        for number in 0..<objectCount { offsets.append(Self.number(list, table + number * offsetWidth, offsetWidth)) }
        self.offsets = offsets
    }

    /// Big-endian, as all numbers of a property list are.
    private static func number(_ list: [UInt8], _ place: Int, _ width: Int) -> Int {
        expect(place >= 0 && place + width <= list.count, "a number outside of the list")
        return Int(truncatingIfNeeded: list[place..<place + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    func run() {
        var end = 8
        var identifiers: [Int] = []
        for offset in offsets {
            expect(offset == end, "an object at \(offset) where the one before ends at \(end)")
            end = check(offset, &identifiers)
        }
        expect(end == table, "the objects end at \(end), the table begins at \(table)")
        expect(identifiers == Array(identifiers.indices), "identifiers that do not count the objects")
        let objects = value("$objects", of: top)
        expect(objects.map { elements($0).count } == identifiers.count, "identifiers that name no object")
        expect(value("$top", of: top) != nil && value("$archiver", of: top) != nil, "no keyed archive")
    }

    /// Checks the object at `offset`; gives the place behind it.
    private func check(_ offset: Int, _ identifiers: inout [Int]) -> Int {
        let marker = list[offset]
        switch marker >> 4 {
        case 0x1: return offset + 1 + 1 << Int(marker & 15)
        case 0x8:
            let width = Int(marker & 15) + 1
            identifiers.append(Self.number(list, offset + 1, width))
            return offset + 1 + width
        case 0x4, 0x5, 0x6:
            let (count, start) = length(offset)
            if marker >> 4 == 5 { expect(list[start..<start + count].allSatisfy { $0 < 0x80 }, "text beyond ASCII") }
            return start + (marker >> 4 == 6 ? 2 : 1) * count
        case 0xA, 0xD:
            let (count, start) = length(offset)
            let references = marker >> 4 == 0xD ? 2 * count : count
            for place in stride(from: start, to: start + references * referenceWidth, by: referenceWidth) {
                expect(Self.number(list, place, referenceWidth) < objectCount, "a reference to no object")
            }
            return start + references * referenceWidth
        default:
            expect(false, "an object of marker \(marker)")
            return offset
        }
    }

    /// How many elements an object has, and where they start.
    private func length(_ offset: Int) -> (count: Int, start: Int) {
        let short = Int(list[offset] & 15)
        guard short == 15 else { return (short, offset + 1) }
        let width = 1 << Int(list[offset + 1] & 15)
        expect(list[offset + 1] >> 4 == 1, "a length that is no number")
        return (Self.number(list, offset + 2, width), offset + 2 + width)
    }

    private func elements(_ object: Int) -> [Int] {
        let (count, start) = length(offsets[object])
        let all = list[offsets[object]] >> 4 == 0xD ? 2 * count : count
        return (0..<all).map { Self.number(list, start + $0 * referenceWidth, referenceWidth) }
    }

    /// The value that a dictionary has for a key.
    private func value(_ key: String, of dictionary: Int) -> Int? {
        let pairs = elements(dictionary)
        let count = pairs.count / 2
        for place in 0..<count {
            let (length, start) = length(offsets[pairs[place]])
            if list[start..<start + length].elementsEqual(key.utf8) { return pairs[count + place] }
        }
        return nil
    }
}
