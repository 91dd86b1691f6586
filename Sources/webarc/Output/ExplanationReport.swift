// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebarcCommandLine

/// The explanation of a match, for a person and for a program.
struct ExplanationReport {
    let explanation: MatchExplanation

    init(_ explanation: MatchExplanation) { self.explanation = explanation }

    func print() throws(ArchiveError) {
        for line in explanation.lines { try StandardOutput.shared.line(PrintableText.escaped(line)) }
        if let rule = explanation.rule, let location = rule.location {
            return try StandardOutput.shared.line(
                PrintableText.escaped("Response: redirect to \(location), status \(rule.status)"))
        }
        guard let entry = explanation.match?.entry else {
            let near = explanation.nearMisses.isEmpty ? " Nothing in the archive is similar to this URL." : ""
            return try StandardOutput.shared.line("No response." + near)
        }
        var response = "Response: \(try entry.method) \(try entry.key)"
        if let status = try explanation.status { response += ", status \(status)" }
        if let body = try entry.body { response += ", \(SizeFormat.bytes(body.length))" }
        if let time = try entry.time { response += ", captured \(Timestamp.text(time))" }
        try StandardOutput.shared.line(PrintableText.escaped(response))
    }

    var json: JSONValue {
        get throws(ArchiveError) {
            let steps = explanation.steps.map { step -> JSONValue in
                [
                    "rules": .array(step.rules.map { .string($0.rawValue) }), "method": .string(step.method),
                    "url": .string(step.url), "code": .string(step.outcome.code),
                    "message": .string(step.outcome.description),
                ]
            }
            return [
                "url": .string(explanation.request.url.description), "method": .string(explanation.request.method),
                "matched": .bool(explanation.hasResponse),
                "rules": .array((explanation.match?.rules ?? []).map { .string($0.rawValue) }),
                "entry": try explanation.match.map { (match) throws(ArchiveError) in
                    try EntryDescription(match.entry).json
                } ?? .null,
                "redirectRule": explanation.rule.map { rule in
                    [
                        "file": .string(rule.file), "line": .integer(Int64(rule.line)), "text": .string(rule.text),
                        "status": .integer(Int64(rule.status)), "target": .string(rule.target),
                        "location": rule.location.map(JSONValue.string) ?? .null,
                    ]
                } ?? .null,
                "steps": .array(steps),
                "near": .array(
                    explanation.nearMisses.map { miss in
                        ["code": .string(miss.code), "url": .string(miss.url), "message": .string(miss.description)]
                    }),
            ]
        }
    }
}

extension MatchExplanation {
    /// The status of the response: that of an error whose content a rule provides, or else the entry's own.
    fileprivate var status: Int? {
        get throws(ArchiveError) {
            if let rule, rule.status >= 400 { return rule.status }
            return try match?.entry.response?.status
        }
    }
}
