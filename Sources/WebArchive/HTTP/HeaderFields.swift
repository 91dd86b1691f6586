// SPDX-License-Identifier: Apache-2.0

/// One header field (RFC 9110 section 5). The value is kept byte for byte; names and values need not be UTF-8.
public struct HeaderField: Hashable, Sendable {
    public var nameBytes: [UInt8]
    public var valueBytes: [UInt8]

    public init(name: String, value: String) {
        nameBytes = Array(name.utf8)
        valueBytes = Array(value.utf8)
    }

    public init(nameBytes: [UInt8], valueBytes: [UInt8]) {
        self.nameBytes = nameBytes
        self.valueBytes = valueBytes
    }

    /// The name in the case in which it came.
    public var name: String { String(decoding: nameBytes, as: UTF8.self) }
    public var value: String { String(decoding: valueBytes, as: UTF8.self) }

    /// Whether the field has this name, without regard to case (RFC 9110 section 5.1).
    public func isNamed(_ name: String) -> Bool { nameBytes.equalsIgnoringASCIICase(name.utf8) }
}

/// Header fields in the order in which they came, with their case and their duplicates.
public struct HeaderFields: Hashable, Sendable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    private var fields: [HeaderField]

    public init(_ fields: [HeaderField] = []) { self.fields = fields }

    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { HeaderField(name: $0.0, value: $0.1) }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { fields.count }
    public subscript(position: Int) -> HeaderField { fields[position] }

    /// The values of all fields of this name, joined by a comma and a space (RFC 9110 section 5.3); nil if there is none.
    public subscript(name: String) -> String? {
        var first: HeaderField?
        // In one buffer, for a hostile archive may have thousands of fields of one name.
        var joined: [UInt8] = []
        for field in fields where field.isNamed(name) {
            guard let known = first else {
                first = field
                continue
            }
            if joined.isEmpty { joined += known.valueBytes }
            joined += ", ".utf8
            joined += field.valueBytes
        }
        return joined.isEmpty ? first?.value : String(decoding: joined, as: UTF8.self)
    }

    public mutating func append(_ field: HeaderField) { fields.append(field) }

    public mutating func append(name: String, value: String) { fields.append(HeaderField(name: name, value: value)) }

    public mutating func removeAll(named name: String) { fields.removeAll { $0.isNamed(name) } }

    /// Replaces all fields of this name by one.
    public mutating func set(name: String, value: String) {
        removeAll(named: name)
        append(name: name, value: value)
    }
}

extension HeaderFields: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: HeaderField...) { self.init(elements) }
}
