// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebarcCommandLine

/// The findings of a verifier, for a person and for a program.
struct VerificationReport {
    let file: String
    let findings: [VerificationFinding]
    var reader: ArchiveReader?
    /// Whether the bodies were not checked.
    var isQuick = false
    /// The reason why the archive could not be opened.
    var failure: ArchiveError.Code?

    var isIntact: Bool { !findings.contains { $0.severity == .error } }

    func print(isQuiet: Bool) throws(ArchiveError) {
        for finding in findings {
            var line = "\(file): \(finding.severity.rawValue): \(finding.message)"
            let count = finding.affectedURLCount
            if count < 2, let url = finding.url { line += ": \(url)" }
            if let offset = finding.offset { line += " (byte \(offset))" }
            let isListed = !finding.affectedURLs.isEmpty
            // Their text may be damaged.
            if count > 1 {
                line += "; affects \(SizeFormat.count(count, "URL"))\(isListed ? ":" : ", which cannot be listed")"
            }
            try StandardOutput.shared.line(PrintableText.escaped(line))
            if count > 1, isListed { try printURLs(of: finding) }
        }
        if !isQuiet { try StandardOutput.shared.line(PrintableText.escaped("\(file): \(verdict)")) }
    }

    /// Prints one URL a line: all known ones, but on a terminal only the first ones.
    private func printURLs(of finding: VerificationFinding) throws(ArchiveError) {
        let urls = finding.affectedURLs
        let limit = Diagnostics.shownLines
        let shown = StandardOutput.isTerminal && urls.count > limit ? limit : urls.count
        for url in urls.prefix(shown) { try StandardOutput.shared.line("  \(PrintableText.escaped(url))") }
        let rest = finding.affectedURLCount - shown
        guard rest > 0 else { return }
        let advice = shown < urls.count ? "a pipe or --json gets them" : "too many to be listed"
        try StandardOutput.shared.line("  and \(SizeFormat.count(rest)) more; \(advice)")
    }

    /// The number of URLs that errors affect, each counted once, as far as they are listed.
    private var affectedURLCount: Int {
        findings.reduce(into: Set<String>()) { urls, finding in
            if finding.severity == .error { urls.formUnion(finding.affectedURLs) }
        }.count
    }

    private var verdict: String {
        let errors = findings.count { $0.severity == .error }
        let warnings = findings.count - errors
        var parts = [!isIntact ? "damaged" : isQuick ? "index intact" : "intact"]
        if errors > 0 { parts.append(SizeFormat.count(errors, "error")) }
        if affectedURLCount > 0 { parts.append("\(SizeFormat.count(affectedURLCount, "URL")) affected") }
        if warnings > 0 { parts.append(SizeFormat.count(warnings, "warning")) }
        if let reader {
            parts.append(SizeFormat.count(reader.entryCount, "entry", "entries"))
            parts.append(SizeFormat.count(reader.bodyCount, "body", "bodies"))
        }
        if let statement = reader?.statement {
            let signers = statement.signers.map(\.description).joined(separator: ", ")
            parts.append("edition \(statement.sequence) of \(statement.series), signed by \(signers)")
        }
        return parts.joined(separator: ", ") + (isQuick ? "; bodies not checked" : "")
    }

    private var statement: JSONValue {
        guard let statement = reader?.statement else { return .null }
        return [
            "series": .string(statement.series), "sequence": .number(statement.sequence),
            "commit": .number(statement.commit), "time": .text(statement.time.map { Timestamp.text($0) }),
            "signers": .array(statement.signers.map { .string($0.description) }),
        ]
    }

    var json: JSONValue {
        [
            "file": .string(file), "intact": .bool(isIntact), "code": .text(failure?.rawValue),
            "entries": .number(reader?.entryCount), "bodies": .number(reader?.bodyCount),
            "statement": statement,
            "findings": .array(
                findings.map { finding in
                    [
                        "code": .string(finding.code.rawValue), "severity": .string(finding.severity.rawValue),
                        "message": .string(finding.message), "offset": .number(finding.offset),
                        "url": .text(finding.url),
                        "affectedURLs": .array(finding.affectedURLs.map { .string($0) }),
                        "affectedURLCount": .number(finding.affectedURLCount),
                    ]
                }),
        ]
    }
}
