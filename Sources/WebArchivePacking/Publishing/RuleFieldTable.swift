// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// The header fields of a response while rules change them: found by name, in the order in which they were set.
struct RuleFieldTable {
    /// A field as it is sent: the name with its case, and the value.
    typealias Field = (name: String, value: String)

    /// The fields; nil for removed ones.
    private var slots: [Field?]
    /// The slots of a name in lower case, the first one first.
    private var places: [String: [Int]] = [:]

    /// Takes the fields of a response, in their order; several may have one name.
    init(_ fields: [Field]) {
        slots = fields
        for (place, field) in fields.enumerated() { places[field.name.asciiLowercased, default: []].append(place) }
    }

    /// The present fields, in the order in which their names were first set.
    var fields: [Field] { slots.compactMap(\.self) }

    /// Removes the fields of a name.
    ///
    /// - Parameter key: a name in lower case.
    mutating func remove(_ key: String) {
        for place in places.removeValue(forKey: key) ?? [] { slots[place] = nil }
    }

    /// Sets a field and replaces all of its name, or joins its value to the first one of them; `Set-Cookie` is never joined.
    ///
    /// - Returns: whether the field was added: not if joining would make too long a value.
    mutating func add(_ field: Field, key: String, overriding: Bool) -> Bool {
        guard let first = places[key]?.first, overriding || key != "set-cookie" else {
            places[key, default: []].append(slots.count)
            slots.append(field)
            return true
        }
        if overriding {
            for place in places[key] ?? [] { slots[place] = nil }
            slots[first] = field
            places[key] = [first]
            return true
        }
        guard let known = slots[first],
            known.value.utf8.count + field.value.utf8.count + 2 <= HeaderRules.valueLimit
        else { return false }
        slots[first]?.value = known.value + ", " + field.value
        return true
    }
}
