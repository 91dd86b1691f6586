// SPDX-License-Identifier: Apache-2.0

/// The value of a `Content-Type` field: a media type and its parameters (RFC 9110 section 8.3.1).
///
/// ```swift
/// let type = try ContentTypeValue(parsing: "Text/HTML; Charset=\"utf-8\"")
/// print(type.essence, type.charset ?? "", type)  // text/html utf-8 text/html; charset=utf-8
/// ```
public struct ContentTypeValue: Sendable, Hashable, CustomStringConvertible {
    /// The maximum length of a value, in bytes.
    public static let lengthLimit = 8_192
    /// The maximum number of parameters.
    public static let parameterLimit = 64

    /// A value that cannot be read or written.
    public enum Failure: Error, Sendable, Hashable {
        /// The value exceeds one of the limits, ``lengthLimit`` or ``parameterLimit``.
        case tooLong
        /// The media type is not of the form `type/subtype`, two tokens.
        case mediaType
        /// A parameter is not of the form `name=token` or `name="text"`.
        case parameter
    }

    /// A parameter (RFC 9110 section 5.6.6).
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public let name: String
        /// The value, without quotes and escapes, in its original case.
        public let value: String
    }

    /// The media type without parameters, in lower case.
    public let essence: String
    /// The parameters in order. Of several with one name the first counts (WHATWG MIME Sniffing, "parse a MIME type"),
    /// and the others are not here.
    public private(set) var parameters: [Parameter]

    /// Reads a field value.
    ///
    /// Empty parameters (`text/html;`) are allowed by RFC 9110 section 5.6.6 and dropped. Whitespace around semicolons
    /// is dropped, around "=" it is a fault.
    ///
    /// - Parameter text: the field's value, at most ``lengthLimit`` bytes.
    /// - Throws: ``Failure`` for a malformed value or one beyond a limit.
    public init(parsing text: String) throws(Failure) {
        guard text.utf8.count <= Self.lengthLimit else { throw .tooLong }
        var scanner = Scanner(rest: Array(text.utf8)[...])
        scanner.skipBlanks()
        let type = scanner.token()
        guard !type.isEmpty, scanner.take(UInt8(ascii: "/")) else { throw .mediaType }
        let subtype = scanner.token()
        guard !subtype.isEmpty else { throw .mediaType }
        essence = String(untrusted: (type + [UInt8(ascii: "/")] + subtype).asciiLowercased)

        var parameters: [Parameter] = []
        scanner.skipBlanks()
        while scanner.take(UInt8(ascii: ";")) {
            scanner.skipBlanks()
            let name = scanner.token()
            if name.isEmpty { continue }
            guard scanner.take(UInt8(ascii: "=")) else { throw .parameter }
            let value = try scanner.value()
            scanner.skipBlanks()
            let key = String(untrusted: name.asciiLowercased)
            guard !parameters.contains(where: { $0.name == key }) else { continue }
            guard parameters.count < Self.parameterLimit else { throw .tooLong }
            parameters.append(Parameter(name: key, value: String(untrusted: value)))
        }
        guard scanner.rest.isEmpty else { throw .parameter }
        self.parameters = parameters
    }

    /// Reads a field value as browsers do (WHATWG MIME Sniffing, "parse a MIME type"): a parameter that is malformed is skipped.
    ///
    /// - Returns: the text before the first semicolon in lower case, nil if that is empty; and the first `charset` that can be read, in
    ///   lower case.
    package static func parts(of text: String) -> (mediaType: String?, charset: String?) {
        let end = text.utf8.firstIndex(of: UInt8(ascii: ";")) ?? text.endIndex
        let type = text[..<end].trimmingOptionalWhitespace
        let mediaType = type.isEmpty ? nil : String(type).asciiLowercased
        var scanner = Scanner(rest: Array(text.utf8[end...])[...])
        while scanner.take(UInt8(ascii: ";")) {
            scanner.skipBlanks()
            let name = scanner.token()
            if scanner.take(UInt8(ascii: "=")), let value = try? scanner.value(), !value.isEmpty,
                name.asciiLowercased.elementsEqual("charset".utf8)
            {
                return (mediaType, String(untrusted: value).asciiLowercased)
            }
            scanner.skip(to: UInt8(ascii: ";"))
        }
        return (mediaType, nil)
    }

    /// The `charset` parameter in lower case, or nil (RFC 9110 section 8.3.2). It need not name a known encoding.
    public var charset: String? { parameters.first { $0.name == "charset" }?.value.asciiLowercased }

    /// Returns the same value with a different `charset`, which is last if there was none.
    ///
    /// - Parameter label: a token, kept in its case.
    /// - Throws: ``Failure/parameter`` if the label is not a token.
    public func with(charset label: String) throws(Failure) -> ContentTypeValue {
        guard !label.isEmpty, label.utf8.allSatisfy(FieldText.isTokenByte) else { throw .parameter }
        var copy = self
        let parameter = Parameter(name: "charset", value: label)
        if let index = parameters.firstIndex(where: { $0.name == "charset" }) {
            copy.parameters[index] = parameter
        } else {
            copy.parameters.append(parameter)
        }
        return copy
    }

    /// The field value, in which values are quoted unless they are tokens.
    public var description: String {
        var result = essence
        for parameter in parameters {
            result += "; \(parameter.name)="
            if !parameter.value.isEmpty, parameter.value.utf8.allSatisfy(FieldText.isTokenByte) {
                result += parameter.value
            } else {
                let escaped = parameter.value.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }
                result += "\"\(escaped.joined())\""
            }
        }
        return result
    }

    private struct Scanner {
        var rest: ArraySlice<UInt8>

        mutating func skipBlanks() {
            while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest = rest.dropFirst() }
        }

        mutating func skip(to byte: UInt8) { rest = rest.drop { $0 != byte } }

        mutating func take(_ byte: UInt8) -> Bool {
            guard rest.first == byte else { return false }
            rest = rest.dropFirst()
            return true
        }

        mutating func token() -> [UInt8] {
            let token = rest.prefix(while: FieldText.isTokenByte)
            rest = rest.dropFirst(token.count)
            return Array(token)
        }

        /// Reads a token or a quoted string (RFC 9110 section 5.6.4).
        mutating func value() throws(Failure) -> [UInt8] {
            guard take(UInt8(ascii: "\"")) else {
                let value = token()
                guard !value.isEmpty else { throw .parameter }
                return value
            }
            var value: [UInt8] = []
            while var byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") { return value }
                if byte == UInt8(ascii: "\\") {
                    guard let escaped = rest.popFirst() else { throw .parameter }
                    byte = escaped
                }
                guard byte == 0x09 || (byte >= 0x20 && byte != 0x7F) else { throw .parameter }
                value.append(byte)
            }
            throw .parameter
        }
    }
}
