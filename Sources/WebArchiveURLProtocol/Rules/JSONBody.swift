// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A JSON text (RFC 8259), written as a Swift literal: `["id": 7, "tags": ["a", "b"], "price": 1.5, "gone": nil]`.
///
/// Members keep the order in which they are written.
public struct JSONBody: Sendable {
    /// The JSON text.
    public let text: String

    /// Takes a text as it is, whether or not it is JSON.
    public init(text: String) { self.text = text }

    /// Encodes a value.
    ///
    /// - Throws: what the encoder throws.
    public init(encoding value: some Encodable, with encoder: JSONEncoder = JSONEncoder()) throws {
        text = String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension JSONBody: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    public init(dictionaryLiteral members: (String, JSONBody)...) {
        let members = members.map { "\(Self.string($0.0)): \($0.1.text)" }
        text = "{\(members.joined(separator: ", "))}"
    }

    public init(arrayLiteral items: JSONBody...) {
        text = "[\(items.map(\.text).joined(separator: ", "))]"
    }

    /// A JSON string.
    public init(stringLiteral text: String) { self.text = Self.string(text) }
    public init(integerLiteral value: Int64) { text = String(value) }
    public init(floatLiteral value: Double) { text = "\(value)" }
    public init(booleanLiteral value: Bool) { text = value ? "true" : "false" }
    public init(nilLiteral: ()) { text = "null" }

    private static func string(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // Encoding fails for numbers that JSON has not, never for text.
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
