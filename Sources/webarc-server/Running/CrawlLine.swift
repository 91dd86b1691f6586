// SPDX-License-Identifier: Apache-2.0

import WebArchiveCrawling
import WebArchivePresentation
import WebarcCommandLine

/// The progress of a crawl on the terminal: the rate, the queue and the rest.
final class CrawlLine: Sendable {
    private let line: ProgressLine?

    init(isQuiet: Bool) { line = ProgressLine("Crawling", isQuiet: isQuiet) }

    func show(_ progress: CrawlProgress) {
        guard let line else { return }
        let seconds = progress.elapsed.inSeconds
        var parts = ["Crawling  \(SizeFormat.count(progress.done, "page"))"]
        if seconds > 1 {
            let rate = Double(progress.done) / seconds
            parts.append("\(Int(rate * 3600)) an hour")
            let rest = min(progress.waiting, progress.limit ?? .max)
            parts.append("\(SizeFormat.count(progress.waiting)) waiting")
            if rate > 0 { parts.append("at least \(SizeFormat.duration(Double(rest) / rate)) left") }
        }
        parts.append(SizeFormat.bytes(progress.bytes))
        parts.append(PrintableText.escaped(progress.url))
        line.update(text: parts)
    }

    func end() { line?.end() }
}
