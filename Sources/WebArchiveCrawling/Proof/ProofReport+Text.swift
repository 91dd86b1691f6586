// SPDX-License-Identifier: Apache-2.0

import WebArchivePresentation

extension ProofReport {
    /// The report for a terminal: each miss, each leak and each WebSocket with its page and its reason, then the numbers.
    package var lines: [String] {
        var lines: [String] = []
        for requestClass in [RequestClass.missed, .leaked, .notReplayed] {
            for fault in faults(requestClass) { lines += fault.lines(requestClass) }
        }
        for page in pages {
            if let failure = page.failure { lines += ["failed  \(page.url)", "        \(failure)"] }
        }
        for (name, part) in [("text", \PageProof.text), ("picture", \PageProof.screenshot)] {
            lines += pages(part, .different).flatMap {
                ["differs \($0)", "        its \(name) is not that of the crawl"]
            }
        }
        return lines + summary
    }

    /// The numbers of the report, in two or three lines.
    package var summary: [String] {
        let requests = pages.reduce(0) { $0 + $1.requests.count }
        let classes = RequestClass.allCases.filter { count($0) > 0 }.map { "\(SizeFormat.count(count($0))) \($0.name)" }
        let sample = pages.count < pageCount ? " of \(SizeFormat.count(pageCount))" : ""
        var lines = [
            "\(SizeFormat.count(pages.count))\(sample) \(pageCount == 1 ? "page" : "pages"), \(SizeFormat.count(requests, "request"))"
                + (classes.isEmpty ? "" : ": " + classes.joined(separator: ", ")),
            isolationText,
        ]
        for (name, part) in [("text", \PageProof.text), ("picture", \PageProof.screenshot)] {
            let unstable = pages(part, .unstable).count
            if unstable > 0 {
                lines.append("\(SizeFormat.count(unstable, "page")) whose \(name) differs from one replay to the next")
            }
        }
        return lines
    }

    /// A sentence on how the browser was kept from networks.
    package var isolationText: String {
        switch isolation {
        case .namespace: "the browser ran in a network namespace of its own, without a route to any network"
        case .proxy:
            "the browser was kept from networks by its proxy and its resolver alone"
                + (refusal.map { ": \($0)" } ?? "")
        }
    }
}

extension ProofReport.Fault {
    fileprivate func lines(_ requestClass: RequestClass) -> [String] {
        let name = requestClass.name.padded(to: 7)
        let more = pages.count > 1 ? ", and \(SizeFormat.count(pages.count - 1, "more page"))" : ""
        var lines = [
            "\(name) \(request.identity.method) \(request.identity.url)",
            "        page \(pages.first ?? "")\(more)",
        ]
        if let reason = request.reason { lines.append("        \(reason)") }
        lines += request.near.map { "        near: \($0)" }
        return lines
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
