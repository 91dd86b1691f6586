// SPDX-License-Identifier: Apache-2.0

/// A parser of JSON (RFC 8259) that a stranger wrote. It accepts nothing else, except a byte order mark before the text.
///
/// Escaped surrogates without a counterpart become U+FFFD. Of members with one name all are kept, and ``JSONValue/subscript(_:)`` gives the first.
package struct JSONText {
    /// The limits of a text.
    package struct Limits: Sendable {
        /// The maximum length, in bytes.
        package var length = 16 << 20
        /// The maximum number of values, at any depth: an empty array has two bytes, and costs far more in memory.
        package var values = 1 << 20
        /// The maximum number of arrays and objects inside each other.
        package var depth = 64

        /// Creates the default limits, which suit a line of a list.
        package init() {}
    }

    private let bytes: [UInt8]
    private var position = 0
    private var valuesLeft: Int
    private let maximumDepth: Int

    private init(_ bytes: [UInt8], _ limits: Limits) {
        (self.bytes, valuesLeft, maximumDepth) = (bytes, limits.values, limits.depth)
    }

    /// Parses a text that has one value.
    ///
    /// - Throws: `damaged` with the offset of the byte at which the text is wrong; `limitExceeded` beyond a limit.
    package static func value(
        _ bytes: [UInt8], limits: Limits = Limits()
    ) throws(ArchiveError) -> JSONValue {
        guard bytes.count <= limits.length else {
            throw ArchiveError(
                .limitExceeded, "a JSON text of \(bytes.count) bytes exceeds the limit of \(limits.length)",
                recovery: .raiseLimit)
        }
        var text = JSONText(bytes, limits)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { text.position = 3 }
        let value = try text.value(depth: 0)
        text.skipBlanks()
        guard text.position == bytes.count else { throw text.fault("text after the value") }
        return value
    }

    // MARK: - Values

    private mutating func value(depth: Int) throws(ArchiveError) -> JSONValue {
        skipBlanks()
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw limit("too many values") }
        switch peek() ?? 0 {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw fault("no value begins here")
        }
    }

    private mutating func object(depth: Int) throws(ArchiveError) -> JSONValue {
        guard depth <= maximumDepth else { throw limit("too many objects inside each other") }
        position += 1
        var members: [JSONValue.Member] = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipBlanks()
            guard peek() == UInt8(ascii: "\"") else { throw fault("no name of a member begins here") }
            let name = try string()
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw fault("no colon after the name of a member") }
            members.append(JSONValue.Member(name: name, value: try value(depth: depth)))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault("an object without an end") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(ArchiveError) -> JSONValue {
        guard depth <= maximumDepth else { throw limit("too many arrays inside each other") }
        position += 1
        var items: [JSONValue] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .array(items) }
        repeat {
            items.append(try value(depth: depth))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw fault("an array without an end") }
        return .array(items)
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(ArchiveError) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw fault("no value begins here") }
        position += word.utf8.count
        return value
    }

    /// Reads a number: an integer if it is written as one and has at most 64 bits.
    private mutating func number() throws(ArchiveError) -> JSONValue {
        let start = position
        _ = take(UInt8(ascii: "-"))
        let first = position
        guard takeDigits() else { throw fault("a number without digits") }
        // A number with a leading zero is not one (RFC 8259 section 6).
        guard bytes[first] != UInt8(ascii: "0") || position == first + 1 else {
            throw fault("a leading zero", at: first)
        }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard takeDigits() else { throw fault("a fraction without digits") }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard takeDigits() else { throw fault("an exponent without digits") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw fault("a number out of range", at: start) }
        return .double(value)
    }

    private mutating func takeDigits() -> Bool {
        let start = position
        while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position > start
    }

    // MARK: - Strings

    private mutating func string() throws(ArchiveError) -> String {
        let start = position
        position += 1
        var run = position
        var decoded: [UInt8] = []
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                let isWhole = decoded.isEmpty
                if !isWhole { decoded += bytes[run..<position] }
                let text =
                    isWhole
                    ? String(validating: bytes[run..<position], as: UTF8.self)
                    : String(validating: decoded, as: UTF8.self)
                guard let text else { throw fault("a string that is not UTF-8", at: start) }
                position += 1
                return text
            case UInt8(ascii: "\\"):
                decoded += bytes[run..<position]
                try unescape(into: &decoded)
                run = position
            case 0..<0x20: throw fault("a control character in a string")
            default: position += 1
            }
        }
        throw fault("a string without an end", at: start)
    }

    private mutating func unescape(into decoded: inout [UInt8]) throws(ArchiveError) {
        let start = position
        position += 1
        let byte = peek()
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(bytes[start + 1])
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            guard let unit = takeUnit() else { throw fault("an escape without four digits", at: start) }
            decoded += scalar(unit).utf8
        default: throw fault("an unknown escape", at: start)
        }
    }

    /// Returns the scalar of a unit of UTF-16, with the following one if they are a pair.
    private mutating func scalar(_ unit: UInt16) -> Unicode.Scalar {
        if let scalar = Unicode.Scalar(unit) { return scalar }
        let after = position
        if UTF16.isLeadSurrogate(unit), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let low = takeUnit(),
            UTF16.isTrailSurrogate(low)
        {
            let value = 0x10000 + UInt32(unit & 0x3FF) << 10 + UInt32(low & 0x3FF)
            if let scalar = Unicode.Scalar(value) { return scalar }
        }
        position = after
        return "\u{FFFD}"
    }

    private mutating func takeUnit() -> UInt16? {
        guard bytes.count - position >= 4 else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }

    // MARK: - Bytes

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipBlanks() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func fault(_ fault: String, at place: Int? = nil) -> ArchiveError {
        ArchiveError(.damaged, "not JSON: \(fault)", offset: UInt64(place ?? min(position, bytes.count)))
    }

    private func limit(_ fault: String) -> ArchiveError {
        ArchiveError(.limitExceeded, "a JSON text has \(fault)", offset: UInt64(position))
    }
}
