// SPDX-License-Identifier: Apache-2.0

/// A request field on which a stored response depends and which differs between the request and the stored one.
///
/// Values are compared as lists: all fields of the name are joined, and whitespace around commas does not count (RFC
/// 9111 section 4.1). `Accept-Encoding` is not compared (specification section 8.5).
public struct VaryDifference: Hashable, Sendable, CustomStringConvertible {
    /// The field's name as in `Vary`; or `*`, which no request fits.
    ///
    /// It is `*` too for a `Vary` of more than 64 names or 4,096 bytes (specification section 10).
    public let field: String
    /// The value of the request, in its compared form; nil without the field.
    public let requested: String?
    /// The stored value, in its compared form; nil without the field.
    public let stored: String?

    /// The difference in words.
    public var description: String {
        if field == "*" { return "Vary: * matches no request" }
        return
            "\(field) is \(requested.map { "\"\($0)\"" } ?? "absent"), stored with \(stored.map { "\"\($0)\"" } ?? "none")"
    }
}

/// The fields of a request by their names, for comparison with stored responses with a `Vary` field (RFC 9111 section 4.1).
///
/// The fields are looked through once, and each value is brought into its compared form once, however many names and captures follow.
package final class VaryingFields {
    private let all: HeaderFields
    /// The fields by their names in lower case, computed lazily, since few responses vary.
    private lazy var fields: [[UInt8]: HeaderFields] = all.reduce(into: [:]) { fields, field in
        fields[field.nameBytes.map(\.lowercasedASCII), default: []].append(field)
    }
    private var known: [[UInt8]: String?] = [:]
    /// The fields of stored requests that were compared with these, by their rows: captures by the hundred may have the same.
    private var stored = RecentValues<RowPlace, VaryingFields>(capacity: 64)

    /// The names of the `Vary` value that was compared last: captures of one URL usually have the same.
    private var last: (vary: String, names: [VaryName]?)?

    /// Creates a table of the fields of one request. It compares nothing yet.
    package init(_ fields: HeaderFields) { all = fields }

    fileprivate subscript(name: VaryName) -> String? {
        if let value = known[name.key] { return value }
        let value = fields[name.key]?.normalised(name.spelling)
        known[name.key] = .some(value)
        return value
    }

    fileprivate func names(in vary: String) -> [VaryName]? {
        if let last, last.vary.hasSameBytes(as: vary) { return last.names }
        let names = VaryName.compared(vary)
        last = (vary, names)
        return names
    }

    /// Returns the fields of the request of an entry.
    fileprivate func fields(of entry: ArchiveEntry) throws(ArchiveError) -> VaryingFields {
        guard let row = try entry.archive.index.row(.entryRequest, entry.place) else { return VaryingFields([]) }
        if let known = stored[row] { return known }
        let fields = VaryingFields(try entry.request.headers)
        stored[row] = fields
        return fields
    }
}

extension ArchiveEntry {
    /// Returns the first field on which the response depends and in which a request differs (RFC 9111 section 4.1); nil if it fits.
    package func varyDifference(from requested: VaryingFields) throws(ArchiveError) -> VaryDifference? {
        try variance(from: requested).difference
    }

    /// Returns whether the response depends on any field of the request, and the first field in which the request differs.
    func variance(
        from requested: VaryingFields
    ) throws(ArchiveError) -> (dependsOnFields: Bool, difference: VaryDifference?) {
        guard let (keys, row) = try answerRow,
            let vary = try HeaderDecoder(index: archive.index, entry: place)
                .answerFields(row, keys, named: "Vary")["Vary"]
        else { return (false, nil) }
        // Each name costs a look into both requests.
        try archive.index.budget?.take(8 * vary.utf8.count)
        let dependsOnFields = requested.names(in: vary)?.isEmpty != true
        return (
            dependsOnFields, VaryDifference(vary: vary, stored: try requested.fields(of: self), requested: requested)
        )
    }
}

/// A name in a `Vary` value.
///
/// It is compared byte by byte: text that is not ASCII is brought into a normal form for each comparison otherwise.
private struct VaryName {
    /// The spelling in the value.
    let spelling: String
    /// The name in lower case.
    let key: [UInt8]

    /// Returns the names to compare; nil for a value that no request fits.
    ///
    /// A value of more than ``VaryDifference/maximumNameCount`` names or ``VaryDifference/maximumLength`` bytes counts
    /// as `*`: no server sends one.
    static func compared(_ vary: String) -> [VaryName]? {
        guard vary.utf8.count <= VaryDifference.maximumLength else { return nil }
        let parts = vary.utf8.split(separator: .ascii(","))
        guard parts.count <= VaryDifference.maximumNameCount else { return nil }
        // Bodies are stored decoded, so the requested coding is irrelevant.
        var known: Set<[UInt8]> = [[], Array("accept-encoding".utf8)]
        return parts.compactMap { part in
            let spelling = String(Substring(part).trimmingOptionalWhitespace)
            let key = spelling.utf8.map(\.lowercasedASCII)
            return known.insert(key).inserted ? VaryName(spelling: spelling, key: key) : nil
        }
    }
}

extension VaryDifference {
    /// Whether the values are the same, byte by byte.
    private var isNone: Bool {
        switch (requested, stored) {
        case (nil, nil): true
        case (let requested?, let stored?): requested.hasSameBytes(as: stored)
        default: false
        }
    }

    /// The maximum number of names in a `Vary` value that are compared.
    package static let maximumNameCount = 64
    /// The maximum length of a `Vary` value whose names are compared, in bytes.
    package static let maximumLength = 4096

    /// Finds the first of the fields of a `Vary` value in which two requests differ; nil if there is none.
    package init?(vary: String, stored: VaryingFields, requested: VaryingFields) {
        guard let names = requested.names(in: vary) else {
            self.init(field: "*", requested: nil, stored: nil)
            return
        }
        for name in names {
            let difference = VaryDifference(field: name.spelling, requested: requested[name], stored: stored[name])
            if name.key == [.ascii("*")] || !difference.isNone {
                self = difference
                return
            }
        }
        return nil
    }
}

extension HeaderFields {
    /// Returns all values of a name as one list, without insignificant whitespace around its elements.
    fileprivate func normalised(_ name: String) -> String? {
        guard let value = self[name] else { return nil }
        var (list, whitespace, isAtStart) = ([UInt8](), [UInt8](), true)
        list.reserveCapacity(value.utf8.count)
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: ","):
                list += ", ".utf8
                whitespace.removeAll(keepingCapacity: true)
                isAtStart = true
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                if !isAtStart { whitespace.append(byte) }
            default:
                list += whitespace
                whitespace.removeAll(keepingCapacity: true)
                list.append(byte)
                isAtStart = false
            }
        }
        return String(untrusted: list)
    }
}
