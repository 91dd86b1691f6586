// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebarcCommandLine

/// The output of `info` for people.
struct InfoReport {
    let file: String
    let reader: ArchiveReader
    let statistics: ArchiveStatistics
    /// The maximum number of shown rows of a table.
    let rowLimit: Int

    private typealias Group = ArchiveStatistics.Group

    func print() throws(ArchiveError) {
        let summary = [
            SizeFormat.bytes(statistics.fileLength), SizeFormat.count(reader.commitCount, "commit"),
            SizeFormat.count(reader.entryCount, "entry", "entries"),
            SizeFormat.count(reader.bodyCount, "body", "bodies"),
        ]
        try line("\(file): \(summary.joined(separator: ", "))")
        if let statement = try reader.lastStatement() {
            let later = statement.isCurrent ? "" : "; later commits are not signed"
            try line(
                "signed as edition \(statement.sequence) of \(statement.series)\(later); webarc verify --key checks the signer"
            )
        }
        try printMetadata()
        try printSpace()
        try printSavings()
        try printGroups("BY MEDIA TYPE", statistics.mediaTypes)
        try printGroups("BY DIRECTORY", statistics.directories)
        if statistics.commits.count > 1 { try printCommits() }
    }

    private func line(_ text: String) throws(ArchiveError) {
        try StandardOutput.shared.line(PrintableText.escaped(text))
    }

    private func table(_ title: String, _ table: TextTable) throws(ArchiveError) {
        try StandardOutput.shared.line("")
        try line(title)
        for text in table.lines { try line(text) }
    }

    private func printMetadata() throws(ArchiveError) {
        let metadata = try reader.metadata()
        guard !metadata.isEmpty else { return }
        try StandardOutput.shared.line("")
        let width = metadata.keys.map { Self.shortened($0).count }.max() ?? 0
        for name in metadata.keys.sorted(by: { $0.precedesInBytes($1) }) {
            try line("  \(PrintableText.column(Self.shortened(name), width))  \(metadata[name] ?? "")")
        }
    }

    private func printSpace() throws(ArchiveError) {
        var rows = TextTable()
        func row(_ name: String, _ bytes: UInt64) {
            guard bytes > 0 else { return }
            rows.row(name, SizeFormat.bytes(bytes), SizeFormat.share(bytes, of: statistics.fileLength))
        }
        row("bodies", statistics.bodiesStored)
        row(SizeFormat.count(statistics.dictionaries, "dictionary", "dictionaries"), statistics.dictionariesStored)
        row("index", statistics.indexLength)
        row("checksums, tables, header", statistics.otherLength)
        row("unfinished commit, ignored", statistics.tornTail)
        try table("USE OF SPACE", rows)
    }

    private func printSavings() throws(ArchiveError) {
        let whole = statistics.all.bytes
        var rows = TextTable()
        rows.row("bodies, counted once for each use", SizeFormat.bytes(whole))
        func row(_ name: String, _ bytes: UInt64) {
            rows.row(name, SizeFormat.bytes(bytes), SizeFormat.share(bytes, of: whole))
        }
        row("saved by deduplication", statistics.savedByDeduplication)
        row("saved by compression", statistics.savedByCompression)
        if statistics.dictionaries > 0 { row("  estimated share of the dictionaries", statistics.dictionarySavings) }
        try table("SAVINGS", rows)
    }

    private func printGroups(_ title: String, _ groups: [String: ArchiveStatistics.Group]) throws(ArchiveError) {
        var rows = TextTable()
        rows.row("", "entries", "bytes", "stored", "of all")
        let sorted = ArchiveStatistics.largestFirst(groups)
        for (name, group) in sorted.prefix(rowLimit) {
            rows.row(
                Self.shortened(name), SizeFormat.count(group.entries), SizeFormat.bytes(group.bytes),
                SizeFormat.bytes(group.stored),
                SizeFormat.share(group.stored, of: statistics.bodiesStored))
        }
        try table(title, rows)
        if sorted.count > rowLimit {
            try line("  and \(SizeFormat.count(sorted.count - rowLimit)) more; --all shows them")
        }
    }

    /// Returns a shortened name: every row is as wide as the widest, and a name may have a million characters.
    private static func shortened(_ name: String) -> String {
        name.count > 200 ? "\(name.prefix(200))…" : name
    }

    private func printCommits() throws(ArchiveError) {
        var rows = TextTable()
        rows.row("", "length", "entries", "bodies")
        for commit in statistics.commits.suffix(rowLimit) {
            rows.row(
                "commit \(commit.number)", SizeFormat.bytes(commit.length), SizeFormat.count(commit.entries),
                SizeFormat.count(commit.bodies))
        }
        try table("COMMITS", rows)
    }
}

extension ArchiveStatistics {
    static func largestFirst(_ groups: [String: Group]) -> [(name: String, group: Group)] {
        groups.map { (name: $0.key, group: $0.value) }.sorted { left, right in
            if left.group.stored != right.group.stored { return left.group.stored > right.group.stored }
            return left.name.precedesInBytes(right.name)
        }
    }
}
