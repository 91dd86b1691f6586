// SPDX-License-Identifier: Apache-2.0

import TestSupport
import WebArchive

/// Changes values of an archive of one commit and makes every checksum right again: what a hostile writer would make.
///
/// Finds its way by the specification alone (sections 4 and 6), not by the code under test.
struct RowSurgeon {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func number(_ offset: Int, _ width: Int) -> Int {
        bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func put(_ value: UInt64, at offset: Int, _ width: Int) {
        for place in 0..<width { bytes[offset + place] = UInt8(truncatingIfNeeded: value >> UInt64(8 * place)) }
    }

    private var footer: Int { bytes.count - 64 }
    private var sectionTable: Int { footer - 32 * number(footer + 28, 4) }

    /// Offset and length of a section.
    func section(_ kind: String) -> Range<Int> {
        for row in stride(from: sectionTable, to: footer, by: 32)
        where bytes[row..<row + 4].elementsEqual(kind.utf8) {
            let offset = number(row + 8, 8)
            return offset..<offset + number(row + 16, 8)
        }
        preconditionFailure("no section \(kind)")
    }

    /// The position of a key's description, after its name, and the position of the class's rows.
    private func key(_ owner: String, _ name: String) -> (fields: Int, rowWidth: Int, rows: Int, rowCount: Int)? {
        var place = section("CLSS").lowerBound + 2
        for _ in 0..<number(place - 2, 2) {
            let nameLength = number(place, 1)
            let isOwner = bytes[(place + 1)...].prefix(nameLength).elementsEqual(owner.utf8)
            place += 1 + nameLength
            let (rowWidth, rowCount, rows) = (number(place, 2), number(place + 2, 4), number(place + 10, 8))
            place += 2 + 4 + 4 + 8 + 8 + 8
            let keyCount = number(place, 1)
            place += 1
            for _ in 0..<keyCount {
                let length = number(place, 1)
                let isKey = bytes[(place + 1)...].prefix(length).elementsEqual(name.utf8)
                place += 1 + length
                if isOwner, isKey { return (place, rowWidth, rows, rowCount) }
                place += 1 + 1 + 2 + 8 + 8
                place += 1 + number(place, 1)
            }
        }
        return nil
    }

    /// Sets a key to one value in all rows.
    mutating func set(_ owner: String, _ name: String, to value: Int64) {
        guard let (fields, _, _, _) = key(owner, name) else { preconditionFailure("no key \(owner).\(name)") }
        put(0, at: fields + 1, 1)
        put(UInt64(bitPattern: value), at: fields + 4, 8)
        seal()
    }

    /// Changes base and step of a key; what is stored stays.
    mutating func setScale(_ owner: String, _ name: String, base: Int64, step: Int64) {
        guard let (fields, _, _, _) = key(owner, name) else { preconditionFailure("no key \(owner).\(name)") }
        put(UInt64(bitPattern: base), at: fields + 4, 8)
        put(UInt64(bitPattern: step), at: fields + 12, 8)
        seal()
    }

    /// Changes what is stored of a key in one row; `base` and `step` stay.
    mutating func setStored(_ owner: String, _ name: String, row: Int, to value: UInt64) {
        guard let (fields, rowWidth, rows, _) = key(owner, name) else { preconditionFailure("no key \(owner).\(name)") }
        let place = section("INDX").lowerBound + rows + row * rowWidth + number(fields + 2, 2)
        put(value, at: place, number(fields + 1, 1))
        seal()
    }

    func hasKey(_ owner: String, _ name: String) -> Bool { key(owner, name) != nil }

    /// Replaces a byte and makes the checksums of index, class table, section table and footer right.
    mutating func replace(_ offset: Int, with byte: UInt8) {
        bytes[offset] = byte
        seal()
    }

    private mutating func seal() {
        let (index, sums, classes) = (section("INDX"), section("ISUM"), section("CLSS"))
        for (page, start) in stride(from: index.lowerBound, to: index.upperBound, by: 4096).enumerated() {
            let end = min(start + 4096, index.upperBound)
            put(UInt64(Checksum.of(bytes[start..<end])), at: sums.lowerBound + 4 * page, 4)
        }
        for row in stride(from: sectionTable, to: footer, by: 32)
        where bytes[row..<row + 4].elementsEqual("CLSS".utf8) {
            put(UInt64(Checksum.of(bytes[classes])), at: row + 24, 4)
        }
        put(UInt64(Checksum.of(bytes[sectionTable..<footer])), at: footer + 40, 4)
        put(UInt64(Checksum.of(bytes[footer..<footer + 60])), at: footer + 60, 4)
    }
}

extension RowSurgeon {
    /// Replaces the name of a class with another of the same length, so that a reader does not find it.
    mutating func rename(_ owner: String, to name: String) {
        guard let place = firstIndex(of: [UInt8(owner.utf8.count)] + Array(owner.utf8), in: "CLSS") else {
            preconditionFailure("no class \(owner)")
        }
        for (index, byte) in name.utf8.enumerated() { replace(place + 1 + index, with: byte) }
    }

    /// The position of the first occurrence of bytes in a section.
    func firstIndex(of bytes: [UInt8], in kind: String) -> Int? {
        let area = section(kind)
        return (area.lowerBound...max(area.lowerBound, area.upperBound - bytes.count)).first {
            self.bytes[$0..<$0 + bytes.count].elementsEqual(bytes)
        }
    }
}
