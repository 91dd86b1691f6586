// SPDX-License-Identifier: Apache-2.0

import WebArchive
import WebArchiveCrawling
import WebArchivePresentation
import WebarcCommandLine

/// The result of a crawl in words, as JSON, and as an exit status.
struct CrawlReport {
    private let summary: CrawlSummary
    private let hasDepth: Bool

    init(_ summary: CrawlSummary, depth: Int?) { (self.summary, hasDepth) = (summary, depth != nil) }

    private var skipped: [(reason: SkipReason, count: Int)] {
        SkipReason.allCases.compactMap { reason in
            summary.skipped.counts[reason].flatMap { $0 > 0 ? (reason, $0) : nil }
        }
    }

    /// The exit status. A crawl of which no page was loaded has failed.
    var status: ExitStatus {
        if summary.dropped > 0 { return .damaged }
        if summary.isInterrupted { return .interrupted }
        switch summary.limit {
        case .pages: return .pageLimit
        case .bytes: return .byteLimit
        case .time: return .timeLimit
        case .disk: return .diskLimit
        case .failures: return .failureLimit
        case nil: break
        }
        if summary.pages + summary.earlierPages == 0 { return .unavailable }
        return hasDepth && (summary.skipped.counts[.tooDeep] ?? 0) > 0 ? .depthLimit : .done
    }

    /// The lines for a person.
    var lines: [String] {
        var first =
            "webarc: \(SizeFormat.count(summary.pages, "page")), \(SizeFormat.count(summary.exchanges, "exchange")), \(SizeFormat.bytes(summary.bytes))"
        if summary.earlierPages > 0 { first += "; \(SizeFormat.count(summary.earlierPages, "page")) of earlier runs" }
        if let limit = summary.limit { first += "; ended at the limit of \(limit.rawValue)" }
        var lines = [first]
        if summary.dropped > 0 {
            lines.append("webarc: not recorded: \(SizeFormat.count(summary.dropped, "exchange"))")
        }
        if summary.busyPages > 0 {
            lines.append("webarc: \(SizeFormat.count(summary.busyPages, "page")) still sent requests when left")
        }
        if summary.unchanged > 0 {
            lines.append("webarc: unchanged: \(SizeFormat.count(summary.unchanged, "response"))")
        }
        for url in summary.vanished { lines.append("webarc: not there any more: \(PrintableText.escaped(url))") }
        if summary.vanishedCount > summary.vanished.count {
            lines.append(
                "webarc: not there any more: \(SizeFormat.count(summary.vanishedCount - summary.vanished.count, "page")) more"
            )
        }
        for failure in summary.failures {
            lines.append(
                "webarc: not loaded: \(PrintableText.escaped(failure.url)): \(PrintableText.escaped(failure.reason))")
        }
        if summary.failureCount > summary.failures.count {
            lines.append("webarc: not loaded: \(SizeFormat.count(summary.failureCount - summary.failures.count)) more")
        }
        for (reason, count) in skipped where reason != .failed {
            let example = summary.skipped.examples[reason]?.first.map { ", such as \($0)" } ?? ""
            lines.append("webarc: skipped: \(SizeFormat.count(count, "URL")) \(reason.text)\(example)")
        }
        return lines
    }

    /// The object for programs.
    var json: JSONValue {
        let skipped = skipped.map { reason, count -> JSONValue.Member in
            let examples = (summary.skipped.examples[reason] ?? []).map { JSONValue.string($0.description) }
            return .init(name: reason.rawValue, value: ["count": .number(count), "examples": .array(examples)])
        }
        let failures = summary.failures.map { failure -> JSONValue in
            ["url": .string(failure.url), "reason": .string(failure.reason)]
        }
        return [
            "event": "end", "pages": .number(summary.pages), "earlierPages": .number(summary.earlierPages),
            "busyPages": .number(summary.busyPages), "exchanges": .number(summary.exchanges),
            "bytes": .number(summary.bytes), "dropped": .number(summary.dropped),
            "failures": .number(summary.failureCount),
            "unchanged": .number(summary.unchanged), "vanished": .array(summary.vanished.map(JSONValue.string)),
            "failed": .array(failures), "skipped": .object(skipped), "limit": .text(summary.limit?.rawValue),
            "interrupted": .bool(summary.isInterrupted),
        ]
    }
}
