// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebarcCommandLine

/// The findings of a verifier, for a person and for a program.
struct VerificationReport {
    let file: String
    let findings: [VerificationFinding]
    var reader: ArchiveReader?
    /// Whether the bodies were left out.
    var isQuick = false
    /// Why the archive could not be opened.
    var failure: ArchiveError.Code?

    var isIntact: Bool { !findings.contains { $0.severity == .error } }

    func print(isQuiet: Bool) throws(ArchiveError) {
        for finding in findings {
            var line = "\(file): \(finding.severity.rawValue): \(finding.message)"
            if let url = finding.url { line += ": \(url)" }
            let others = finding.affectedURLCount - (finding.url == nil ? 0 : 1)
            if others > 0 {
                line += finding.url == nil ? ", of \(SizeFormat.count(others, "URL"))" : " and \(others) more"
            }
            if let offset = finding.offset { line += " (byte \(offset))" }
            try StandardOutput.shared.line(PrintableText.escaped(line))
        }
        if !isQuiet { try StandardOutput.shared.line(PrintableText.escaped("\(file): \(verdict)")) }
    }

    private var verdict: String {
        let errors = findings.count { $0.severity == .error }
        let warnings = findings.count - errors
        var parts = [!isIntact ? "damaged" : isQuick ? "index intact" : "intact"]
        if errors > 0 { parts.append(SizeFormat.count(errors, "error")) }
        if warnings > 0 { parts.append(SizeFormat.count(warnings, "warning")) }
        if let reader {
            parts.append(SizeFormat.count(reader.entryCount, "entry", "entries"))
            parts.append(SizeFormat.count(reader.bodyCount, "body", "bodies"))
        }
        return parts.joined(separator: ", ") + (isQuick ? "; bodies not checked" : "")
    }

    var json: JSONValue {
        [
            "file": .string(file), "intact": .bool(isIntact), "code": .text(failure?.rawValue),
            "entries": .number(reader?.entryCount), "bodies": .number(reader?.bodyCount),
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
