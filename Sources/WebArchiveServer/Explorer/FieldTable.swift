// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// A table of header fields. Bytes that are not text are shown as Latin-1, as in earlier HTTP.
struct FieldTable {
    /// The heading above the table, which is not escaped.
    let title: String
    /// The fields in the order of the archive.
    let fields: HeaderFields

    /// The maximum number of shown fields; more are for programs.
    private static let maximumFieldCount = 200

    /// The heading and the table; empty without fields. The first 200 fields are shown, and the number of the others.
    var html: String {
        guard !fields.isEmpty else { return "" }
        let rows = fields.prefix(Self.maximumFieldCount).map { field in
            "<tr><th scope=\"row\">\(Self.text(field.nameBytes, 200))</th><td>\(Self.text(field.valueBytes, 4000))</td></tr>\n"
        }
        let more = fields.count - rows.count
        return """
            <h2>\(title)</h2>
            <table class="facts">
            <tr><th scope="col">Name</th><th scope="col">Value</th></tr>
            \(rows.joined())</table>
            \(more > 0 ? "<p>And \(SizeFormat.count(more)) more.</p>\n" : "")
            """
    }

    /// Returns bytes as escaped text, truncated to a number of Unicode scalars: as UTF-8 if they are, otherwise as
    /// Latin-1.
    private static func text(_ bytes: [UInt8], _ limit: Int) -> String {
        let isText = String(validating: bytes, as: UTF8.self) != nil
        return ArchivedText.html(
            isText ? String(untrusted: bytes) : EntryDescription.latin1(bytes), atMost: limit)
    }
}
