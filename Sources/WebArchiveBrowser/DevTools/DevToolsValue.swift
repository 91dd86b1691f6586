// SPDX-License-Identifier: Apache-2.0

import Foundation
package import SystemPackage
package import WebArchive

/// A JSON value of the DevTools protocol.
package enum DevToolsValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([DevToolsValue])
    case object([String: DevToolsValue])

    /// The member of an object; nil for other values, and where there is none.
    package subscript(name: String) -> DevToolsValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var number: Double? { if case .number(let number) = self { number } else { nil } }
    package var isTrue: Bool { self == .bool(true) }
    package var items: [DevToolsValue] { if case .array(let items) = self { items } else { [] } }

    /// Writes it to a file that others cannot read.
    ///
    /// - Throws: `io`.
    package func write(to path: FilePath) throws(ArchiveError) {
        do {
            let text = String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
            try PrivateFile.write(text, to: path, permissions: .ownerReadWrite, replacing: true)
        } catch {
            throw error as? ArchiveError ?? ArchiveError(.io, "cannot write", path: path.string, cause: error)
        }
    }
}

extension DevToolsValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let items = try? container.decode([DevToolsValue].self) {
            self = .array(items)
        } else {
            self = .object(try container.decode([String: DevToolsValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let items): try container.encode(items)
        case .object(let members): try container.encode(members)
        }
    }
}

extension DevToolsValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .string(text) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral number: Int) { self = .number(Double(number)) }
    package init(arrayLiteral items: DevToolsValue...) { self = .array(items) }
    package init(dictionaryLiteral members: (String, DevToolsValue)...) {
        self = .object(Dictionary(members, uniquingKeysWith: { $1 }))
    }
}
