// SPDX-License-Identifier: Apache-2.0

/// A header field (RFC 9110 section 5). The value is kept byte for byte; names and values need not be UTF-8.
///
/// Nothing is checked: the name need not be a token, and the value may have line breaks. Equality compares
/// bytes, so the case of names counts.
public struct HeaderField: Hashable, Sendable {
    /// The name, byte for byte, in its original case.
    public var nameBytes: [UInt8]
    /// The value, byte for byte.
    public var valueBytes: [UInt8]

    /// Creates a field whose name and value are UTF-8.
    public init(name: String, value: String) {
        nameBytes = Array(name.utf8)
        valueBytes = Array(value.utf8)
    }

    /// Creates a field from bytes.
    public init(nameBytes: [UInt8], valueBytes: [UInt8]) {
        self.nameBytes = nameBytes
        self.valueBytes = valueBytes
    }

    /// The name in its original case. U+FFFD replaces bytes that are not UTF-8, and marks beyond 30 in a
    /// row (UAX #15).
    public var name: String { String(untrusted: nameBytes) }
    /// The value as text. U+FFFD replaces bytes that are not UTF-8, and marks beyond 30 in a row (UAX #15).
    public var value: String { String(untrusted: valueBytes) }

    /// Returns whether the field has this name, without regard to ASCII case (RFC 9110 section 5.1). It copies nothing.
    public func isNamed(_ name: String) -> Bool { nameBytes.equalsIgnoringASCIICase(name.utf8) }
}

/// A list of header fields in their original order, with their case and their duplicates (RFC 9110 section 5.3).
///
/// A lookup by name goes through all fields. Specification section 7, "HeaderList".
///
/// ```swift
/// var fields: HeaderFields = ["Content-Type": "text/html", "Set-Cookie": "a=1", "Set-Cookie": "b=2"]
/// fields.set(name: "Content-Length", value: "42")
/// print(fields["content-type"] ?? "", fields.values(named: "Set-Cookie"))
/// ```
public struct HeaderFields: Hashable, Sendable, RandomAccessCollection, ExpressibleByDictionaryLiteral {
    private var fields: [HeaderField]

    /// Creates a list of fields, in their order; empty by default.
    public init(_ fields: [HeaderField] = []) { self.fields = fields }

    /// Creates fields in the order of the literal; a name may occur several times.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { HeaderField(name: $0.0, value: $0.1) }
    }

    /// The position of the first field: 0.
    public var startIndex: Int { 0 }
    /// The number of fields.
    public var endIndex: Int { fields.count }
    /// The field at a position, 0 to ``endIndex`` - 1, in the original order.
    public subscript(position: Int) -> HeaderField { fields[position] }

    /// Returns the values of all fields of this name, in their order, without regard to ASCII case.
    ///
    /// - Returns: one value for each field, not split at commas; none without such a field.
    public func values(named name: String) -> [String] { fields.filter { $0.isNamed(name) }.map(\.value) }

    /// The values of all fields of this name, joined by a comma and a space (RFC 9110 section 5.3); nil without
    /// such a field.
    ///
    /// `Set-Cookie` cannot be joined (section 5.3), so the first one is given: see ``values(named:)``. Case does not
    /// count.
    public subscript(name: String) -> String? {
        var first: HeaderField?
        // In one buffer, for a hostile archive may have thousands of fields of one name.
        var joined: [UInt8] = []
        for field in fields where field.isNamed(name) {
            guard let known = first else {
                first = field
                continue
            }
            if known.isNamed("Set-Cookie") { break }
            if joined.isEmpty { joined += known.valueBytes }
            joined += ", ".utf8
            joined += field.valueBytes
        }
        return joined.isEmpty ? first?.value : String(untrusted: joined)
    }

    /// Returns the only field of this name, without regard to case; nil if there are several, or none.
    package func only(named name: String) -> HeaderField? {
        var only: HeaderField?
        for field in fields where field.isNamed(name) {
            guard only == nil else { return nil }
            only = field
        }
        return only
    }

    /// Adds a field after all others; fields of the same name stay.
    public mutating func append(_ field: HeaderField) { fields.append(field) }

    /// Adds a field after all others; fields of the same name stay.
    public mutating func append(name: String, value: String) { fields.append(HeaderField(name: name, value: value)) }

    /// Removes all fields of this name, without regard to ASCII case, and keeps the order of the others.
    public mutating func removeAll(named name: String) { fields.removeAll { $0.isNamed(name) } }

    /// Replaces all fields of this name by one, which is last.
    public mutating func set(name: String, value: String) {
        removeAll(named: name)
        append(name: name, value: value)
    }
}

extension HeaderFields: ExpressibleByArrayLiteral {
    /// Creates fields in the order of the literal.
    public init(arrayLiteral elements: HeaderField...) { self.init(elements) }
}
