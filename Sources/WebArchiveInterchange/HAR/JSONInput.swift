// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// A reader of a JSON text (RFC 8259) of any length, from front to back: only the present value is in memory.
///
/// An error has its offset, and ``skipItem(in:_:)`` continues behind it.
final class JSONInput {
    /// A container that has begun.
    private struct Container {
        let isObject: Bool
        var isFirst = true
    }

    private let input: BufferedInput
    private var window: [UInt8] = []
    private var position = 0
    /// The offset in the file of the window.
    private var windowOffset: UInt64 = 0
    private var containers: [Container] = []
    /// Whether the next byte belongs to a string.
    private var isInString = false
    /// The name of a member that was read already, without the colon after it.
    private var pendingName: String?
    /// The offset of the first token behind the last comma.
    private var offsetBehindComma: UInt64 = 0

    /// The maximum number of containers in each other.
    private static let maximumDepth = 64
    /// The maximum length of a number, in bytes.
    private static let maximumNumberLength = 512
    /// The number of bytes of a string beyond which they are passed on.
    private static let pieceLength = 1 << 16

    /// A function that is called with the number of bytes of each window, and the number of bytes of the file that were read so far.
    private let charge: (Int, UInt64) throws(ArchiveError) -> Void

    init(
        _ input: BufferedInput, charge: @escaping (Int, UInt64) throws(ArchiveError) -> Void = { _, _ in }
    ) { (self.input, self.charge) = (input, charge) }

    /// The name of the file, for errors.
    var name: String { input.name }
    /// The offset of the next byte in the file, or in the decoded bytes of a compressed one.
    var offset: UInt64 { windowOffset + UInt64(position) }
    /// The number of containers that have begun.
    var depth: Int { containers.count }

    // MARK: - Bytes

    /// Returns the next byte without consuming it; nil at the end.
    ///
    /// - Throws: `io`.
    private func peek() throws(ArchiveError) -> UInt8? {
        if position == window.count {
            let next = try input.peek(BufferedInput.maximumPeek)
            guard !next.isEmpty else { return nil }
            windowOffset += UInt64(window.count)
            (window, position) = (Array(next), 0)
            input.consume(window.count)
            try charge(window.count, input.readLength)
        }
        return window[position]
    }

    /// Consumes the next byte.
    ///
    /// - Throws: `truncated` at the end.
    private func take() throws(ArchiveError) -> UInt8 {
        guard let byte = try peek() else { throw cutOff() }
        position += 1
        return byte
    }

