// SPDX-License-Identifier: Apache-2.0

import Mutation

/// The places of the fields of a class table. Specification section 6.1.
///
/// A reader of its own, since the product's refuses tables that a mutation has made wrong.
struct ClassTablePlaces {
    struct Key {
        let name: [UInt8]
        /// The place of its type; width, offset, base and step follow.
        let place: Int
    }

    struct Class {
        let name: [UInt8]
        /// The place of the width of a row; the other numbers follow.
        let place: Int
        var keys: [Key] = []

        func key(_ name: String) -> Key? { keys.first { $0.name.elementsEqual(name.utf8) } }
    }

    let table: [UInt8]
    private(set) var classes: [Class] = []

    init(_ table: [UInt8]) {
        self.table = table
        var position = 2
        func name() -> [UInt8]? {
            guard position < table.count else { return nil }
            let end = position + 1 + Int(table[position])
            guard end <= table.count else { return nil }
            defer { position = end }
            return Array(table[position + 1..<end])
        }
        for _ in 0..<min(64, table.number(at: 0, width: 2)) {
            guard let className = name(), position + 35 <= table.count else { return }
            var found = Class(name: className, place: position)
            let keyCount = table[position + 34]
            position += 35
            for _ in 0..<min(64, keyCount) {
                guard let keyName = name(), position + 21 <= table.count else { break }
                found.keys.append(Key(name: keyName, place: position))
                position += 21 + Int(table[position + 20])
            }
            classes.append(found)
        }
    }

    subscript(name: String) -> Class? { classes.first { $0.name.elementsEqual(name.utf8) } }

    /// The places of the values of a key in the index, and their meaning.
    struct Column {
        let first, stride, width, rowCount: Int
        let base, step: UInt64

        func place(_ row: Int) -> Int { first + row * stride }

        /// The value of a row, as far as it fits.
        func value(_ row: Int, in index: [UInt8]) -> UInt64 {
            base &+ step &* (width > 0 ? index.number(at: place(row), width: width) : 0)
        }

        func set(_ value: UInt64, _ row: Int, in index: inout [UInt8]) {
            guard width > 0, step > 0 else { return }
            index.setNumber((value &- base) / step, at: place(row), width: width)
        }
    }

    func column(_ className: String, _ keyName: String, indexLength: Int) -> Column? {
        guard let owner = self[className], let key = owner.key(keyName) else { return nil }
        let stride = Int(table.number(at: owner.place, width: 2))
        let rowCount = Int(table.number(at: owner.place + 2, width: 4))
        let first = table.number(at: owner.place + 10, width: 8)
        let width = Int(table[key.place + 1])
        guard first <= UInt64(indexLength), width <= 8, stride * rowCount <= indexLength else { return nil }
        return Column(
            first: Int(first) + Int(table.number(at: key.place + 2, width: 2)), stride: stride, width: width,
            rowCount: rowCount, base: table.number(at: key.place + 4, width: 8),
            step: table.number(at: key.place + 12, width: 8))
    }
}
