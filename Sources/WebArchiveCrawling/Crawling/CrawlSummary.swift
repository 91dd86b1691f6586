// SPDX-License-Identifier: Apache-2.0

/// The result of a crawl.
package struct CrawlSummary: Sendable {
    /// A page that could not be loaded.
    package struct FailedPage: Sendable {
        package let url: String
        package let reason: String
    }

    /// The number of pages that this run visited or loaded.
    package var pages = 0
    /// The number of pages that were finished in earlier runs.
    package var earlierPages = 0
    /// The number of pages of this run that never became idle.
    package var busyPages = 0
    /// The number of pages that could not be loaded.
    package var failureCount = 0
    /// The first of them, at most 20.
    package var failures: [FailedPage] = []
    /// The number of pages of earlier runs that do not exist any more: their status is 404 or 410.
    package var vanishedCount = 0
    /// The first of them, at most 20.
    package var vanished: [String] = []
    /// The number of exchanges that were not stored again, because the archive has the same response.
    package var unchanged = 0
    /// The URLs that were not visited.
    package var skipped = SkippedURLs()
    /// The number of recorded exchanges, and of the bytes of their bodies, of this run.
    package var exchanges = 0
    package var bytes: UInt64 = 0
    /// The number of exchanges that could not be recorded.
    package var dropped = 0
    /// The limit that ended the run; nil if there was none.
    package var limit: CrawlLimits.Reached?
    /// Whether a signal ended the run.
    package var isInterrupted = false
    /// The number of URLs that wait for a next run.
    package var waiting = 0

    mutating func vanish(_ url: String) {
        vanishedCount += 1
        if vanished.count < 20 { vanished.append(url) }
    }

    mutating func fail(_ url: String, _ reason: String) {
        failureCount += 1
        if failures.count < 20 { failures.append(FailedPage(url: url, reason: reason)) }
    }
}

/// The progress of a crawl.
package struct CrawlProgress: Sendable {
    /// The number of pages that are done in this run.
    package var done = 0
    /// The number of URLs that are known and wait.
    package var waiting = 0
    /// The number of recorded bytes.
    package var bytes: UInt64 = 0
    /// The time since the start.
    package var elapsed = Duration.zero
    /// The greatest number of pages that may follow by a limit; nil without one.
    package var limit: Int?
    /// The URL of the page that ended last.
    package var url = ""
    /// The outcome of that page: `loaded`, `file`, or the reason of a failure.
    package var outcome = ""
    /// The status of that page; 0 if it is unknown.
    package var status = 0
}
