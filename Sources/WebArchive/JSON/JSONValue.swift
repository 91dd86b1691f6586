// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259). Its text is one line, with the members of objects in the order in which they were given.
///
/// The text is spelled as Python's `json.dumps` does it, so that the output of two readers can be compared with `diff`.
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
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// Returns an object with its members in the order of their names.
    package static func object(sorting members: [String: JSONValue]) -> JSONValue {
        .object(members.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: $0.value) })
    }

    package static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
    package static func number(_ value: (some BinaryInteger)?) -> JSONValue {
        value.map { .integer(Int64(clamping: $0)) } ?? .null
    }

    /// The text, ASCII only, without a line break.
    package var line: String {
        var line: [UInt8] = []
        append(to: &line) { (_: inout [UInt8]) throws(Never) in }
        return String(decoding: line, as: UTF8.self)
    }

    /// Calls `write` with the text piece by piece: it may be many times as long as the values.
    package func forEachPiece<Failure>(_ write: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
        var piece: [UInt8] = []
        try append(to: &piece) { piece throws(Failure) in
            guard piece.count >= Self.pieceLength else { return }
            try write(piece)
            piece.removeAll(keepingCapacity: true)
        }
        try write(piece)
    }

    private static let pieceLength = 64 << 10

    /// Appends the text in pieces.
    ///
    /// - Parameter flush: a function that is called now and then, to take the bytes so far.
    private func append<Failure>(
        to line: inout [UInt8], _ flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        switch self {
        case .null: line += "null".utf8
        case .bool(let value): line += (value ? "true" : "false").utf8
        case .integer(let value): line += String(value).utf8
        // JSON has neither infinities nor NaN.
        case .double(let value): line += (value.isFinite ? "\(value)" : "null").utf8
        case .string(let text): try Self.append(text, to: &line, flush)
        case .array(let items):
            line.append(UInt8(ascii: "["))
            for (position, item) in items.enumerated() {
                if position > 0 { line += ", ".utf8 }
                try item.append(to: &line, flush)
            }
            line.append(UInt8(ascii: "]"))
        case .object(let members):
            line.append(UInt8(ascii: "{"))
            for (position, member) in members.enumerated() {
                if position > 0 { line += ", ".utf8 }
                try Self.append(member.name, to: &line, flush)
                line += ": ".utf8
                try member.value.append(to: &line, flush)
            }
            line.append(UInt8(ascii: "}"))
        }
    }

    private static func append<Failure>(
        _ text: String, to line: inout [UInt8], _ flush: (inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        line.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
            line += text.utf8
        } else {
            for scalar in text.unicodeScalars {
                if line.count >= pieceLength { try flush(&line) }
                append(scalar, to: &line)
            }
        }
        line.append(UInt8(ascii: "\""))
        try flush(&line)
    }

    private static func append(_ scalar: Unicode.Scalar, to line: inout [UInt8]) {
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        switch scalar {
        case "\"", "\\": append(escape: byte, to: &line)
        case " "..."~": line.append(byte)
        case "\n": append(escape: UInt8(ascii: "n"), to: &line)
        case "\r": append(escape: UInt8(ascii: "r"), to: &line)
        case "\t": append(escape: UInt8(ascii: "t"), to: &line)
        case "\u{08}": append(escape: UInt8(ascii: "b"), to: &line)
        case "\u{0C}": append(escape: UInt8(ascii: "f"), to: &line)
        default: for unit in scalar.utf16 { append(unit: unit, to: &line) }
        }
    }

    private static func append(escape: UInt8, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\\"))
        line.append(escape)
    }

    private static func append(unit: UInt16, to line: inout [UInt8]) {
        append(escape: UInt8(ascii: "u"), to: &line)
        for position in 0..<4 {
            let digit = UInt8(truncatingIfNeeded: unit >> (12 - 4 * position) & 15)
            line.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral number: Int) { self = .integer(Int64(number)) }
    package init(arrayLiteral items: JSONValue...) { self = .array(items) }
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(members.map { Member(name: $0.0, value: $0.1) })
    }
}
