// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchivePresentation
import WebarcCommandLine

/// The account of how a request was matched, for a person and for a program.
struct ExplanationReport {
    let explanation: MatchExplanation

    init(_ explanation: MatchExplanation) { self.explanation = explanation }

    func print() throws(ArchiveError) {
        for line in explanation.description.split(separator: "\n") {
            try StandardOutput.shared.line(PrintableText.escaped(String(line)))
        }
        guard let entry = explanation.match?.entry else { return try StandardOutput.shared.line("No response.") }
        var response = "Answered by \(try entry.method) \(try entry.key)"
        if let status = try entry.response?.status { response += ", status \(status)" }
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
                "matched": .bool(explanation.match != nil),
                "rules": .array((explanation.match?.rules ?? []).map { .string($0.rawValue) }),
                "entry": try explanation.match.map { (match) throws(ArchiveError) in
                    try EntryDescription(match.entry).json
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
