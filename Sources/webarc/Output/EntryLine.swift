// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// An entry as a line of `ls --long`.
struct EntryLine {
    let text: String

    init(_ entry: ArchiveEntry) throws(ArchiveError) {
        let (method, outline) = (try entry.outlinedMethod, try entry.outline)
        let captured = try entry.time
        let time = if let captured { captured } else { try entry.modified }
        let columns = [
            Self.letter(try entry.role), PrintableText.column(time.map(Timestamp.text) ?? "-", 20),
            PrintableText.column(outline.map { String($0.status) } ?? "-", 3),
            PrintableText.column(PrintableText.escaped(method), 4),
            PrintableText.column(try entry.body.map { String($0.length) } ?? "-", 10, rightAligned: true),
            PrintableText.column(PrintableText.escaped(outline?.mediaType ?? "-"), 24),
            PrintableText.escaped(try entry.url),
        ]
        let target = try entry.redirectTarget.map { " -> \(PrintableText.escaped($0))" } ?? ""
        text = columns.joined(separator: " ") + target
    }

    private static func letter(_ role: ArchiveEntry.Role) -> String {
        switch role {
        case .exchange: "-"
        case .alias: "a"
        case .unpackOnly: "u"
        case .withoutBody: "w"
        }
    }
}
