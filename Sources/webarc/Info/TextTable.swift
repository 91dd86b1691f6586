// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation

/// A text table: the first column to the left, the others to the right.
struct TextTable {
    private var rows: [[String]] = []

    mutating func row(_ cells: String...) { rows.append(cells) }

    var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                PrintableText.column(text, widths[column], rightAligned: column > 0)
            }
            return "  " + cells.joined(separator: "  ")
        }
    }
}