    /// Returns the next byte that is not white space (RFC 8259 section 2), without consuming it.
    private func peekToken() throws(ArchiveError) -> UInt8 {
        while let byte = try peek() {
            guard Self.isBlank(byte) else { return byte }
            position += 1
        }
        throw cutOff()
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private func cutOff() -> ArchiveError {
        ArchiveError(.truncated, "the JSON text is cut off", path: input.name, offset: offset)
    }

    /// Returns an error at the next byte.
    func damaged(_ message: String) -> ArchiveError {
        ArchiveError(.damaged, message, path: input.name, offset: offset)
    }

    /// Consumes a byte order mark, if there is one.
    func skipByteOrderMark() throws(ArchiveError) {
        guard try peek() == 0xEF, window[position...].starts(with: [0xEF, 0xBB, 0xBF]) else { return }
        position += 3
    }

    /// Checks that nothing but white space follows.
    func finish() throws(ArchiveError) {
        while let byte = try peek() {
            guard Self.isBlank(byte) else { throw damaged("bytes after the JSON text") }
            position += 1
        }
    }

    // MARK: - Containers

    /// Returns whether the next value is an object.
    func isObjectNext() throws(ArchiveError) -> Bool { try peekToken() == UInt8(ascii: "{") }
    /// Returns whether the next value is an array.
    func isArrayNext() throws(ArchiveError) -> Bool { try peekToken() == UInt8(ascii: "[") }
    /// Returns whether the next value is a string.
    func isStringNext() throws(ArchiveError) -> Bool { try peekToken() == UInt8(ascii: "\"") }

    /// Consumes the beginning of an object.
    func beginObject() throws(ArchiveError) { try begin(UInt8(ascii: "{"), "an object") }
    /// Consumes the beginning of an array.
    func beginArray() throws(ArchiveError) { try begin(UInt8(ascii: "["), "an array") }

    private func begin(_ mark: UInt8, _ name: String) throws(ArchiveError) {
        guard try peekToken() == mark else { throw damaged("\(name) should begin here") }
        guard containers.count < Self.maximumDepth else {
            throw damaged("more than \(Self.maximumDepth) levels of JSON")
        }
        position += 1
        containers.append(Container(isObject: mark == UInt8(ascii: "{")))
    }

    /// Consumes the name of the next member of the innermost object; nil, and its end, after the last one.
    ///
    /// - Parameter limit: the maximum length of the name, in bytes.
    func nextMember(limit: Int = 1 << 16) throws(ArchiveError) -> String? {
        var name = pendingName
        pendingName = nil
        if name == nil {
            guard try next(end: UInt8(ascii: "}")) else { return nil }
            guard try peekToken() == UInt8(ascii: "\"") else { throw damaged("the name of a member should begin here") }
            name = try string(limit: limit)
        }
        guard try peekToken() == UInt8(ascii: ":") else { throw damaged("a member without a colon") }
        position += 1
        return name?.streamSafe
    }

    /// Moves to the next item of the innermost array; false, and its end, after the last one.
    func nextItem() throws(ArchiveError) -> Bool { try next(end: UInt8(ascii: "]")) }

    private func next(end: UInt8) throws(ArchiveError) -> Bool {
        let byte = try peekToken()
        let isFirst = containers[containers.count - 1].isFirst
        containers[containers.count - 1].isFirst = false
        if byte == end {
            position += 1
            containers.removeLast()
            return false
        }
        guard !isFirst else { return true }
        guard byte == UInt8(ascii: ",") else { throw damaged("a comma should be here") }
        position += 1
        _ = try peekToken()
        offsetBehindComma = offset
        return true
    }

    // MARK: - Values

    /// Reads a value. Its containers are counted against a budget.
    ///
    /// - Parameter budget: the number of bytes of memory that may still be taken.
    func value(_ budget: inout Int) throws(ArchiveError) -> JSONValue {
        budget -= 64
        guard budget > 0 else { throw damaged("too much JSON at one place") }
        switch try peekToken() {
        case UInt8(ascii: "{"):
            try beginObject()
            var members: [JSONValue.Member] = []
            while let name = try nextMember() {
                budget -= name.utf8.count
                members.append(JSONValue.Member(name: name, value: try value(&budget)))
            }
            return .object(members)
        case UInt8(ascii: "["):
            try beginArray()
            var items: [JSONValue] = []
            while try nextItem() { items.append(try value(&budget)) }
            return .array(items)
        case UInt8(ascii: "\""):
            let text = try string(limit: min(budget, FormatLimits.maximumStringLength))
            budget -= text.utf8.count
            return .string(text)
        default: return try scalar()
        }
    }

    /// Consumes a value.
    func skipValue() throws(ArchiveError) {
        let depth = containers.count
        repeat {
            if containers.count > depth {
                let isObject = containers[containers.count - 1].isObject
                guard try isObject ? nextMember() != nil : nextItem() else { continue }
            }
            switch try peekToken() {
            case UInt8(ascii: "{"): try beginObject()
            case UInt8(ascii: "["): try beginArray()
            case UInt8(ascii: "\""): try string { _ in }
            default: _ = try scalar()
            }
        } while containers.count > depth
    }

    /// Reads a number, or one of the three words.
    private func scalar() throws(ArchiveError) -> JSONValue {
        _ = try peekToken()
        var bytes: [UInt8] = []
        while let byte = try peek(), !Self.isBlank(byte), !",:]}[{\"".utf8.contains(byte) {
            guard bytes.count < Self.maximumNumberLength else { throw damaged("a number of too many digits") }
            bytes.append(byte)
            position += 1
        }
        // A number may continue behind the end.
        if try peek() == nil { throw cutOff() }
        do throws(ArchiveError) {
            return try JSONText.value(bytes)
        } catch {
            throw damaged("no value of JSON is here")
        }
    }

    // MARK: - Strings

    /// Reads a string. Bytes that are not UTF-8, and surrogates without their counterparts, become U+FFFD.
    ///
    /// - Parameter limit: the maximum length, in bytes.
    /// - Throws: `damaged` for a longer one.
    func string(limit: Int) throws(ArchiveError) -> String {
        var bytes: [UInt8] = []
        try string { piece throws(ArchiveError) in
            guard bytes.count + piece.count <= limit else { throw damaged("a string of more than \(limit) bytes") }
            bytes += piece
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a string piece by piece, as UTF-8. Bytes of the file that are not UTF-8 stay as they are.
    func string(_ emit: ([UInt8]) throws(ArchiveError) -> Void) throws(ArchiveError) {
        guard try take() == UInt8(ascii: "\"") else { throw damaged("a string should begin here") }
        isInString = true
        var piece: [UInt8] = []
        // The first half of a character beyond U+FFFF.
        var high: UInt32?
        func endHalf() {
            if high != nil { Self.append(0xFFFD, to: &piece) }
            high = nil
        }
        while true {
            if piece.count >= Self.pieceLength {
                try emit(piece)
                piece.removeAll(keepingCapacity: true)
            }
            guard let byte = try peek() else { throw cutOff() }
            switch byte {
            case UInt8(ascii: "\""):
                endHalf()
                position += 1
                isInString = false
                return try emit(piece)
            case UInt8(ascii: "\\"):
                position += 1
                let unit = try escaped()
                if let first = high, (0xDC00...0xDFFF).contains(unit) {
                    high = nil
                    Self.append(0x10000 + (first - 0xD800) << 10 + (unit - 0xDC00), to: &piece)
                    continue
                }
                endHalf()
                if (0xD800...0xDBFF).contains(unit) { high = unit } else { Self.append(unit, to: &piece) }
            case ..<0x20: throw damaged("a control character in a string")
            default:
                endHalf()
                let rest = window[position...]
                let end = rest.firstIndex { $0 == 0x22 || $0 == 0x5C || $0 < 0x20 } ?? rest.endIndex
                position = end
                piece += rest[..<end]
            }
        }
    }

    /// Appends a scalar as UTF-8; U+FFFD for a lone surrogate.
    private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        if scalar < 0x80 {
            bytes.append(UInt8(scalar))
        } else {
            bytes += String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8
        }
    }

    /// Returns the UTF-16 unit of an escape, behind its backslash. RFC 8259 section 7.
    private func escaped() throws(ArchiveError) -> UInt32 {
        switch try take() {
        case UInt8(ascii: "\""): return 0x22
        case UInt8(ascii: "\\"): return 0x5C
        case UInt8(ascii: "/"): return 0x2F
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"):
            var unit: UInt32 = 0
            for _ in 0..<4 {
                guard let byte = try peek() else { throw cutOff() }
                guard let digit = PercentEncoding.hexValue(byte) else { throw damaged("an invalid escape in a string") }
                position += 1
                unit = unit << 4 | UInt32(digit)
            }
            return unit
        default:
            position -= 1
            throw damaged("an invalid escape in a string")
        }
    }

    // MARK: - Damage

    /// Continues behind an error in an item of an array: where the item ends, or where a next one seems to begin.
    ///
    /// If the error is one of quotes or brackets, the end of the item cannot be found. A comma, a brace and a quoted name that began other
    /// items is a beginning all the same: within a string its quotes would be escaped.
    ///
    /// - Parameters:
    ///   - depth: the number of containers, the array included.
    ///   - names: the names of members with which items begin.
    /// - Returns: whether an item began, with the name of its first member; otherwise the end of the array or another item comes.
    /// - Throws: `truncated` at the end, `io`.
    func skipItem(in depth: Int, _ names: Set<String>) throws(ArchiveError) -> Bool {
        var open = containers.count - depth
        containers.removeLast(max(0, open))
        pendingName = nil
        var beginning = ItemBeginning(isBehindComma: offset == offsetBehindComma && !isInString)
        var isEscaped = false
        while true {
            let byte = try take()
            if let name = beginning.add(byte), names.contains(name) {
                isInString = false
                containers.append(Container(isObject: true, isFirst: false))
                pendingName = name
                return true
            }
            if isInString {
                // No string of JSON continues in the next line.
                if byte == 0x0A || byte == UInt8(ascii: "\"") && !isEscaped { isInString = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                continue
            }
            if open <= 0, byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") {
                position -= 1
                return false
            }
            switch byte {
            case UInt8(ascii: "\""): (isInString, isEscaped) = (true, false)
            case UInt8(ascii: "{"), UInt8(ascii: "["): open += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                open -= 1
                if open <= 0 { return false }
            default: break
            }
        }
    }
}

/// The recognition of the beginning of an item: a comma, a brace and a quoted name, with white space between them.
private struct ItemBeginning {
    private var step = 0
    private var name: [UInt8] = []

    init(isBehindComma: Bool) { if isBehindComma { step = 1 } }

    /// Adds a byte; returns the name if it ends one.
    mutating func add(_ byte: UInt8) -> String? {
        switch (step, byte) {
        case (3, UInt8(ascii: "\"")):
            step = 0
            return String(decoding: name, as: UTF8.self)
        case (3, _) where name.count < 64: name.append(byte)
        case (1...2, 0x20), (1...2, 0x0A), (1...2, 0x0D), (1...2, 0x09): break
        case (1, UInt8(ascii: "{")): step = 2
        case (2, UInt8(ascii: "\"")): (step, name) = (3, [])
        case (_, UInt8(ascii: ",")): step = 1
        default: step = 0
        }
        return nil
    }
}
