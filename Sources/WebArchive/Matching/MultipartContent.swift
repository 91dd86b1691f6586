// SPDX-License-Identifier: Apache-2.0

/// The content of a form of the type `multipart/form-data` (RFC 7578), split into its parts, without the boundary that a browser makes up.
struct MultipartContent {
    /// The names and bodies of the parts, in their order.
    let fields: [ContentTree.FormField]

    /// Splits content.
    ///
    /// - Returns: nil for content without a boundary or its end, and for a part without a name.
    init?(_ bytes: [UInt8], contentType: String) {
        guard let type = try? ContentTypeValue(parsing: contentType),
            let boundary = type.parameters.first(where: { $0.name == "boundary" })?.value, !boundary.isEmpty
        else { return nil }
        let mark = Array("\r\n--\(boundary)".utf8)
        // The first boundary need not follow a line break.
        let text = Array("\r\n".utf8) + bytes
        guard var start = text.firstPlace(of: mark).map({ $0 + mark.count }) else { return nil }
        var fields: [ContentTree.FormField] = []
        while !text[start...].starts(with: "--".utf8) {
            guard let end = text[start...].firstPlace(of: mark), let field = Self.field(text[start..<end]) else {
                return nil
            }
            fields.append(field)
            start = end + mark.count
        }
        self.fields = fields
    }

    /// Returns the field of a part, from the end of its boundary; nil if it has no name.
    private static func field(_ part: ArraySlice<UInt8>) -> ContentTree.FormField? {
        // Blanks may follow a boundary (RFC 2046 section 5.1.1).
        let rest = part.drop { $0 == .ascii(" ") || $0 == .ascii("\t") }
        guard rest.starts(with: "\r\n".utf8), let end = rest.firstPlace(of: endOfFields) else { return nil }
        let lines = rest[..<end].split(separator: .ascii("\n"))
        let line = lines.first { $0.prefix(disposition.count).asciiLowercased == disposition }
        guard let line, let name = name(in: line) else { return nil }
        return ContentTree.FormField(name: name, value: Array(rest[(end + endOfFields.count)...]))
    }

    private static let endOfFields = Array("\r\n\r\n".utf8)
    private static let disposition = Array("content-disposition:".utf8)
    private static let nameMark = Array("name=\"".utf8)

    private static func name(in line: ArraySlice<UInt8>) -> [UInt8]? {
        let lowercased: [UInt8] = line.asciiLowercased
        var place = 0
        while let found = lowercased[place...].firstPlace(of: nameMark) {
            place = found + nameMark.count
            // Not that of `filename="`.
            if found > 0, [.ascii(";"), .ascii(" "), .ascii("\t")].contains(lowercased[found - 1]) {
                let value = line.dropFirst(place)
                return value.firstIndex(of: .ascii("\"")).map { Array(value[..<$0]) }
            }
        }
        return nil
    }
}
