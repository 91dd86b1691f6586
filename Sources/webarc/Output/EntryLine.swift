// SPDX-License-Identifier: Apache-2.0

import WebArchive

/// An entry as a line of `ls --long`.
struct EntryLine {
    let text: String

    init(_ entry: ArchiveEntry) throws(ArchiveError) {
        let (request, answer) = (try entry.request, try entry.answer)
        let time = try entry.time ?? answer?.modified
        let columns = [
            Self.letter(try entry.role), PrintableText.column(time.map(Timestamp.text) ?? "-", 20),
            PrintableText.column(answer.map { String($0.status) } ?? "-", 3),
            PrintableText.column(PrintableText.escaped(request.method), 4),
            PrintableText.column(try entry.body.map { String($0.length) } ?? "-", 10, rightAligned: true),
            PrintableText.column(PrintableText.escaped(answer?.mediaType ?? "-"), 24),
            PrintableText.escaped(request.url),
        ]
        let target = (answer?.redirectTarget).map { " -> \(PrintableText.escaped($0))" } ?? ""
        text = columns.joined(separator: " ") + target
    }

    private static func letter(_ role: ArchiveEntry.Role) -> String {
        switch role {
        case .exchange: "-"
        case .alias: "a"
        case .unpackOnly: "u"
        }
    }
}
