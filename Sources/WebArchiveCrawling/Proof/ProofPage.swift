// SPDX-License-Identifier: Apache-2.0

import WebArchivePresentation
import WebArchiveServer

/// The page of a proof: a file of its own in the style of the explorer.
package struct ProofPage {
    private let report: ProofReport

    /// The maximum number of rows of each table: more are for programs.
    private static let maximumRowCount = 1000
    /// The maximum number of pages that are named with a request.
    private static let maximumNamedPages = 5

    /// Creates the page of a report.
    package init(_ report: ProofReport) { self.report = report }

    /// The whole document, in English.
    package var document: String {
        let parts = [
            verdict, facts, requests(.missed, "Missed"), requests(.leaked, "Leaked"), failures,
            requests(.notReplayed, "Not replayed"), pages,
            requests(.byRule, "Found by rule", isOpen: false), requests(.new, "New", isOpen: false),
            requests(.notAskedAgain, "Not asked again", isOpen: false),
        ]
        return ReportPage(title: "Proof of \(report.archive.split(separator: "/").last ?? "")", html: parts.joined())
            .document
    }

    private var verdict: String {
        let unplayed = Self.counted(
            report.faults(.notReplayed).count, "WebSocket is", "WebSockets are", "in the archive and not replayed.")
        let text =
            report.isComplete
            ? "Complete: every request of every replayed page has a response in the archive, and none went anywhere else."
                + (unplayed.map { " \($0)" } ?? "")
            : [
                Self.counted(report.faults(.missed).count, "request is", "requests are", "missing from the archive"),
                Self.counted(report.faults(.leaked).count, "attempt", "attempts", "at something else than the archive"),
                Self.counted(
                    report.pages.count { $0.failure != nil }, "page", "pages", "that could not be replayed to the end"),
            ].compactMap(\.self).joined(separator: "; ") + "."
        return "<p class=\"verdict \(report.isComplete ? "good" : "bad")\">\(text)</p>\n"
    }

    private static func counted(_ count: Int, _ one: String, _ many: String, _ rest: String) -> String? {
        count == 0 ? nil : "\(SizeFormat.count(count, one, many)) \(rest)"
    }

    private var facts: String {
        let sample =
            report.pages.count < report.pageCount
            ? "\(SizeFormat.count(report.pages.count)) of \(SizeFormat.count(report.pageCount))"
                + (report.seed.map { ", a sample with the seed \($0)" } ?? "") : SizeFormat.count(report.pages.count)
        var rows = [
            ("Pages", sample),
            (
                "Requests",
                RequestClass.allCases.filter { report.count($0) > 0 || $0.isFault }
                    .map { "\(SizeFormat.count(report.count($0))) \($0.name)" }.joined(separator: ", ")
            ),
            ("Compared with", comparison),
            ("Isolation", report.isolationText),
        ]
        if let time = report.time { rows.append(("Captures", "nearest to \(Timestamp.text(time))")) }
        let html = rows.map { "<tr><th scope=\"row\">\($0)</th><td>\(ArchivedText.html($1))</td></tr>\n" }
        return "<table class=\"facts\">\n\(html.joined())</table>\n"
    }

    private var comparison: String {
        let compared = report.pages.count(where: \.isCompared)
        if compared == 0 { return "the archive only, which has no requests of a crawl" }
        return compared == report.pages.count
            ? "the requests of the crawl"
            : "the requests of the crawl for \(SizeFormat.count(compared, "page")), and the archive only for the others"
    }

    /// Returns the table of the requests of a class; empty without any.
    private func requests(_ requestClass: RequestClass, _ title: String, isOpen: Bool = true) -> String {
        let faults = report.faults(requestClass)
        guard !faults.isEmpty else { return "" }
        let rows = faults.prefix(Self.maximumRowCount).map { fault in
            let request = fault.request
            let rules = request.rules.isEmpty ? [] : ["by " + request.rules.joined(separator: ", ")]
            let details = ([request.reason].compactMap(\.self) + rules + request.near.map { "near: \($0)" })
                .map { "<br>\(ArchivedText.html($0, atMost: 500))" }
            let more = fault.pages.count - Self.maximumNamedPages
            let pages =
                fault.pages.prefix(Self.maximumNamedPages).map { ArchivedText.html($0, atMost: 500) }
                + (more > 0 ? ["and \(SizeFormat.count(more)) more"] : [])
            return """
                <tr><td>\(ArchivedText.html(request.identity.method, atMost: 40))</td>\
                <th scope="row">\(ArchivedText.html(request.identity.url, atMost: 500))<small>\(details.joined())</small></th>\
                <td class="pages">\(pages.joined(separator: "<br>"))</td></tr>

                """
        }
        let table = """
            <table>
            <tr><th scope="col">\(requestClass == .leaked ? "Kind" : "Method")</th><th scope="col">URL</th>\
            <th scope="col">Asked for by</th></tr>
            \(rows.joined())</table>
            \(Self.more(faults.count))
            """
        let heading = "\(title) (\(SizeFormat.count(faults.count)))"
        return isOpen
            ? "<h2>\(heading)</h2>\n\(table)" : "<details><summary>\(heading)</summary>\n\(table)</details>\n"
    }

    /// Returns the style of a column that a narrow screen leaves out.
    private static func optional(_ requestClass: RequestClass) -> String { requestClass.isFault ? "" : " optional" }

    private static func more(_ count: Int) -> String {
        let more = count - maximumRowCount
        return more > 0 ? "<p>And \(SizeFormat.count(more)) more, which --json lists.</p>\n" : ""
    }

    private var failures: String {
        let failed = report.pages.filter { $0.failure != nil }
        guard !failed.isEmpty else { return "" }
        let rows = failed.prefix(Self.maximumRowCount).map { page in
            "<tr><th scope=\"row\">\(ArchivedText.html(page.url, atMost: 500))</th><td>\(ArchivedText.html(page.failure ?? ""))</td></tr>\n"
        }
        return """
            <h2>Not replayed to the end (\(SizeFormat.count(failed.count)))</h2>
            <table>
            <tr><th scope="col">Page</th><th scope="col">Reason</th></tr>
            \(rows.joined())</table>
            \(Self.more(failed.count))
            """
    }

    /// The table of the pages, those with faults first.
    private var pages: String {
        let classes = RequestClass.allCases.filter { $0.isFault || $0 == .exact || report.count($0) > 0 }
        let sorted = report.pages.filter { !$0.isComplete } + report.pages.filter(\.isComplete)
        let rows = sorted.prefix(Self.maximumRowCount).map { page in
            let state =
                page.failure != nil
                ? "failed" : page.count(.leaked) > 0 ? "leaked" : page.count(.missed) > 0 ? "missed" : "complete"
            let counts = classes.map { requestClass -> String in
                let count = page.count(requestClass)
                return
                    "<td class=\"number\(Self.optional(requestClass))\">\(count == 0 ? "-" : SizeFormat.count(count))</td>"
            }
            let title = page.title.map { "<small>\(ArchivedText.html($0, atMost: 200))</small><br>" } ?? ""
            return """
                <tr><td><span class="class \(state)">\(state)</span></td>\
                <th scope="row">\(title)\(ArchivedText.html(page.url, atMost: 500))</th>\(counts.joined())\
                <td class="optional">\(page.text.rawValue)</td><td class="optional">\(page.screenshot.rawValue)</td></tr>

                """
        }
        let columns = classes.map { "<th scope=\"col\" class=\"number\(Self.optional($0))\">\($0.name)</th>" }
        return """
            <h2>Pages</h2>
            <table>
            <tr><th scope="col">State</th><th scope="col">Page</th>\(columns.joined())\
            <th scope="col" class="optional">Text</th><th scope="col" class="optional">Picture</th></tr>
            \(rows.joined())</table>
            \(Self.more(sorted.count))
            """
    }
}
