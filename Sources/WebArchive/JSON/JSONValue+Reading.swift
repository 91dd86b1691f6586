// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// The member of an object; nil for other values, and for a missing one.
    package subscript(name: String) -> JSONValue? {
        if case .object(let members) = self {
            members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
        } else {
            nil
        }
    }

    /// The text of a string, which can be compared at any length: U+FFFD is in place of every mark beyond 30 in a row.
    package var text: String? { exactText?.streamSafe }
    /// The text of a string for its bytes. To compare or to hash it can take quadratic time.
    package var exactText: String? { if case .string(let text) = self { text } else { nil } }
    package var isTrue: Bool { self == .bool(true) }
    package var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }

    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}

extension JSONValue: Equatable {
    /// Compares values; the order of members does not count. RFC 8259 section 4.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a.count == b.count && a.allSatisfy { right[$0.name] == $0.value }
        case (.integer(let a), .integer(let b)): a == b
        default: left.number != nil && left.number == right.number
        }
    }
}

extension JSONValue: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .double(number)
        } else if let items = try? container.decode([JSONValue].self) {
            self = .array(items)
        } else {
            let members = try container.decode([String: JSONValue].self)
            self = .object(members.map { Member(name: $0, value: $1) })
        }
    }
}
