// SPDX-License-Identifier: Apache-2.0

/// A JSON text (RFC 8259) in one line, with the members in a fixed order.
///
/// Spelled as Python's `json.dumps` does, so that what two readers say about an archive can be compared with `diff`.
package indirect enum JSONValue: Sendable {
    /// A member of an object.
    package struct Member: Sendable {
        package let name: String
        package let value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    case null
    case bool(Bool)
    case integer(Int64)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
    package static func number(_ value: (some BinaryInteger)?) -> JSONValue {
        value.map { .integer(Int64(clamping: $0)) } ?? .null
    }

    /// The text, ASCII only, without a line break.
    package var line: String {
        var line = ""
        append(to: &line)
        return line
    }

    private func append(to line: inout String) {
        switch self {
        case .null: line += "null"
        case .bool(let value): line += value ? "true" : "false"
        case .integer(let value): line += String(value)
        case .string(let text): Self.append(text, to: &line)
        case .array(let items):
            line += "["
            for (position, item) in items.enumerated() {
                if position > 0 { line += ", " }
                item.append(to: &line)
            }
            line += "]"
        case .object(let members):
            line += "{"
            for (position, member) in members.enumerated() {
                if position > 0 { line += ", " }
                Self.append(member.name, to: &line)
                line += ": "
                member.value.append(to: &line)
            }
            line += "}"
        }
    }

    private static let escapes: [UInt16: String] = [
        0x22: "\\\"", 0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x08: "\\b", 0x0C: "\\f",
    ]

    private static func append(_ text: String, to line: inout String) {
        line += "\""
        for unit in text.utf16 {
            if let escape = escapes[unit] {
                line += escape
            } else if (0x20...0x7E).contains(unit) {
                line.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                let digits = String(unit, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        line += "\""
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Member(name: $0.0, value: $0.1) })
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self = .string(text) }
}

extension JSONValue: ExpressibleByArrayLiteral {
    package init(arrayLiteral items: JSONValue...) { self = .array(items) }
}
