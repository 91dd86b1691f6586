// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The text of the specification, to hold names and numbers against.
enum SpecificationText {
    static let lines: [String] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try? String(contentsOf: root.appendingPathComponent("Spec/webarc-1.md"), encoding: .utf8)
        return (text ?? "").components(separatedBy: "\n")
    }()

    /// The lines from the heading that starts with `heading` to the next one of its rank or a higher one.
    static func section(_ heading: String) -> [String] {
        guard let start = lines.firstIndex(where: { $0.hasPrefix(heading) }) else { return [] }
        let rank = heading.prefix { $0 == "#" }.count
        return Array(
            lines[(start + 1)...].prefix { line in
                let signs = line.prefix { $0 == "#" }.count
                return signs == 0 || signs > rank
            })
    }

    /// The cells of the rows of the tables in `lines`, without the rows that are rules.
    static func rows(_ lines: [String]) -> [[String]] {
        lines.filter { $0.hasPrefix("|") && !$0.hasPrefix("|-") && !$0.hasPrefix("| --") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }
}
