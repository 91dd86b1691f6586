// SPDX-License-Identifier: Apache-2.0

/// A request field on which a stored response depends and in which the request differs from the one that was stored.
public struct VaryDifference: Hashable, Sendable, CustomStringConvertible {
    /// The field's name as `Vary` has it, or `*`, which no request fits.
    public let field: String
    /// The value that is asked with; nil without the field.
    public let asked: String?
    /// The value that was stored; nil without the field.
    public let stored: String?

    public var description: String {
        if field == "*" { return "Vary: * fits no request" }
        return
            "\(field) is \(asked.map { "\"\($0)\"" } ?? "absent"), stored with \(stored.map { "\"\($0)\"" } ?? "none")"
    }
}

/// The fields of a request by their names, as stored responses with a `Vary` field are compared with them (RFC 9111 section 4.1).
///
/// The fields are looked through once, and each value is brought into its compared form once, however many names and captures follow.
package final class VaryingFields {
    private let all: HeaderFields
    /// By their names in lower case; few responses vary, so that this is made when one does.
    private lazy var fields: [[UInt8]: HeaderFields] = all.reduce(into: [:]) { fields, field in
        fields[field.nameBytes.map(\.lowercasedASCII), default: []].append(field)
    }
    private var known: [String: String?] = [:]
    /// The fields of stored requests that were compared with these, by their rows: captures by the hundred may have the same.
    private var stored = RecentValues<RowPlace, VaryingFields>(capacity: 64)

    package init(_ fields: HeaderFields) { all = fields }

    /// - Parameter name: in lower case.
    fileprivate subscript(name: String) -> String? {
        if let value = known[name] { return value }
        let value = fields[Array(name.utf8)]?.normalised(name)
        known[name] = .some(value)
        return value
    }

    /// The fields of the request of an entry.
    fileprivate func fields(of entry: ArchiveEntry) throws(ArchiveError) -> VaryingFields {
        guard let row = try entry.archive.index.row(.entryRequest, entry.place) else { return VaryingFields([]) }
        if let known = stored[row] { return known }
        let fields = VaryingFields(try entry.request.headers)
        stored[row] = fields
        return fields
    }
}

extension ArchiveEntry {
    /// The first field in which a request differs where the response depends on it (RFC 9111 section 4.1); nil if it fits.
    package func varyDifference(from asked: VaryingFields) throws(ArchiveError) -> VaryDifference? {
        try variance(from: asked).difference
    }

    /// Whether the response depends on any field of the request, and the first field in which the request differs.
    func variance(
        from asked: VaryingFields
    ) throws(ArchiveError) -> (dependsOnFields: Bool, difference: VaryDifference?) {
        guard let (keys, row) = try answerRow,
            let vary = try HeaderDecoder(index: archive.index, entry: place)
                .answerFields(row, keys, named: "Vary")["Vary"]
        else { return (false, nil) }
        let dependsOnFields = VaryDifference.comparedNames(vary)?.isEmpty != true
        return (dependsOnFields, VaryDifference(vary: vary, stored: try asked.fields(of: self), asked: asked))
    }
}

extension VaryDifference {
    /// Whether the values are the same, byte by byte.
    private var isNone: Bool {
        switch (asked, stored) {
        case (nil, nil): true
        case (let asked?, let stored?): asked.hasSameBytes(as: stored)
        default: false
        }
    }

    /// Names in a `Vary` value that are compared.
    package static let maximumNameCount = 64
    /// Length of a `Vary` value whose names are compared, in bytes.
    package static let maximumLength = 4096

    /// The names in a `Vary` value that are compared, as they are spelled there; nil for one that no request fits.
    ///
    /// A value of more than ``maximumNameCount`` names or ``maximumLength`` bytes counts as `*`: no server sends one.
    fileprivate static func comparedNames(_ vary: String) -> [String]? {
        let parts = vary.utf8.count > maximumLength ? nil : vary.split(separator: ",")
        guard let parts, parts.count <= maximumNameCount else { return nil }
        // Bodies are stored decoded, so the coding that was asked for says nothing.
        var known: Set = ["", "accept-encoding"]
        return parts.map { String($0.trimmingOptionalWhitespace) }.filter { known.insert($0.asciiLowercased).inserted }
    }

    /// The first of the fields that a `Vary` value names in which two requests differ; nil if they are the same to it.
    package init?(vary: String, stored: VaryingFields, asked: VaryingFields) {
        guard let names = Self.comparedNames(vary) else {
            self.init(field: "*", asked: nil, stored: nil)
            return
        }
        for name in names {
            let lowercased = name.asciiLowercased
            let difference = VaryDifference(
                field: name, asked: asked[lowercased], stored: stored[lowercased])
            if name == "*" || !difference.isNone {
                self = difference
                return
            }
        }
        return nil
    }
}

extension HeaderFields {
    /// All values of a name as one list, without the whitespace around its elements that means nothing.
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
