// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A JSON text (RFC 8259), written as a Swift literal: `["id": 7, "tags": ["a", "b"], "price": 1.5, "gone": nil]`.
///
/// Members keep the order in which they are written.
public struct JSONBody: Sendable {
    /// The JSON text, sent as UTF-8.
    public let text: String

    /// Takes a text unchanged, whether or not it is JSON.
    public init(text: String) { self.text = text }

    /// Encodes a value.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - encoder: the encoder; one with Foundation's defaults by default.
    /// - Throws: errors of the encoder.
    public init(encoding value: some Encodable, with encoder: JSONEncoder = JSONEncoder()) throws {
        text = String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension JSONBody: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Creates a JSON object. A duplicate name is written twice.
    public init(dictionaryLiteral members: (String, JSONBody)...) {
        let members = members.map { "\(Self.string($0.0)): \($0.1.text)" }
        text = "{\(members.joined(separator: ", "))}"
    }

    /// Creates a JSON array.
    public init(arrayLiteral items: JSONBody...) {
        text = "[\(items.map(\.text).joined(separator: ", "))]"
    }

    /// Creates a JSON string and escapes it (RFC 8259 section 7).
    public init(stringLiteral text: String) { self.text = Self.string(text) }
    /// Creates a JSON number without a fraction.
    public init(integerLiteral value: Int64) { text = String(value) }
    /// Creates a JSON number, with as many digits as distinguish it from all others. JSON has no infinity (RFC 8259 section 6): a literal beyond
    /// the range of `Double` becomes `null`, as in JavaScript.
    public init(floatLiteral value: Double) { text = value.isFinite ? "\(value)" : "null" }
    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { text = value ? "true" : "false" }
    /// Creates `null`.
    public init(nilLiteral: ()) { text = "null" }

    private static func string(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // Encoding fails for numbers that JSON has not, never for text.
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
