// SPDX-License-Identifier: Apache-2.0

/// The content of a request as a tree, for comparison with another one. Specification section 8.5, "Similar content".
indirect enum ContentTree {
    /// A value without parts.
    enum ContentLeaf: Hashable {
        case null
        case bool(Bool)
        /// A number that is an integer of 64 bits, however it is written.
        case integer(Int64)
        case double(Double)
        case string([UInt8])
    }

    case leaf(ContentLeaf)
    case array([ContentTree])
    case object([[UInt8]: ContentTree])

    /// The number of leaves, arrays and objects.
    var valueCount: Int {
        switch self {
        case .leaf: 1
        case .array(let items): items.reduce(1) { $0 + $1.valueCount }
        case .object(let members): members.values.reduce(1) { $0 + $1.valueCount }
        }
    }

    /// The maximum number of leaves, arrays and objects of a tree.
    private static let maximumCount = 4096

    /// Reads content by its media type.
    ///
    /// - Parameter contentType: the value of the field `Content-Type`.
    /// - Returns: the tree; nil for content of a type that is not compared, or that is not in the form of its type.
    init?(_ bytes: [UInt8], contentType: String) {
        guard bytes.count <= MatchRequest.maximumContentLength,
            let type = ContentTypeValue.parts(of: contentType).mediaType
        else {
            return nil
        }
        switch type {
        case "application/x-www-form-urlencoded": self.init(fields: Self.formFields(bytes[...]))
        case "multipart/form-data": self.init(fields: MultipartContent(bytes, contentType: contentType)?.fields)
        case "application/json", "text/json", "text/plain": self.init(json: bytes)
        default:
            guard type.hasSuffix("+json") else { return nil }
            self.init(json: bytes)
        }
    }

    // MARK: - JSON

    private init?(json bytes: [UInt8]) {
        var limits = JSONText.Limits()
        limits.values = Self.maximumCount
        guard let value = try? JSONText.value(bytes, limits: limits), let tree = ContentTree(value) else { return nil }
        if case .leaf = tree { return nil }
        self = tree
    }

    /// Returns nil if an object has two members of one name.
    private init?(_ value: JSONValue) {
        switch value {
        case .null: self = .leaf(.null)
        case .bool(let value): self = .leaf(.bool(value))
        case .integer(let value): self = .leaf(.integer(value))
        case .double(let value): self = .leaf(Int64(exactly: value).map(ContentLeaf.integer) ?? .double(value))
        case .string(let text): self = .leaf(.string(Array(text.utf8)))
        case .array(let items):
            let trees = items.compactMap { ContentTree($0) }
            guard trees.count == items.count else { return nil }
            self = .array(trees)
        case .object(let members):
            var trees: [[UInt8]: ContentTree] = [:]
            for member in members {
                guard let tree = ContentTree(member.value),
                    trees.updateValue(tree, forKey: Array(member.name.utf8)) == nil
                else { return nil }
            }
            self = .object(trees)
        }
    }

    // MARK: - Forms

    /// A field of a form.
    struct FormField {
        let name: [UInt8]
        let value: [UInt8]
    }

    private init?(fields: [FormField]?) {
        guard let fields, fields.count < Self.maximumCount else { return nil }
        var values: [[UInt8]: [ContentTree]] = [:]
        for field in fields { values[field.name, default: []].append(.leaf(.string(field.value))) }
        guard 1 + values.count + fields.count <= Self.maximumCount else { return nil }
        self = .object(values.mapValues { .array($0) })
    }

    private static func formFields(_ bytes: ArraySlice<UInt8>) -> [FormField] {
        bytes.split(separator: .ascii("&")).map { parameter in
            let name = parameter.prefix { $0 != .ascii("=") }
            return FormField(name: formText(name), value: formText(parameter.dropFirst(name.count + 1)))
        }
    }

    private static func formText(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let spaced = text.map { $0 == .ascii("+") ? .ascii(" ") : $0 }
        var decoded: [UInt8] = []
        PercentEncoding.appendDecoded(spaced[...], to: &decoded)
        return decoded
    }
}
